//! The state in which a generated statement is analysed, planned and run: settings, timer, memory
//! watchdog, identity and hooks. All of it ends with the sandbox.

use std::ffi::CStr;
use std::rc::Rc;

use pgrx::{PgList, pg_sys};
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::Rule;

use super::availability::Notes;
use super::functions::FunctionRules;
use super::hooks::Phase;
use super::hooks::{self, Armed};
use super::verdict::{Refusal, Verdict, refuse};
use crate::pg::server::limits::cancel_requests::{self, CancelWatch, Ending};
use crate::pg::server::limits::memory_watchdog::{self, MemoryWatchdog};
use crate::pg::server::limits::query_timer::Timer;
use crate::pg::server::session::clock;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::{server_text, text_of};
use crate::pg::server::spi::role::{self, EffectiveRole};
use crate::pg::server::spi::sandbox::{self, Sandbox};

/// The argument of the `work` of [`run_guarded`].
pub(crate) struct Envelope<'a> {
    /// The subtransaction it is in.
    pub(crate) sandbox: &'a Sandbox,
    /// The rules for functions.
    pub(crate) rules: &'a FunctionRules,
    /// The hooks, to enter the next phase.
    pub(crate) armed: &'a Armed,
    /// What must be known if the statement fails.
    pub(super) notes: &'a Notes,
}

