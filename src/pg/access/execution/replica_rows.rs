//! Rows of a replica as tuples: the texts of their values, read by the input functions of their types.

use pgrx::pg_sys;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::sql_result::Execution;

use crate::pg::access::execution::columns::ColumnType;
use crate::pg::access::execution::row_capture::CapturedTuples;
use crate::pg::access::guard::{Phase, Refusal, Verdict, run_guarded};
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::server_text;
use crate::pg::server::spi::role::EffectiveRole;

/// Reads the rows as the role, inside the guard: the input of a domain runs its checks.
pub(super) fn tuples_of(
    execution: &Execution,
    column_types: &[ColumnType],
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
) -> Result<Verdict<CapturedTuples>, Error> {
    let mut tuples = CapturedTuples::begin();
    let verdict = run_guarded(limits, policy, role, |envelope| {
        envelope.armed.enter(Phase::Running);
        // SAFETY: inside the sandbox; one type for each column.
        unsafe { read(execution, column_types, &mut tuples) };
        Ok::<(), Refusal>(())
    });
    match verdict {
        Ok(Verdict::Passed(())) => Ok(Verdict::Passed(tuples)),
        Ok(Verdict::Rejected(rejection)) => {
            tuples.end();
            Ok(Verdict::Rejected(rejection))
        }
        Ok(Verdict::Failed(error)) => {
            tuples.end();
            Ok(Verdict::Failed(error))
        }
        Err(error) => {
            tuples.end();
            Err(error)
        }
    }
}

/// How the text of a column becomes a value.
struct Input {
    function: pg_sys::FmgrInfo,
    parameter: pg_sys::Oid,
    modifier: i32,
}

/// # Safety
/// There is a type for each column, and a transaction.
unsafe fn read(execution: &Execution, column_types: &[ColumnType], tuples: &mut CapturedTuples) {
    // SAFETY: the descriptor has as many columns as there are types, each row as many cells (the caller compared
    // them); the texts are NUL-terminated; the row's context is emptied after each row.
    unsafe {
        let count = i32::try_from(column_types.len()).unwrap_or(0);
        let descriptor = pg_sys::CreateTemplateTupleDesc(count);
        let mut inputs = Vec::with_capacity(column_types.len());
        for (number, (column, of)) in execution.columns.iter().zip(column_types).enumerate() {
            let name = server_text(&column.name).unwrap_or(c"".as_ptr());
            let number = pg_sys::AttrNumber::try_from(number + 1).unwrap_or(1);
            pg_sys::TupleDescInitEntry(descriptor, number, name, of.oid, of.modifier, 0);
            let mut input = Input {
                function: pg_sys::FmgrInfo::default(),
                parameter: pg_sys::InvalidOid,
                modifier: of.modifier,
            };
            let mut function = pg_sys::InvalidOid;
            pg_sys::getTypeInputInfo(of.oid, &raw mut function, &raw mut input.parameter);
            pg_sys::fmgr_info(function, &raw mut input.function);
            inputs.push(input);
        }
        tuples.describe(descriptor);
        let context = pg_sys::AllocSetContextCreateInternal(
            pg_sys::CurrentMemoryContext,
            c"text2sql row of a replica".as_ptr(),
            0,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        let mut values = vec![pg_sys::Datum::from(0_usize); inputs.len()];
        let mut nulls = vec![true; inputs.len()];
        for row in &execution.rows {
            pgrx::check_for_interrupts!();
            let before = pg_sys::MemoryContextSwitchTo(context);
            let places = values.iter_mut().zip(nulls.iter_mut());
            for ((cell, input), (value, is_null)) in row.iter().zip(&mut inputs).zip(places) {
                let text = cell.text.as_deref().and_then(server_text);
                *is_null = text.is_none();
                *value = match text {
                    Some(text) => pg_sys::InputFunctionCall(
                        &raw mut input.function,
                        text.cast_mut(),
                        input.parameter,
                        input.modifier,
                    ),
                    None => pg_sys::Datum::from(0_usize),
                };
            }
            tuples.put_values(&mut values, &mut nulls);
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(context);
        }
    }
}
