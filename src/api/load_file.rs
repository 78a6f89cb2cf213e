//! `text2sql.load_file(name, text, options)`: a table made of CSV or JSON.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::server::error::ErrorReport;
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::files;

/// Makes a table of CSV, of a JSON array of objects, or of one object a line, and returns its columns: the format,
/// delimiter, quotes, header, decimal separator, dates, NULLs and types are found from the text, unless the options say
/// them. The table is temporary, unless the name has a schema.
#[pg_extern(volatile, parallel_unsafe)]
fn load_file(
    name: Option<Text<'_>>,
    text: Option<FileText<'_>>,
    options: default!(Option<JsonbArgument>, "'{}'"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(table_name, String),
            name!(rows_loaded, i64),
            name!(rows_rejected, i64),
            name!(column_name, String),
            name!(data_type, String),
            name!(original_name, Option<String>),
            name!(note, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let name = name.as_deref();
    let text = text.as_deref();
    let options = options.map(|JsonbArgument(options)| options);
    let loaded = files::load(name, text, options.as_ref())?;
    Ok(TableIterator::new(loaded.rows()))
}
