//! `text2sql.add_example(question, sql)` and `check_examples(…)`. One is verified by `accept('example', id)`.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

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

/// Asks the model whether the SQL of examples answers their questions, and stores the verdicts: of those with these ids,
/// or of at most `max_examples` that it has not checked yet, of all or of one source. Then verifies those that are sound,
/// if that is wanted.
#[pg_extern(volatile, parallel_unsafe, name = "check_examples")]
fn check_stored_examples(
    max_examples: default!(Option<i32>, "20"),
    source: default!(Option<Text<'_>>, "NULL"),
    ids: default!(Option<Ids>, "NULL"),
    verify: default!(Option<bool>, "false"),
    needs_opinion: default!(Option<bool>, "true"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i64),
            name!(question, String),
            name!(intent, Option<String>),
            name!(reason, Option<String>),
            name!(outcome, String),
        ),
    >,
    ErrorReport,
> {
    let source = source.as_deref();
    let ids = elements_if_given(ids, "ids")?;
    let (verify, needs_opinion) = (verify.unwrap_or(false), needs_opinion.unwrap_or(true));
    let check = || -> Result<Vec<_>, Error> {
        if !verify && !needs_opinion {
            let problem = "needs_opinion is for verify => true";
            return Err(Error::new(ErrorKind::Setting, problem).with_hint(
                "SELECT * FROM text2sql.check_examples(source => 'questions.jsonl', verify => true, needs_opinion => false);",
            ));
        }
        let checked = match (&ids, max_examples.unwrap_or(20)) {
            (_, ..=0) => Vec::new(),
            _ if !needs_opinion => Vec::new(),
            (Some(ids), _) => intent::check_these(ids)?,
            (None, most) => intent::check(&intent::unchecked(most, source)?)?,
        };
        match verify {
            true => Ok(verification::verify_many(source, ids, needs_opinion)?
                .into_iter()
                .map(|example| {
                    let outcome = example.outcome.to_owned();
                    (
                        example.id,
                        example.question,
                        example.intent,
                        example.reason,
                        outcome,
                    )
                })
                .collect()),
            false => Ok(checked.into_iter().map(opinion).collect()),
        }
    };
    check().map(TableIterator::new).map_err(report)
}

fn opinion(checked: Checked) -> (i64, String, Option<String>, Option<String>, String) {
    let verdict = checked.verdict;
    (
        checked.id,
        checked.question,
        Some(verdict.intent.to_owned()),
        Some(verdict.reason),
        "checked".to_owned(),
    )
}

/// Why SQL cannot be used now, for the view `examples`; NULL when it can. STABLE, so that a query that does not
/// read the column skips the check.
#[pg_extern(stable, parallel_unsafe, name = "_problem_of_sql")]
fn problem_of_sql(sql: Text<'_>) -> Result<Option<String>, ErrorReport> {
    let sql = &*sql;
    examples::problem_of(sql).map_err(report)
}
