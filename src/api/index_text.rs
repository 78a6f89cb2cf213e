//! `text2sql.index_text(column, title, language)` and `drop_text_index(column)`: text columns that are searched.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::documents;
use crate::pg::error::{ErrorReport, report};
use crate::pg::maintenance::wake;

/// Has the texts of a column searched.
#[pg_extern(volatile, parallel_unsafe)]
fn index_text(
    column_name: Option<&str>,
    title: default!(Option<&str>, "NULL"),
    language: default!(Option<&str>, "NULL"),
) -> Result<(), ErrorReport> {
    let is_whole = documents::index_text(column_name, title, language).map_err(report)?;
    if !is_whole {
        wake::at_commit();
        pgrx::notice!(
            "text2sql: the first texts are searched, the others after the next update: CALL text2sql.refresh()"
        );
    }
    Ok(())
}

/// Stops searching the texts of a column.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_text_index(column_name: Option<&str>) -> Result<(), ErrorReport> {
    documents::drop_text_index(column_name).map_err(report)
}
