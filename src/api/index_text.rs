//! `text2sql.index_text(column, title, language)`: text columns that are searched.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::search::documents;
use crate::pg::search::maintenance::wake;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;

/// Has the texts of a column searched.
#[pg_extern(volatile, parallel_unsafe)]
fn index_text(
    column_name: Option<Text<'_>>,
    title: default!(Option<Text<'_>>, "NULL"),
    language: default!(Option<Text<'_>>, "NULL"),
) -> Result<(), ErrorReport> {
    let column_name = column_name.as_deref();
    let title = title.as_deref();
    let language = language.as_deref();
    let is_whole = documents::index_text(column_name, title, language).map_err(report)?;
    if !is_whole {
        wake::at_commit();
        pgrx::notice!(
            "text2sql: the first texts are searched, the others after the next update: CALL text2sql.refresh()"
        );
    }
    Ok(())
}
