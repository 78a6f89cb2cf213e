//! `text2sql.describe(object, description)` and what else is said about schemas, tables and columns:
//! meanings of values, synonyms, and which columns few questions need.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point};
use crate::pg::error::{ErrorReport, Raised, report};
use crate::pg::teaching::{annotations, decided, elements};

/// Says what a schema, table or column means; NULL takes it back.
#[pg_extern(volatile, parallel_unsafe)]
fn describe(object: Option<&str>, description: Option<&str>) -> Result<(), ErrorReport> {
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

/// Says what the values of a column mean: `{"A": "active"}`; NULL takes it back.
fn describe_values(call: &Call) -> Result<Datum, Raised> {
    annotations::describe_values(call.text(0).as_deref(), call.json(1)?)?;
    Ok(Datum::from(0_usize))
}

/// Adds other words for a table or column.
#[pg_extern(volatile, parallel_unsafe)]
fn add_synonyms(
    object: Option<&str>,
    synonyms: Option<Vec<Option<String>>>,
) -> Result<(), ErrorReport> {
    let synonyms = elements(synonyms);
    annotations::add_synonyms(object, synonyms).map_err(report)
}

/// Takes back other words for a table or column; without words, all of them.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_synonyms(
    object: Option<&str>,
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<(), ErrorReport> {
    let synonyms = synonyms.map(|words| words.into_iter().flatten().collect());
    annotations::drop_synonyms(object, synonyms).map_err(report)
}

/// Says that few questions need a column: a crowded prompt leaves it out first.
#[pg_extern(volatile, parallel_unsafe)]
fn mark_rarely_useful(
    column_name: Option<&str>,
    rarely_useful: default!(Option<bool>, "true"),
) -> Result<(), ErrorReport> {
    let is_marked = decided(rarely_useful, "rarely_useful").map_err(report)?;
    annotations::mark_rarely_useful(column_name, is_marked).map_err(report)
}
