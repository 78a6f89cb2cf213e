//! `text2sql.suggest(kind, objects, at_most)`: descriptions by a model, joins from statements, and columns whose frequent
//! values may be shown. Nothing is used before somebody runs the statement of a row.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use super::array_argument::elements;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::joins::Suggested;
use crate::pg::stored::teaching::suggestions::{self, Open};
use crate::pg::stored::teaching::{samples, suggested_joins, unknown_kind};

type Suggestion = (Option<i64>, String, String, String, Option<String>, String);

/// Suggests what could be taught, with the statement that accepts it.
#[pg_extern(volatile, parallel_unsafe, name = "suggest")]
fn suggest_lessons(
    kind: Option<Text<'_>>,
    objects: default!(Option<Texts>, "NULL"),
    at_most: default!(Option<i32>, "100"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, Option<i64>),
            name!(kind, String),
            name!(object, String),
            name!(suggestion, String),
            name!(reason, Option<String>),
            name!(statement, String),
        ),
    >,
    ErrorReport,
> {
    let objects = elements(objects, "objects")?;
    let suggested = suggest(kind.as_deref(), &objects, at_most.unwrap_or(100)).map_err(report)?;
    Ok(TableIterator::new(suggested))
}

fn suggest(kind: Option<&str>, objects: &[String], at_most: i32) -> Result<Vec<Suggestion>, Error> {
    match kind {
        Some("descriptions") => {
            let made = suggestions::suggest(objects)?;
            Ok(made.into_iter().map(description).collect())
        }
        Some("joins") if objects.is_empty() => {
            let found = suggested_joins::suggest(at_most)?;
            Ok(found.into_iter().map(join).collect())
        }
        Some("joins") => Err(
            Error::new(ErrorKind::Setting, "joins are suggested for all tables")
                .with_hint("SELECT * FROM text2sql.suggest('joins');"),
        ),
        Some("samples") => {
            let found = samples::suggest(objects)?;
            Ok(found
                .into_iter()
                .map(|one| {
                    let reason = Some(one.reason);
                    (
                        None,
                        "sample".to_owned(),
                        one.object,
                        one.shows,
                        reason,
                        one.statement,
                    )
                })
                .collect())
        }
        kind => Err(
            unknown_kind(kind, &["descriptions", "joins", "samples"]).with_hint(
                "For example: SELECT * FROM text2sql.suggest('descriptions', '{shop.orders}');",
            ),
        ),
    }
}

/// A description, or a definition with its SQL.
fn description(open: Open) -> Suggestion {
    let suggestion = match (open.term, open.sql_expression) {
        (None, _) => open.suggestion,
        (Some(term), None) => format!("{term}: {}", open.suggestion),
        (Some(term), Some(sql)) => format!("{term}: {} = {sql}", open.suggestion),
    };
    let accepts = format!("SELECT text2sql.accept('suggestion', {});", open.id);
    (
        Some(open.id),
        open.kind,
        open.object,
        suggestion,
        None,
        accepts,
    )
}

fn join(found: Suggested) -> Suggestion {
    let accepts = format!("SELECT text2sql.accept('join', {});", found.id);
    let (columns, targets) = (found.columns.join(", "), found.target_columns.join(", "));
    (
        Some(found.id),
        "join".to_owned(),
        columns,
        targets,
        found.evidence,
        accepts,
    )
}
