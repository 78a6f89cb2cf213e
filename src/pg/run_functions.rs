//! The SQL functions behind `text2sql.run` and `text2sql.run_json`, written by hand: pgrx's own
//! wrapper offers neither the caller's column definition list nor SQLSTATEs of ours.

use std::time::Duration;

use pgrx::{IntoDatum, pg_sys};
use text2sql_core::config::Limits;

use crate::api::run::{columns_json, rows_json};
use crate::pg::encoding::text_of;
use crate::pg::error::{self, Raised};
use crate::pg::execute::{self, Capture, GuardedRows};
use crate::pg::guard::{GuardPolicy, Verdict};
use crate::pg::{role, typed_rows};

/// The limits of a statement that is run directly.
fn limits() -> Limits {
    Limits {
        max_rows: 1000,
        max_bytes: 8 * 1024 * 1024,
        max_cost: 5.0e6,
        statement_limit: Duration::from_secs(5),
        memory_limit: 256 * 1024 * 1024,
    }
}

fn run(sql: &str, capture: Capture) -> Result<GuardedRows, Raised> {
    let reader = role::reader(None)?;
    match execute::run(sql, &limits(), &GuardPolicy::default(), &reader, capture)? {
        Verdict::Passed(rows) => Ok(rows),
        Verdict::Rejected(rejection) => Err(Raised::refusal(&rejection, sql)),
        Verdict::Failed(error) => Err(Raised::database(error, sql)),
    }
}

/// The only argument, a text; the functions are STRICT.
unsafe fn sql_argument(arguments: pg_sys::FunctionCallInfo) -> Result<String, Raised> {
    // SAFETY: the function is declared with one argument of type text.
    unsafe {
        match (*arguments).args.as_slice(1).first() {
            Some(argument) if !argument.isnull => {
                let text = pg_sys::text_to_cstring(argument.value.cast_mut_ptr());
                Ok(text_of(text))
            }
            _ => Err(Raised::new("22004", "the statement is NULL")),
        }
    }
}

unsafe fn run_typed(arguments: pg_sys::FunctionCallInfo) -> Result<pg_sys::Datum, Raised> {
    // SAFETY: `arguments` is what PostgreSQL handed over; the tuples are made and handed over in
    // the calling query's memory.
    unsafe {
        let place = typed_rows::result_place(arguments)?;
        let sql = sql_argument(arguments)?;
        let captured = typed_rows::in_query_memory(place, || run(&sql, Capture::Tuples))?;
        if let Some(tuples) = captured.tuples {
            let context = pg_sys::MemoryContextSwitchTo((*place.econtext).ecxt_per_query_memory);
            let handed_over = typed_rows::hand_over(
                place,
                tuples,
                &captured.execution.columns,
                &captured.column_types,
            );
            pg_sys::MemoryContextSwitchTo(context);
            handed_over?;
        }
    }
    Ok(pg_sys::Datum::from(0_usize))
}

unsafe fn run_as_json(arguments: pg_sys::FunctionCallInfo) -> Result<pg_sys::Datum, Raised> {
    // SAFETY: as in `run_typed`; the values match the declared columns.
    unsafe {
        let place = typed_rows::result_place(arguments)?;
        let sql = sql_argument(arguments)?;
        let captured = run(&sql, Capture::Cells)?;
        let count = i64::try_from(captured.execution.rows.len()).unwrap_or(i64::MAX);
        let context = pg_sys::MemoryContextSwitchTo((*place.econtext).ecxt_per_query_memory);
        let mut values = [
            columns_json(&captured.execution).into_datum(),
            rows_json(&captured.execution).into_datum(),
            count.into_datum(),
            captured.execution.is_truncated.into_datum(),
        ]
        .map(|datum| datum.unwrap_or(pg_sys::Datum::from(0_usize)));
        typed_rows::hand_over_row(place, &mut values);
        pg_sys::MemoryContextSwitchTo(context);
    }
    Ok(pg_sys::Datum::from(0_usize))
}

/// `text2sql.run(sql)`.
///
/// # Safety
/// For PostgreSQL to call.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn text2sql_run(arguments: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: called by PostgreSQL, with nothing to drop.
    unsafe { error::call(arguments, run_typed) }
}

/// `text2sql.run_json(sql)`.
///
/// # Safety
/// For PostgreSQL to call.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn text2sql_run_json(
    arguments: pg_sys::FunctionCallInfo,
) -> pg_sys::Datum {
    // SAFETY: called by PostgreSQL, with nothing to drop.
    unsafe { error::call(arguments, run_as_json) }
}

static VERSION_1: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };

/// Tells PostgreSQL the calling convention of `text2sql_run`.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_text2sql_run() -> &'static pg_sys::Pg_finfo_record {
    &VERSION_1
}

/// Tells PostgreSQL the calling convention of `text2sql_run_json`.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_text2sql_run_json() -> &'static pg_sys::Pg_finfo_record {
    &VERSION_1
}
