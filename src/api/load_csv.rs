//! `text2sql.load_csv(name, text, options)`: a table made of CSV.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_files::Source;

use crate::pg::server::error::ErrorReport;
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::files;

/// Makes a table of CSV and returns its columns: delimiter, quotes, header, decimal separator, dates, NULLs and types
/// are found from the text, unless the options say them. The table is temporary, unless the name has a schema.
#[pg_extern(volatile, parallel_unsafe)]
fn load_csv(
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
    let loaded = files::load(name, text.map(Source::Csv), options.as_ref())?;
    Ok(TableIterator::new(loaded.rows()))
}
