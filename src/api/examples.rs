//! `text2sql.add_example(question, sql)`, `check_examples(…)` and `verify_examples(…)`. One is verified by
//! `accept('example', id)`.

use pgrx::default;
use pgrx::prelude::*;

use super::array_argument::elements_if_given;
use crate::pg::server::array_argument::Ids;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::intent::Checked;
use crate::pg::stored::teaching::{examples, intent, verification};

/// Adds a question with the SQL that answers it, after the guard has accepted the SQL; returns the id. The
/// example is used once it has been verified.
#[pg_extern(volatile, parallel_unsafe)]
fn add_example(question: Option<Text<'_>>, sql: Option<Text<'_>>) -> Result<i64, ErrorReport> {
    let question = question.as_deref();
    let sql = sql.as_deref();
    examples::add(question, sql).map_err(report)
}

/// Verifies the examples of a source, or those with these ids, whose SQL is valid and which a model found to answer their
/// question; returns what became of each.
#[pg_extern(volatile, parallel_unsafe)]
fn verify_examples(
    source: default!(Option<Text<'_>>, "NULL"),
    ids: default!(Option<Ids>, "NULL"),
    needs_opinion: default!(Option<bool>, "true"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i64),
            name!(question, String),
            name!(outcome, String),
            name!(reason, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let source = source.as_deref();
    let ids = elements_if_given(ids, "ids")?;
    let needs_opinion = needs_opinion.unwrap_or(true);
    let verified = verification::verify_many(source, ids, needs_opinion).map_err(report)?;
    Ok(TableIterator::new(verified.into_iter().map(|example| {
        let outcome = example.outcome.to_owned();
        (example.id, example.question, outcome, example.reason)
    })))
}

/// Asks the model whether the SQL of examples answers their questions, and stores the verdicts: of those with these ids,
/// or of at most `max_examples` that it has not checked yet, of all or of one source.
#[pg_extern(volatile, parallel_unsafe, name = "check_examples")]
fn check_stored_examples(
    max_examples: default!(Option<i32>, "20"),
    source: default!(Option<Text<'_>>, "NULL"),
    ids: default!(Option<Ids>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i64),
            name!(question, String),
            name!(intent, String),
            name!(reason, String),
        ),
    >,
    ErrorReport,
> {
    let source = source.as_deref();
    let checked = match elements_if_given(ids, "ids")? {
        Some(ids) => intent::check_these(&ids),
        None => intent::unchecked(max_examples.unwrap_or(20), source)
            .and_then(|ids| intent::check(&ids)),
    };
    let checked = checked.map_err(report)?;
    Ok(TableIterator::new(checked.into_iter().map(opinion)))
}

fn opinion(checked: Checked) -> (i64, String, String, String) {
    let verdict = checked.verdict;
    (
        checked.id,
        checked.question,
        verdict.intent.to_owned(),
        verdict.reason,
    )
}

/// Why SQL cannot be used now, for the view `examples`; NULL when it can. STABLE, so that a query that does not
/// read the column skips the check.
#[pg_extern(stable, parallel_unsafe, name = "_problem_of_sql")]
fn problem_of_sql(sql: Text<'_>) -> Result<Option<String>, ErrorReport> {
    let sql = &*sql;
    examples::problem_of(sql).map_err(report)
}
