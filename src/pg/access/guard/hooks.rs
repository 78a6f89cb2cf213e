//! Run-time checks that complement the checks on the tree: what the called functions call. The hooks are always
//! installed and act only while a guarded statement runs in this backend.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use std::sync::OnceLock;

use pgrx::{PgSqlErrorCode, pg_guard, pg_sys};
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;

use super::functions::{self, FunctionRules, Standing};
use super::moved_clock;
use super::verdict::refuse;
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::server::compat::permission_hook;
use crate::pg::server::compat::permissions::PlanPermissions;
use crate::pg::server::session::clock;
use crate::pg::server::spi::encoding::text_of;

/// The current phase of a guarded statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No guarded statement.
    Off,
    /// Parse analysis: input functions of types run, so no user function may run at all.
    Parsing,
    /// Planning and execution: user functions called indirectly may run, dangerous ones may not.
    Running,
    /// The executor checks the privileges of the judged plan itself.
    Starting,
    /// PostgreSQL's own EXPLAIN of the judged tree: a single command, up to the privilege check.
    Explaining,
}

thread_local! {
    static PHASE: Cell<Phase> = const { Cell::new(Phase::Off) };
    static RULES: RefCell<Option<Rc<FunctionRules>>> = const { RefCell::new(None) };
    static DENIAL: RefCell<Option<Rejection>> = const { RefCell::new(None) };
}

/// Armed until it is dropped, also by unwinding.
pub(crate) struct Armed {
    _private: (),
}

impl Armed {
    /// Arms the hooks for parse analysis. `None` when a guarded statement is already running.
    pub(crate) fn arm(rules: Rc<FunctionRules>) -> Option<Self> {
        if is_active() {
            return None;
        }
        DENIAL.take();
        RULES.replace(Some(rules));
        PHASE.set(Phase::Parsing);
        Some(Self { _private: () })
    }

    /// Enters another phase.
    pub(crate) fn enter(&self, phase: Phase) {
        PHASE.set(phase);
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        PHASE.set(Phase::Off);
        RULES.take();
    }
}

/// The current phase.
pub(crate) fn phase() -> Phase {
    PHASE.get()
}

/// Whether a guarded statement is running in this backend.
pub(crate) fn is_active() -> bool {
    PHASE.get() != Phase::Off
}

/// The denial by the hooks in the last guarded statement, if any.
pub(crate) fn take_denial() -> Option<Rejection> {
    DENIAL.take()
}

/// Records the denial for the guard and ends the statement.
fn deny(rule: Rule, reason: String, offender: Option<String>) {
    let mut rejection = refuse(rule, reason.clone());
    rejection.offender = offender;
    DENIAL.replace(Some(rejection));
    pgrx::ereport!(
        ERROR,
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        reason
    );
}

struct Previous {
    object_access: pg_sys::object_access_hook_type,
    process_utility: pg_sys::ProcessUtility_hook_type,
}

static PREVIOUS: OnceLock<Previous> = OnceLock::new();

