//! Types as statements of the loader write them, whatever the search path is.

use text2sql_files::Column;

/// The type of a column.
pub(super) fn in_statement(column: &Column) -> String {
    match column.type_name.as_str() {
        name if column.is_said => name.to_owned(),
        name @ ("text" | "date" | "uuid" | "jsonb" | "timestamptz") => format!("pg_catalog.{name}"),
        keyword => keyword.to_owned(),
    }
}
