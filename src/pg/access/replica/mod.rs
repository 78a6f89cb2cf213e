//! Replicas: foreign servers of the wrapper `text2sql_replica`, on which generated queries can run instead of here.
//!
//! Only a superuser or the owner of the extension says where a replica is. Whoever logs in there, the statement runs
//! as the role that asks here, which the replica confirms before it gets the statement; and the replica's own guard
//! judges it once more. What leaves this server is the statement, a few settings of the session and the limits.

mod lag;
mod servers;
mod wait;

use std::ffi::CStr;

use pgrx::pg_sys;
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::Outcome;
use text2sql_domain::sql_result::Execution;
use text2sql_replica::reply::{self, SentLimits};
use text2sql_replica::{Failure, Request};

use crate::pg::server::installed_version;
use crate::pg::server::spi::encoding::text_of;

pub(crate) use self::servers::{Replica, find};

/// How much longer than the statement the way there and back may take.
const GRACE: std::time::Duration = std::time::Duration::from_secs(5);

/// Settings of the session that decide what a statement means and how its values are written.
const SETTINGS: [&CStr; 11] = [
    c"search_path",
    c"TimeZone",
    c"timezone_abbreviations",
    c"DateStyle",
    c"IntervalStyle",
    c"bytea_output",
    c"default_text_search_config",
    c"lc_monetary",
    c"lc_numeric",
    c"lc_time",
    c"xmloption",
];

/// The outcome of a statement on the replica, as the role of that name; or why the replica gave none.
///
/// A passed execution has a note that says how far the replica is behind.
pub(crate) fn run(
    replica: &Replica,
    role: &str,
    sql: &str,
    limits: &Limits,
) -> Result<Outcome<Execution>, Error> {
    let failed = |why: &str| failed(replica, why);
    let sent = serde_json::to_string(&SentLimits::of(limits)).unwrap_or_default();
    let position = lag::own_position();
    let request = Request {
        target: replica.target.clone(),
        role: role.to_owned(),
        version: installed_version::LIBRARY.to_owned(),
        settings: settings(limits),
        sql: sql.to_owned(),
        limits: sent,
        timeout: limits.query_timeout.saturating_add(GRACE),
    };
    let outcome = wait::run(request).map_err(|failure| of_failure(replica, &failure))?;
    let lag = lag::of(&outcome.standing, position);
    if let (Some(most), Some(seconds)) = (replica.max_lag, lag.seconds())
        && seconds > most
    {
        return Err(failed(&format!(
            "it is up to {seconds:.1} s behind, more than its option max_lag ({most} s)"
        )));
    }
    let outcome = reply::read(&outcome.document)
        .ok_or_else(|| failed("it returned something else than the outcome of a statement"))?;
    Ok(outcome.map(|mut execution| {
        execution.notes.push(lag.note(&replica.name));
        execution
    }))
}

/// The error of a replica that gave no outcome.
pub(crate) fn failed(replica: &Replica, why: &str) -> Error {
    failure!(Replica, "replica \"{}\" failed: {why}", replica.name)
        .with_hint("To run queries on this server: SET text2sql.run_on = '';")
}

fn of_failure(replica: &Replica, failure: &Failure) -> Error {
    let error = failed(replica, &failure.to_string());
    match failure {
        Failure::Refused { hint, .. } => error.with_hint(hint.clone()),
        Failure::OtherVersion { .. } => error.with_hint(
            "Install the same version of pg_text2sql on both servers, and run ALTER EXTENSION pg_text2sql UPDATE.",
        ),
        _ => error,
    }
}

fn settings(limits: &Limits) -> Vec<(String, String)> {
    let own = |name: &CStr| {
        // SAFETY: a NUL-terminated name; `true` makes an unknown setting NULL.
        let value = unsafe { pg_sys::GetConfigOption(name.as_ptr(), true, false) };
        if value.is_null() {
            return None;
        }
        // SAFETY: the value is NUL-terminated and copied.
        let value = unsafe { text_of(value) };
        Some((name.to_string_lossy().into_owned(), value))
    };
    let mut settings: Vec<(String, String)> = SETTINGS.into_iter().filter_map(own).collect();
    let timeout = limits.query_timeout.saturating_add(GRACE).as_millis();
    // Digits that are cut off would be missing in the typed rows.
    // SAFETY: reads a variable of the session.
    let digits = unsafe { pg_sys::extra_float_digits }.max(1);
    settings.extend([
        ("extra_float_digits".to_owned(), digits.to_string()),
        // If this server goes away, the statement there ends.
        (
            "statement_timeout".to_owned(),
            timeout.min(i32::MAX as u128).to_string(),
        ),
        // A setting of the role must not send it on.
        ("text2sql.run_on".to_owned(), String::new()),
    ]);
    settings
}
