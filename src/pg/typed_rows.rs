//! Rows for a function that returns `SETOF record`: the captured tuples, brought to the types of
//! the caller's column definition list.

use std::ffi::c_int;

use pgrx::pg_sys;
use text2sql_core::schema::quote_identifier;
use text2sql_core::sql_result::ResultColumn;

use crate::pg::encoding::text_of;
use crate::pg::error::Raised;
use crate::pg::execute::ColumnType;
use crate::pg::guard;
use crate::pg::receiver::CapturedTuples;

/// Finds the place for a materialised result, or tells why there is none.
///
/// # Safety
/// `arguments` is what PostgreSQL handed to the SQL function.
pub(crate) unsafe fn result_place<'a>(
    arguments: pg_sys::FunctionCallInfo,
) -> Result<&'a mut pg_sys::ReturnSetInfo, Raised> {
    let unsupported = || {
        let message = "set-valued function called in context that cannot accept a set";
        Raised::new("0A000", message)
    };
    // SAFETY: the node's tag says what it is.
    unsafe {
        let place = (*arguments).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        match place.as_mut() {
            Some(place)
                if place.type_ == pg_sys::NodeTag::T_ReturnSetInfo
                    && place.allowedModes
                        & pg_sys::SetFunctionReturnMode::SFRM_Materialize.cast_signed()
                        != 0 =>
            {
                Ok(place)
            }
            _ => Err(unsupported()),
        }
    }
}

/// Runs `work` in the memory context that lasts as long as the calling query.
///
/// # Safety
/// `place` came from [`result_place`].
pub(crate) unsafe fn in_query_memory<T>(
    place: &pg_sys::ReturnSetInfo,
    work: impl FnOnce() -> T,
) -> T {
    // SAFETY: the context outlives the function's call. An ERROR leaves the switch undone, and
    // whoever catches it restores its own context.
    unsafe {
        let before = pg_sys::MemoryContextSwitchTo((*place.econtext).ecxt_per_query_memory);
        let outcome = work();
        pg_sys::MemoryContextSwitchTo(before);
        outcome
    }
}

/// Hands the rows over in the types that the caller's column definition list says.
///
/// # Safety
/// `place` came from [`result_place`], and `tuples` live in the query's memory.
pub(crate) unsafe fn hand_over(
    place: &mut pg_sys::ReturnSetInfo,
    tuples: CapturedTuples,
    columns: &[ResultColumn],
    column_types: &[ColumnType],
) -> Result<(), Raised> {
    let (store, descriptor) = tuples.into_parts();
    // SAFETY: descriptors and stores are valid and live in the query's memory.
    unsafe {
        place.returnMode = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
        let expected = place.expectedDesc;
        if expected.is_null() {
            let message = "a column definition list is required for functions returning record";
            return Err(Raised {
                hint: Some(definition_hint(columns)),
                ..Raised::new("42601", message)
            });
        }
        let wanted = wanted_columns(expected);
        if wanted.len() != columns.len() {
            return Err(Raised {
                hint: Some(definition_hint(columns)),
                ..Raised::new(
                    "42804",
                    format!(
                        "the statement returns {} columns, the column definition list has {}",
                        columns.len(),
                        wanted.len()
                    ),
                )
            });
        }
        let casts = casts(&wanted, columns, column_types)?;
        if casts.iter().all(Option::is_none) {
            place.setResult = store;
            place.setDesc = descriptor;
            return Ok(());
        }
        place.setDesc = pg_sys::CreateTupleDescCopy(expected);
        place.setResult = cast_rows(store, descriptor, place.setDesc, &casts);
    }
    Ok(())
}

struct Wanted {
    name: String,
    oid: pg_sys::Oid,
    modifier: i32,
}

unsafe fn wanted_columns(descriptor: pg_sys::TupleDesc) -> Vec<Wanted> {
    // SAFETY: `natts` attributes follow the header.
    unsafe {
        let count = usize::try_from((*descriptor).natts).unwrap_or(0);
        (*descriptor)
            .attrs
            .as_slice(count)
            .iter()
            .map(|attribute| Wanted {
                name: text_of(attribute.attname.data.as_ptr()),
                oid: attribute.atttypid,
                modifier: attribute.atttypmod,
            })
            .collect()
    }
}

/// A prepared cast; `None` where the value goes as it is.
type Cast = Option<*mut pg_sys::ExprState>;

