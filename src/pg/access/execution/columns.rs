//! The columns of a result: their names and types.

use pgrx::pg_sys;
use text2sql_domain::sql_result::ResultColumn;

use crate::pg::access::objects::type_name;
use crate::pg::server::compat::tuple_descriptor;
use crate::pg::server::spi::encoding::text_of;

/// The type of a result's column, for the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnType {
    /// OID in `pg_type`.
    pub(crate) oid: pg_sys::Oid,
    /// Modifier, -1 for none.
    pub(crate) modifier: i32,
}

/// Names and types of a row descriptor's columns.
///
/// # Safety
/// `descriptor` is valid.
pub(crate) unsafe fn columns_of(
    descriptor: pg_sys::TupleDesc,
) -> (Vec<ResultColumn>, Vec<ColumnType>) {
    // SAFETY: by contract; names are NUL-terminated.
    unsafe {
        tuple_descriptor::attributes(descriptor)
            .iter()
            .map(|attribute| {
                let column = ResultColumn {
                    name: text_of(attribute.attname.data.as_ptr()),
                    type_name: type_name(attribute.atttypid, attribute.atttypmod),
                };
                let column_type = ColumnType {
                    oid: attribute.atttypid,
                    modifier: attribute.atttypmod,
                };
                (column, column_type)
            })
            .unzip()
    }
}
