//! Arguments that are arrays. They are measured before they are unpacked: an array of a gigabyte takes several in memory.

use std::ops::Deref;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, pg_sys};

use crate::pg::server::entry::MAX_DOCUMENT_BYTES;
use crate::pg::server::text_argument::measure;

/// Defines an array of elements that are read as `$element`.
macro_rules! array {
    ($(#[$meta:meta])* $name:ident, $sql:literal, $element:ty) => {
        $(#[$meta])*
        pub(crate) struct $name(Vec<Option<$element>>);

        impl Deref for $name {
            type Target = [Option<$element>];

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl IntoIterator for $name {
            type Item = Option<$element>;
            type IntoIter = std::vec::IntoIter<Option<$element>>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl FromDatum for $name {
            unsafe fn from_polymorphic_datum(
                datum: pg_sys::Datum,
                is_null: bool,
                type_oid: pg_sys::Oid,
            ) -> Option<Self> {
                if is_null {
                    return None;
                }
                measure("an array", datum, MAX_DOCUMENT_BYTES);
                // SAFETY: by contract, an array of that type.
                unsafe { Vec::from_polymorphic_datum(datum, is_null, type_oid) }.map(Self)
            }
        }

        // SAFETY: the type that `from_polymorphic_datum` reads.
        unsafe impl SqlTranslatable for $name {
            const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!($name);
            const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
            const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
                Ok(SqlMappingRef::literal($sql));
            const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
                Ok(ReturnsRef::One(SqlMappingRef::literal($sql)));
        }

        // SAFETY: as pgrx reads `Vec<Option<T>>`.
        unsafe impl<'fcx> ArgAbi<'fcx> for $name {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                // SAFETY: by contract; the function is strict where it takes no `Option`.
                unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(Self(Vec::new()))
            }

            unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
                // SAFETY: by contract.
                unsafe { arg.unbox_arg_using_from_datum() }.into()
            }
        }
    };
}

array!(
    /// Texts: names, words, labels, statements.
    Texts,
    "TEXT[]",
    String
);
array!(
    /// Ids of stored rows.
    Ids,
    "bigint[]",
    i64
);
array!(
    /// Scores and shares.
    Figures,
    "double precision[]",
    f64
);
array!(
    /// Whether each was right.
    Flags,
    "bool[]",
    bool
);