/// Prepares the casts, as an assignment would make them.
unsafe fn casts(
    wanted: &[Wanted],
    columns: &[ResultColumn],
    column_types: &[ColumnType],
) -> Result<Vec<Cast>, Raised> {
    let mut casts = Vec::with_capacity(wanted.len());
    for (index, ((wanted, column), given)) in
        wanted.iter().zip(columns).zip(column_types).enumerate()
    {
        let keeps_modifier = wanted.modifier == -1 || wanted.modifier == given.modifier;
        if wanted.oid == given.oid && keeps_modifier {
            casts.push(None);
            continue;
        }
        // SAFETY: a node of the server's memory that stands for the value; the coercion gives
        // NULL when there is none.
        let prepared = unsafe {
            let value =
                pg_sys::palloc0(size_of::<pg_sys::CaseTestExpr>()).cast::<pg_sys::CaseTestExpr>();
            (*value).xpr.type_ = pg_sys::NodeTag::T_CaseTestExpr;
            (*value).typeId = given.oid;
            (*value).typeMod = given.modifier;
            (*value).collation = pg_sys::get_typcollation(given.oid);
            let expression = pg_sys::coerce_to_target_type(
                std::ptr::null_mut(),
                value.cast(),
                given.oid,
                wanted.oid,
                wanted.modifier,
                pg_sys::CoercionContext::COERCION_ASSIGNMENT,
                pg_sys::CoercionForm::COERCE_IMPLICIT_CAST,
                -1,
            );
            if expression.is_null() {
                std::ptr::null_mut()
            } else {
                let planned = pg_sys::expression_planner(expression.cast());
                pg_sys::ExecInitExpr(planned, std::ptr::null_mut())
            }
        };
        if prepared.is_null() {
            return Err(Raised {
                hint: Some(definition_hint(columns)),
                ..Raised::new(
                    "42804",
                    format!(
                        "column {} (\"{}\") of the statement is of type {}, not {} as \"{}\" \
                         in the column definition list",
                        index + 1,
                        column.name,
                        column.type_name,
                        guard::type_name(wanted.oid, wanted.modifier),
                        wanted.name
                    ),
                )
            });
        }
        casts.push(Some(prepared));
    }
    Ok(casts)
}

/// Copies the rows into a new store, cast.
unsafe fn cast_rows(
    store: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
    target: pg_sys::TupleDesc,
    casts: &[Cast],
) -> *mut pg_sys::Tuplestorestate {
    // SAFETY: the slot is of the store's kind; its arrays hold one entry per column; the
    // expression context's per-row memory is emptied after each row.
    unsafe {
        let result = pg_sys::tuplestore_begin_heap(true, false, pg_sys::work_mem);
        let slot =
            pg_sys::MakeSingleTupleTableSlot(descriptor, &raw const pg_sys::TTSOpsMinimalTuple);
        let context = pg_sys::CreateStandaloneExprContext();
        let mut values = vec![pg_sys::Datum::from(0_usize); casts.len()];
        let mut nulls = vec![true; casts.len()];
        pg_sys::tuplestore_rescan(store);
        while pg_sys::tuplestore_gettupleslot(store, true, false, slot) {
            pg_sys::slot_getallattrs(slot);
            let cells = values.iter_mut().zip(nulls.iter_mut());
            for (index, (cast, (value, is_null))) in casts.iter().zip(cells).enumerate() {
                *value = *(*slot).tts_values.add(index);
                *is_null = *(*slot).tts_isnull.add(index);
                if let Some(cast) = cast {
                    (*context).caseValue_datum = *value;
                    (*context).caseValue_isNull = *is_null;
                    *value = pg_sys::ExecEvalExprSwitchContext(*cast, context, &raw mut *is_null);
                }
            }
            pg_sys::tuplestore_putvalues(result, target, values.as_mut_ptr(), nulls.as_mut_ptr());
            pg_sys::MemoryContextReset((*context).ecxt_per_tuple_memory);
        }
        pg_sys::FreeExprContext(context, true);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::tuplestore_end(store);
        result
    }
}

/// A store of a single row of the function's declared columns, for one that returns TABLE.
///
/// # Safety
/// As for [`hand_over`]; `values` has a Datum for each declared column.
pub(crate) unsafe fn hand_over_row(
    place: &mut pg_sys::ReturnSetInfo,
    values: &mut [pg_sys::Datum],
) {
    // SAFETY: the descriptor is the function's own, as the executor expects it.
    unsafe {
        let mut nulls = vec![false; values.len()];
        let descriptor = pg_sys::CreateTupleDescCopy(place.expectedDesc);
        let store = pg_sys::tuplestore_begin_heap(true, false, pg_sys::work_mem);
        pg_sys::tuplestore_putvalues(store, descriptor, values.as_mut_ptr(), nulls.as_mut_ptr());
        place.returnMode = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
        place.setResult = store;
        place.setDesc = descriptor;
    }
}

/// The column definition list that fits, to paste.
pub(crate) fn definition_hint(columns: &[ResultColumn]) -> String {
    let definitions: Vec<String> = unique_names(columns)
        .iter()
        .zip(columns)
        .map(|(name, column)| format!("{} {}", quote_identifier(name), column.type_name))
        .collect();
    format!("AS t({})", definitions.join(", "))
}

/// The names of the columns, repeated ones with a number: `name`, `name_2`, `name_3`.
pub(crate) fn unique_names(columns: &[ResultColumn]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let mut name = column.name.clone();
        let mut number: c_int = 2;
        while names.contains(&name)
            || (number > 2 && columns.iter().any(|other| other.name == name))
        {
            name = format!("{}_{number}", column.name);
            number += 1;
        }
        names.push(name);
    }
    names
}
