//! Arguments that are documents. They are measured before they are unpacked, and one that is nested too deep is an error of
//! the caller: pgrx's own types unpack anything, and end in an internal error.

use std::ffi::CStr;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, pg_sys};
use serde_json::Value;
use text2sql_domain::error::{Error, failure};

use crate::pg::server::entry::MAX_DOCUMENT_BYTES;
use crate::pg::server::error::report;
use crate::pg::server::spi::encoding::text_of;

/// Defines an argument of a type whose text is read by `$output`.
macro_rules! document {
    ($(#[$meta:meta])* $name:ident, $sql:literal, $output:path) => {
        $(#[$meta])*
        pub(crate) struct $name(pub(crate) Value);

        impl FromDatum for $name {
            unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
                // SAFETY: by contract, a value of the type that the argument is declared as.
                (!is_null).then(|| Self(unsafe { read(datum, $output) }))
            }
        }

        // SAFETY: the type that `from_polymorphic_datum` reads.
        unsafe impl SqlTranslatable for $name {
            const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!($name);
            const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
            const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal($sql));
            const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal($sql)));
        }

        // SAFETY: as pgrx reads its own types.
        unsafe impl<'fcx> ArgAbi<'fcx> for $name {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                // SAFETY: by contract. The function is strict where it takes no `Option`; that of another version of the
                // extension may be called with NULL.
                unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| {
                    let error = failure!(Missing, "the document must not be NULL");
                    Self(refuse(error))
                })
            }

            unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> pgrx::nullable::Nullable<Self> {
                // SAFETY: by contract.
                unsafe { arg.unbox_arg_using_from_datum() }.into()
            }
        }
    };
}

document!(
    /// An argument declared as json.
    JsonArgument,
    "json",
    pg_sys::json_out
);
document!(
    /// An argument declared as jsonb.
    JsonbArgument,
    "jsonb",
    pg_sys::jsonb_out
);

/// # Safety
/// `datum` is of the type whose output function is `output`.
unsafe fn read(
    datum: pg_sys::Datum,
    output: unsafe fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum,
) -> Value {
    // SAFETY: by contract; the text form is NUL-terminated.
    let text = unsafe {
        let bytes = pg_sys::toast_raw_datum_size(datum);
        if bytes > MAX_DOCUMENT_BYTES {
            return refuse(failure!(
                Limit,
                "the document has {bytes} bytes, and at most {MAX_DOCUMENT_BYTES} are read"
            ));
        }
        pgrx::direct_function_call::<&CStr>(output, &[Some(datum)])
            .map(|text| text_of(text.as_ptr()))
    };
    serde_json::from_str(&text.unwrap_or_default())
        .unwrap_or_else(|error| refuse(failure!(Setting, "could not read the document: {error}")))
}

/// Raises the error; does not return.
fn refuse(error: Error) -> Value {
    report(error).report(pgrx::PgLogLevel::ERROR);
    Value::Null
}
