//! The steps of a lesson with the first rows of each.

use text2sql_analysis::lesson::{LessonStep, lesson};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::json_rows::rows_json;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::sql_result::Execution;
use text2sql_phrases::translated;

use crate::pg::server::error::Raised;
use crate::pg::server::settings::Overrides;
use crate::statement::submitted_sql::SubmittedSql;

/// Number of rows that a step shows.
const FIRST_ROWS: u64 = 5;

/// A step with its rows.
pub(crate) struct TaughtStep {
    /// The step.
    pub(crate) step: LessonStep,
    /// Its first rows as JSON.
    pub(crate) first_rows: Option<String>,
    /// How many rows it has, where they could be counted.
    pub(crate) row_count: Option<i64>,
    /// Why there are no rows to see.
    pub(crate) note: Option<String>,
}

/// Teaches a query, in the language that holds now.
pub(crate) fn teach(sql: String) -> Result<Vec<TaughtStep>, Raised> {
    let given = SubmittedSql::allowed(sql, &Overrides::default())?;
    let steps = lesson(&given.sql, &given.tables)?;
    let mut taught = Vec::with_capacity(steps.len());
    for step in steps {
        taught.push(with_rows(&given, step)?);
    }
    Ok(taught)
}

fn with_rows(given: &SubmittedSql, step: LessonStep) -> Result<TaughtStep, Error> {
    let mut few = given.limits.clone();
    few.max_result_rows = FIRST_ROWS.try_into().unwrap_or(few.max_result_rows);
    let (first_rows, row_count, note) = match run(given, &step.sql, &few)? {
        Ok(execution) => {
            let count = match execution.is_truncated {
                true => counted(given, &step.sql)?,
                false => i64::try_from(execution.rows.len()).ok(),
            };
            let rows = rows_json(&execution.columns, &execution.rows);
            (Some(rows), count, None)
        }
        Err(note) => (None, None, Some(note)),
    };
    Ok(TaughtStep {
        step,
        first_rows,
        row_count,
        note,
    })
}

/// Runs a query; why it did not run is no error of the lesson: the step before may be too large to be run alone.
fn run(
    given: &SubmittedSql,
    sql: &str,
    limits: &text2sql_domain::config::Limits,
) -> Result<Result<Execution, String>, Error> {
    match given.database.run(sql, limits) {
        Ok(Outcome::Passed(execution)) => Ok(Ok(execution)),
        Ok(Outcome::Rejected(rejection)) => Ok(Err(translated(&rejection.reason))),
        Ok(Outcome::Failed(error)) => Ok(Err(error.message)),
        Err(error) if error.kind() == ErrorKind::Limit => Ok(Err(error.message().to_owned())),
        Err(error) => Err(error),
    }
}

/// The number of rows of a query, if it can be counted within the limits.
fn counted(given: &SubmittedSql, sql: &str) -> Result<Option<i64>, Error> {
    let sql = format!("SELECT count(*) FROM ({sql}) AS step");
    let Ok(execution) = run(given, &sql, &given.limits)? else {
        return Ok(None);
    };
    let cell = execution.rows.first().and_then(|row| row.first());
    Ok(cell.and_then(|cell| cell.text.as_ref()?.parse().ok()))
}