/// Runs `work` inside the sandbox, as `role`, within the limits, with the hooks armed.
pub(crate) fn run_guarded<T>(
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
    work: impl FnOnce(&Envelope<'_>) -> Result<T, Refusal>,
) -> Result<Verdict<T>, Error> {
    // SAFETY: reads a variable of the process.
    if unsafe { pg_sys::ParallelWorkerNumber } >= 0 {
        return Err(failure!(
            Denied,
            "a question cannot run in a parallel worker"
        ));
    }
    let rules = Rc::new(FunctionRules::new(policy));
    // Armed before any of the caller's code runs, so that a nested question is refused before it can disarm the
    // outer one.
    let Some(armed) = Armed::arm(Rc::clone(&rules)) else {
        return Err(failure!(Denied, "a question cannot run inside a question"));
    };
    let notes = Notes::default();
    let watch = CancelWatch::start();
    // Interrupts that are already pending are served first: from here on only cancels seen by the watch are
    // pending.
    pgrx::check_for_interrupts!();
    let mut late = None;
    let mut watchdog = MemoryWatchdog::start(limits.memory_limit);
    let mut timer = Timer::start(limits.query_timeout);
    let outcome = sandbox::run_and_undo(
        |sandbox| {
            apply_settings(policy, role);
            role::with_role(role, || {
                clock::at_the_moment(|| {
                    work(&Envelope {
                        sandbox,
                        rules: &rules,
                        armed: &armed,
                        notes: &notes,
                    })
                })
            })
        },
        |error| {
            // Always both: neither may cancel what comes next.
            let is_too_slow = timer.settle();
            let is_too_large = watchdog.settle();
            let is_over_limit = is_too_slow || is_too_large;
            let served = match is_over_limit && cancel_requests::is_pending() {
                true => cancel_requests::serve(),
                false => None,
            };
            let limit = match is_too_large {
                true => over_memory_limit(limits),
                false => over_query_timeout(limits),
            };
            let code = served.as_ref().map(cancel_requests::code_of);
            match watch.ending(error, is_over_limit, code) {
                Ending::AsItWas => None,
                Ending::ByLimit => Some(limit),
                Ending::ByServed => {
                    late = served;
                    // Only prevents the first cancel from being raised before the second.
                    Some(limit)
                }
                Ending::ToBeCancelled => {
                    cancel_requests::request_again();
                    None
                }
            }
        },
    );
    if let Some(cancel) = late {
        cancel.rethrow();
    }
    let ended_in = hooks::phase();
    drop(armed);
    memory_watchdog::give_back();
    let denial = hooks::take_denial();
    Ok(match (outcome, denial) {
        (Ok(Ok(value)), _) => Verdict::Passed(value),
        (Ok(Err(refusal)), _) => refusal.into(),
        (Err(error), Some(denial)) if error.sqlstate == "42501" => Verdict::Rejected(denial),
        (Err(error), None)
            if error.sqlstate == "42501"
                && matches!(ended_in, Phase::Starting | Phase::Explaining) =>
        {
            Verdict::Rejected(refuse(Rule::Permission, error.message))
        }
        (Err(error), _) if error.sqlstate.starts_with("08") => {
            return Err(no_connection(&error, role));
        }
        (Err(error), _) => match notes.judge(error) {
            Ok(error) => Verdict::Failed(error),
            Err(rejection) => Verdict::Rejected(rejection),
        },
    })
}

/// A worker of Citus that cannot be reached, or does not let the role in.
fn no_connection(error: &DatabaseError, role: &EffectiveRole) -> Error {
    let failed = failure!(
        Replica,
        "another server that has rows of the query failed: {}",
        error.message
    );
    match role.is_switched && !role.can_log_in() {
        true => failed.with_hint(
            "The queries of a superuser run as the role text2sql.run_as, which must be able to log in on every worker: CREATE ROLE text2sql_reader LOGIN IN ROLE pg_read_all_data; ALTER SYSTEM SET text2sql.run_as = 'text2sql_reader';",
        ),
        false => failed,
    }
}

fn over_query_timeout(limits: &Limits) -> DatabaseError {
    DatabaseError {
        sqlstate: "57014".to_owned(),
        message: format!(
            "the statement took longer than text2sql.query_timeout ({} ms)",
            limits.query_timeout.as_millis()
        ),
        detail: None,
        hint: None,
        position: None,
        is_private: false,
    }
}

fn over_memory_limit(limits: &Limits) -> DatabaseError {
    DatabaseError {
        sqlstate: "54000".to_owned(),
        message: format!(
            "the statement took more memory than text2sql.memory_limit ({} MB)",
            limits.memory_limit / (1024 * 1024)
        ),
        detail: None,
        hint: None,
        position: None,
        is_private: false,
    }
}

/// A question must not wait for concurrent DDL.
const LOCK_TIMEOUT_MS: i32 = 500;
/// The default. Above it a join of 30 tables was planned for 5 s and used 2.3 GB.
const COLLAPSE_LIMIT: i32 = 8;

fn apply_settings(policy: &GuardPolicy, role: &EffectiveRole) {
    set_local(c"standard_conforming_strings", "on");
    set_local(c"row_security", "on");
    set_local(c"jit", "off");
    // SAFETY: reads variables of the process.
    let (lock_timeout, temp_file_limit, join_limit, from_limit, work_mem, multiplier) = unsafe {
        (
            pg_sys::LockTimeout,
            pg_sys::temp_file_limit,
            pg_sys::join_collapse_limit,
            pg_sys::from_collapse_limit,
            pg_sys::work_mem,
            pg_sys::hash_mem_multiplier,
        )
    };
    // A stricter setting of the session is kept.
    if !(1..=LOCK_TIMEOUT_MS).contains(&lock_timeout) {
        set_local(c"lock_timeout", &LOCK_TIMEOUT_MS.to_string());
    }
    if !(0..=policy.max_temp_file_size_kb).contains(&temp_file_limit) {
        set_local(
            c"temp_file_limit",
            &policy.max_temp_file_size_kb.to_string(),
        );
    }
    if join_limit > COLLAPSE_LIMIT {
        set_local(c"join_collapse_limit", &COLLAPSE_LIMIT.to_string());
    }
    if from_limit > COLLAPSE_LIMIT {
        set_local(c"from_collapse_limit", &COLLAPSE_LIMIT.to_string());
    }
    if work_mem > policy.max_work_mem_kb {
        set_local(c"work_mem", &policy.max_work_mem_kb.to_string());
    }
    if multiplier > 2.0 {
        set_local(c"hash_mem_multiplier", "2");
    }
    if let Some(path) = search_path(role) {
        set_local(c"search_path", &path);
    }
    // pg_hint_plan obeys comments of the statement, and of the caller's own: they could set the costs that
    // `max_cost` is compared with, and force a parallel plan where the guard allows none.
    if is_setting(HINTS) {
        set_local(HINTS, "off");
    }
    // Citus ends the connections to its workers one after another when the subtransaction is rolled back, and serves
    // no interrupt meanwhile: with its default of 16 a cancel took seconds.
    if setting(WORKER_CONNECTIONS).is_some_and(|most| most > MAX_WORKER_CONNECTIONS) {
        set_local(WORKER_CONNECTIONS, &MAX_WORKER_CONNECTIONS.to_string());
    }
}

/// Keeps auto_explain from logging a plan that is explained and not run. Where that plan uses an index of hypopg,
/// auto_explain would fail with "cache lookup failed for index": it prints the plan when hypopg has stopped naming
/// its indexes.
pub(crate) fn log_no_plan() {
    if is_setting(LOGGED_PLANS) {
        set_local(LOGGED_PLANS, "-1");
    }
}

/// The switch of the library auto_explain.
const LOGGED_PLANS: &CStr = c"auto_explain.log_min_duration";

/// The switch of the extension pg_hint_plan.
const HINTS: &CStr = c"pg_hint_plan.enable_hint";

/// The number of connections to each worker of the extension Citus, and what is enough for a question.
const WORKER_CONNECTIONS: &CStr = c"citus.max_adaptive_executor_pool_size";
const MAX_WORKER_CONNECTIONS: i32 = 4;

/// The value of a setting that is a number, if there is one of that name.
fn setting(name: &CStr) -> Option<i32> {
    // SAFETY: a NUL-terminated name; `true` makes a missing one NULL. The value is read before anything changes it.
    unsafe {
        let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
        (!value.is_null()).then(|| text_of(value))?.parse().ok()
    }
}

/// Whether a setting of that name exists. Setting another would create it, until the session ends.
fn is_setting(name: &CStr) -> bool {
    // SAFETY: a NUL-terminated name; `true` makes a missing one NULL.
    unsafe { !pg_sys::GetConfigOption(name.as_ptr(), true, false).is_null() }
}

/// The caller's `search_path` with `pg_temp` last, where no temporary table can shadow anything, and with
/// `$user` resolved to the caller when another role runs the query.
fn search_path(role: &EffectiveRole) -> Option<String> {
    // SAFETY: the setting is a valid string; the copy may be cut up; the list points into it.
    unsafe {
        let setting = pg_sys::GetConfigOption(c"search_path".as_ptr(), true, false);
        if setting.is_null() {
            return None;
        }
        let copy = pg_sys::pstrdup(setting);
        let mut names = std::ptr::null_mut();
        if !pg_sys::SplitIdentifierString(copy, b','.cast_signed(), &raw mut names) {
            return None;
        }
        let caller = role
            .is_switched
            .then(|| text_of(pg_sys::GetUserNameFromId(pg_sys::GetUserId(), true)));
        let mut path = PgList::<std::ffi::c_char>::from_pg(names)
            .iter_ptr()
            .map(|name| text_of(name))
            .filter(|name| name != "pg_temp")
            .map(|name| match &caller {
                Some(caller) if name == "$user" => caller.clone(),
                _ => name,
            })
            .map(|name| quote_identifier(&name))
            .collect::<Vec<_>>();
        path.push("pg_temp".to_owned());
        Some(path.join(", "))
    }
}

/// Changes a setting until the subtransaction ends.
pub(super) fn set_local(name: &CStr, value: &str) {
    let Some(value) = server_text(value) else {
        return;
    };
    // SAFETY: NUL-terminated strings. PGC_SUSET, because `temp_file_limit` is an administrator's.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value,
            pg_sys::GucContext::PGC_SUSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_LOCAL,
            true,
            0,
            false,
        );
    }
}
