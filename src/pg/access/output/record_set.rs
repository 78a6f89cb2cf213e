//! Rows for a function that returns `SETOF record`: the captured tuples, converted to the types of the caller's
//! column definition list.

use pgrx::pg_sys;
use text2sql_domain::json_rows::unique_names;
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::sql_result::ResultColumn;

use crate::pg::access::execution::columns::ColumnType;
use crate::pg::access::execution::typed_rows::TypedRows;
use crate::pg::access::guard;
use crate::pg::access::objects::type_name;
use crate::pg::server::compat::tuple_descriptor;
use crate::pg::server::entry::Call;
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{GuardPolicy, Overrides};
use crate::pg::server::spi::encoding::text_of;

/// The result of a set-returning call.
pub(crate) struct RecordSet<'a> {
    place: &'a mut pg_sys::ReturnSetInfo,
}

impl Call {
    /// The result to fill, or why there is none.
    pub(crate) fn record_set(&self) -> Result<RecordSet<'_>, Raised> {
        // SAFETY: the node's tag says what it is; PostgreSQL keeps it for the call.
        let place = unsafe {
            (*self.arguments)
                .resultinfo
                .cast::<pg_sys::ReturnSetInfo>()
                .as_mut()
        };
        let materialize = pg_sys::SetFunctionReturnMode::SFRM_Materialize.cast_signed();
        match place {
            Some(place)
                if place.type_ == pg_sys::NodeTag::T_ReturnSetInfo
                    && place.allowedModes & materialize != 0 =>
            {
                Ok(RecordSet { place })
            }
            _ => {
                let message = "set-valued function called in context that cannot accept a set";
                Err(Raised::new("0A000", message))
            }
        }
    }
}

impl RecordSet<'_> {
    /// Runs `work` in the memory context of the calling query: tuples to be returned are captured there.
    pub(crate) fn in_query_memory<T>(&self, work: impl FnOnce() -> T) -> T {
        // SAFETY: the context outlives the function's call. An ERROR leaves it switched, and the code that
        // catches the ERROR restores its own context.
        unsafe {
            let memory = (*self.place.econtext).ecxt_per_query_memory;
            let before = pg_sys::MemoryContextSwitchTo(memory);
            let outcome = work();
            pg_sys::MemoryContextSwitchTo(before);
            outcome
        }
    }

    /// Returns rows in the types of the caller's column definition list. The rows were captured
    /// [`RecordSet::in_query_memory`].
    pub(crate) fn hand_over(
        self,
        rows: TypedRows,
        overrides: &Overrides,
    ) -> Result<pg_sys::Datum, Raised> {
        let rows = rows.checked(overrides)?;
        // SAFETY: the executor's memory for this query is valid during the call.
        unsafe {
            let memory = (*self.place.econtext).ecxt_per_query_memory;
            let before = pg_sys::MemoryContextSwitchTo(memory);
            let outcome = hand_over(self.place, rows);
            pg_sys::MemoryContextSwitchTo(before);
            outcome?;
        }
        Ok(pg_sys::Datum::from(0_usize))
    }

    /// Returns one row of the columns that the function declares.
    pub(crate) fn hand_over_row(
        self,
        values: &[Option<pg_sys::Datum>],
    ) -> Result<pg_sys::Datum, Raised> {
        self.hand_over_rows([values])
    }

    /// Returns rows of the columns that the function declares.
    pub(crate) fn hand_over_rows(
        self,
        rows: impl IntoIterator<Item = impl AsRef<[Option<pg_sys::Datum>]>>,
    ) -> Result<pg_sys::Datum, Raised> {
        // SAFETY: the descriptor is the function's own, as the executor expects it, or NULL; each row is
        // as wide as it.
        unsafe {
            let Some(declared) = self.place.expectedDesc.as_ref() else {
                return Err(other_definition());
            };
            let width = usize::try_from(declared.natts).unwrap_or(0);
            let memory = (*self.place.econtext).ecxt_per_query_memory;
            let before = pg_sys::MemoryContextSwitchTo(memory);
            let descriptor = pg_sys::CreateTupleDescCopy(self.place.expectedDesc);
            let store = pg_sys::tuplestore_begin_heap(true, false, pg_sys::work_mem);
            for row in rows {
                let row = row.as_ref();
                if row.len() != width {
                    return Err(other_definition());
                }
                let mut nulls: Vec<bool> = row.iter().map(Option::is_none).collect();
                let mut values: Vec<pg_sys::Datum> = row
                    .iter()
                    .map(|value| value.unwrap_or(pg_sys::Datum::from(0_usize)))
                    .collect();
                pg_sys::tuplestore_putvalues(
                    store,
                    descriptor,
                    values.as_mut_ptr(),
                    nulls.as_mut_ptr(),
                );
            }
            self.place.returnMode = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
            self.place.setResult = store;
            self.place.setDesc = descriptor;
            pg_sys::MemoryContextSwitchTo(before);
        }
        Ok(pg_sys::Datum::from(0_usize))
    }
}

/// A newer library was installed while the database still has the functions of another version: the server
/// would read past the end of a row.
fn other_definition() -> Raised {
    Raised {
        hint: Some("ALTER EXTENSION pg_text2sql UPDATE".to_owned()),
        ..Raised::new(
            "55000",
            "this function was defined by another version of pg_text2sql than the installed library",
        )
    }
}

/// # Safety
/// `tuples` live in the query's memory, which is current.
unsafe fn hand_over(place: &mut pg_sys::ReturnSetInfo, rows: TypedRows) -> Result<(), Raised> {
    let TypedRows {
        tuples,
        columns,
        column_types,
        policy,
        ..
    } = rows;
    let columns = columns.as_slice();
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
        let casts = casts(&wanted, columns, &column_types, &policy)?;
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
    // SAFETY: a valid descriptor.
    unsafe {
        tuple_descriptor::attributes(descriptor)
            .iter()
            .map(|attribute| Wanted {
                name: text_of(attribute.attname.data.as_ptr()),
                oid: attribute.atttypid,
                modifier: attribute.atttypmod,
            })
            .collect()
    }
}

/// A prepared cast; `None` where the value needs no conversion.
type Cast = Option<*mut pg_sys::ExprState>;

/// Prepares the casts, as an assignment would.
unsafe fn casts(
    wanted: &[Wanted],
    columns: &[ResultColumn],
    column_types: &[ColumnType],
    policy: &GuardPolicy,
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
        let may_convert = guard::may_convert(given.oid, wanted.oid, wanted.modifier, policy);
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
            if !may_convert || expression.is_null() {
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
                        type_name(wanted.oid, wanted.modifier),
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
            pgrx::check_for_interrupts!();
        }
        pg_sys::FreeExprContext(context, true);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::tuplestore_end(store);
        result
    }
}

/// The matching column definition list, to paste.
pub(crate) fn definition_hint(columns: &[ResultColumn]) -> String {
    let definitions: Vec<String> = unique_names(columns)
        .iter()
        .zip(columns)
        .map(|(name, column)| format!("{} {}", quote_identifier(name), column.type_name))
        .collect();
    format!("AS t({})", definitions.join(", "))
}
