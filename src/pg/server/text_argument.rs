//! Arguments that are texts. They are measured before they are unpacked: what a function does with a text may take longer
//! than linear time, and a text of a gigabyte takes a few kilobytes where it is stored.

use std::ops::Deref;
use text2sql_domain::error::failure;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, pg_sys};

use crate::pg::server::entry::MAX_TEXT_BYTES;
use crate::pg::server::error::report;

/// Maximum size of the content of a file, which is read line by line.
const MAX_FILE_BYTES: usize = 256 << 20;

/// Defines a text of at most `$most` bytes.
macro_rules! text {
    ($(#[$meta:meta])* $name:ident, $most:expr) => {
        $(#[$meta])*
        pub(crate) struct $name<'a>(&'a str);

        impl Deref for $name<'_> {
            type Target = str;

            fn deref(&self) -> &str {
                self.0
            }
        }

        impl FromDatum for $name<'_> {
            unsafe fn from_polymorphic_datum(
                datum: pg_sys::Datum,
                is_null: bool,
                type_oid: pg_sys::Oid,
            ) -> Option<Self> {
                if is_null {
                    return None;
                }
                measure("a text", datum, $most);
                // SAFETY: by contract, a text.
                unsafe { <&str>::from_polymorphic_datum(datum, is_null, type_oid) }.map(Self)
            }
        }

        // SAFETY: the type that `from_polymorphic_datum` reads.
        unsafe impl SqlTranslatable for $name<'_> {
            const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!($name);
            const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
            const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
                Ok(SqlMappingRef::literal("TEXT"));
            const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
                Ok(ReturnsRef::One(SqlMappingRef::literal("TEXT")));
        }

        // SAFETY: as pgrx reads `&str`.
        unsafe impl<'fcx> ArgAbi<'fcx> for $name<'fcx> {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                // SAFETY: by contract; the function is strict where it takes no `Option`.
                unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(Self(""))
            }

            unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
                // SAFETY: by contract.
                unsafe { arg.unbox_arg_using_from_datum() }.into()
            }
        }
    };
}

text!(
    /// A text: a question, a statement, a name, a meaning.
    Text,
    MAX_TEXT_BYTES
);
text!(
    /// The content of a file.
    FileText,
    MAX_FILE_BYTES
);

/// Raises an error where a value has more than that many bytes. `what` it is, with its article.
pub(super) fn measure(what: &str, datum: pg_sys::Datum, most: usize) {
    // SAFETY: the argument is declared with a type of variable length; nothing is unpacked to measure it.
    let bytes = unsafe { pg_sys::toast_raw_datum_size(datum) };
    if bytes > most {
        report(failure!(
            Limit,
            "{what} has {bytes} bytes, and at most {most} are read"
        ))
        .report(pgrx::PgLogLevel::ERROR);
    }
}