/// Installs the hooks in front of existing ones. Called once, from `_PG_init`.
pub(crate) fn install() {
    // SAFETY: a process' only thread, while the library is being loaded.
    unsafe {
        let previous = Previous {
            object_access: pg_sys::object_access_hook,
            process_utility: pg_sys::ProcessUtility_hook,
        };
        if PREVIOUS.set(previous).is_ok() {
            pg_sys::object_access_hook = Some(on_object_access);
            permission_hook::install(check_permissions);
            pg_sys::ProcessUtility_hook = Some(on_process_utility);
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_object_access(
    access: pg_sys::ObjectAccessType::Type,
    class: pg_sys::Oid,
    object: pg_sys::Oid,
    sub_object: c_int,
    argument: *mut c_void,
) {
    if let Some(previous) = PREVIOUS.get().and_then(|previous| previous.object_access) {
        // SAFETY: the arguments as PostgreSQL gave them; its ERROR crosses as an unwinding.
        unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| {
                previous(access, class, object, sub_object, argument);
            });
        }
    }
    if access != pg_sys::ObjectAccessType::OAT_FUNCTION_EXECUTE
        || class != pg_sys::ProcedureRelationId
        || !is_active()
    {
        return;
    }
    let Some(rules) = RULES.with_borrow(Clone::clone) else {
        return;
    };
    let is_parsing = PHASE.get() == Phase::Parsing;
    if clock::is_pinned()
        && let Some(reason) = moved_clock::runs_as_owner(object)
    {
        deny(Rule::Function, reason, None);
    }
    match rules.standing(object) {
        Standing::Reviewed | Standing::Registered | Standing::InputConversion => {}
        Standing::Beneath if !is_parsing || object.to_u32() < FIRST_USER_OID => {}
        Standing::User { .. } | Standing::OfPlan if !is_parsing => {}
        Standing::User { .. } | Standing::Beneath | Standing::OfPlan => {
            let signature = functions::signature(object);
            let reason = say!("a conversion to this type calls {signature}, which is not allowed");
            deny(Rule::Type, reason, Some(signature));
        }
        Standing::Dangerous => {
            let signature = functions::signature(object);
            let reason = say!("function {signature} is not allowed in generated queries");
            deny(Rule::Function, reason, Some(signature));
        }
    }
}

/// Runs in the executor's check of privileges.
fn check_permissions(plan: &PlanPermissions) -> bool {
    // The plan that EXPLAIN prints; what it then runs is indirect again.
    if PHASE.get() == Phase::Explaining {
        PHASE.set(Phase::Running);
        return true;
    }
    let phase = PHASE.get();
    if clock::is_pinned() && matches!(phase, Phase::Starting | Phase::Running) {
        let reason = moved_clock::in_plan(plan, phase == Phase::Running);
        if let Some(reason) = reason {
            deny(Rule::Relation, reason, None);
        }
    }
    // Only statements nested in functions: the statement itself was judged by its tree.
    if PHASE.get() == Phase::Running {
        let catalog = plan.checked().into_iter().find(|needed| {
            needed.required() != 0
                && needed.role() == pg_sys::InvalidOid
                && needed.relation().to_u32() < FIRST_USER_OID
        });
        if let Some(catalog) = catalog {
            // SAFETY: a look-up in the cache, which gives a palloc'd name or NULL.
            let name = unsafe { text_of(pg_sys::get_rel_name(catalog.relation())) };
            let reason = format!("a function called by the query reads a system catalog ({name})");
            deny(Rule::Relation, reason, Some(name));
        }
    }
    true
}

/// Refuses a utility command during a guarded statement.
#[pg_guard]
unsafe extern "C-unwind" fn refuse_command(statement: *mut pg_sys::PlannedStmt) {
    // SAFETY: a utility statement holds a node.
    let is_explain = unsafe {
        (*statement)
            .utilityStmt
            .as_ref()
            .is_some_and(|node| node.type_ == pg_sys::NodeTag::T_ExplainStmt)
    };
    if is_active() && !(is_explain && PHASE.get() == Phase::Explaining) {
        let reason = "a function called by the query runs a utility command";
        deny(Rule::Statement, reason.to_owned(), None);
    }
}

/// Not wrapped like the others: the errors of every command of the session pass through here, and pgrx would
/// raise them again with `XX000` in place of each SQLSTATE that is not PostgreSQL's own. So nothing in this
/// frame may need dropping.
unsafe extern "C-unwind" fn on_process_utility(
    statement: *mut pg_sys::PlannedStmt,
    source: *const c_char,
    read_only_tree: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    receiver: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    // SAFETY: the arguments as PostgreSQL gave them; an ERROR leaves by longjmp, over this frame.
    unsafe {
        refuse_command(statement);
        let previous = PREVIOUS.get().and_then(|previous| previous.process_utility);
        let next = previous.unwrap_or(standard_ProcessUtility);
        next(
            statement,
            source,
            read_only_tree,
            context,
            parameters,
            environment,
            receiver,
            completion,
        );
    }
}

// Not through pgrx, whose wrapper turns an ERROR into an unwinding.
unsafe extern "C-unwind" {
    fn standard_ProcessUtility(
        statement: *mut pg_sys::PlannedStmt,
        source: *const c_char,
        read_only_tree: bool,
        context: pg_sys::ProcessUtilityContext::Type,
        parameters: pg_sys::ParamListInfo,
        environment: *mut pg_sys::QueryEnvironment,
        receiver: *mut pg_sys::DestReceiver,
        completion: *mut pg_sys::QueryCompletion,
    );
}
