//! `text2sql.describe(object, description)` and the other annotations of schemas, tables and columns: meanings
//! of values, synonyms, and the priority of columns.

use pgrx::default;
use pgrx::prelude::*;

use super::array_argument::{elements, elements_if_given};
use crate::pg::Datum;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::{ErrorReport, Raised, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::annotations;

/// Stores the description of a schema, table or column; NULL removes it.
#[pg_extern(volatile, parallel_unsafe)]
fn describe(object: Option<Text<'_>>, description: Option<Text<'_>>) -> Result<(), ErrorReport> {
    let object = object.as_deref();
    let description = description.as_deref();
    annotations::describe(object, description).map_err(report)
}

extension_sql!(
    r#"
CREATE FUNCTION text2sql.describe_values(column_name text, meanings jsonb) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_describe_values';
"#,
    name = "describe_values"
);
entry_point!(
    text2sql_describe_values,
    pg_finfo_text2sql_describe_values,
    describe_values
);

/// Stores the meanings of the values of a column: `{"A": "active"}`; NULL removes them.
fn describe_values(call: &Call) -> Result<Datum, Raised> {
    annotations::describe_values(call.text(0)?.as_deref(), call.json(1)?)?;
    Ok(Datum::from(0_usize))
}

/// Adds synonyms of a table or column.
#[pg_extern(volatile, parallel_unsafe)]
fn add_synonyms(object: Option<Text<'_>>, synonyms: Option<Texts>) -> Result<(), ErrorReport> {
    let object = object.as_deref();
    let synonyms = elements(synonyms, "synonyms")?;
    annotations::add_synonyms(object, synonyms).map_err(report)
}

/// Removes synonyms of a table or column; all of them when none is given.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_synonyms(
    object: Option<Text<'_>>,
    synonyms: default!(Option<Texts>, "NULL"),
) -> Result<(), ErrorReport> {
    let object = object.as_deref();
    let synonyms = elements_if_given(synonyms, "synonyms")?;
    annotations::drop_synonyms(object, synonyms).map_err(report)
}

/// Sets the priority of a column: a prompt that is too long first drops columns of priority `low`. NULL
/// restores the normal priority.
#[pg_extern(volatile, parallel_unsafe)]
fn set_column_priority(
    column_name: Option<Text<'_>>,
    priority: Option<Text<'_>>,
) -> Result<(), ErrorReport> {
    let column_name = column_name.as_deref();
    let priority = priority.as_deref();
    annotations::set_priority(column_name, priority).map_err(report)
}
