//! Truncated results in functions that return rows only: they have no column that could say so, and a count or
//! sum over such rows would be wrong. Truncation is therefore an error, unless the caller allows it with
//! `on_truncation`, a key of `text2sql.tuning`.

use text2sql_domain::config::Limits;
use text2sql_domain::sql_result::Execution;

use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, OnTruncation, Overrides};

/// The limit that truncated a result, and the number of rows returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Truncation {
    limit: Limit,
    rows: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// Maximum number of rows.
    Rows(usize),
    /// Maximum number of kilobytes.
    Kilobytes(usize),
}

impl Truncation {
    /// Which of the limits truncated the result; `None` where it is complete.
    pub(crate) fn of(execution: &Execution, limits: &Limits) -> Option<Self> {
        let rows = execution.rows.len();
        let limit = match rows >= limits.max_result_rows {
            true => Limit::Rows(limits.max_result_rows),
            false => Limit::Kilobytes(limits.max_result_bytes / 1024),
        };
        execution.is_truncated.then_some(Self { limit, rows })
    }

    /// Raises an error for truncation, or a warning where the caller allows it.
    pub(crate) fn judge(self, overrides: &Overrides) -> Result<(), Raised> {
        let (limit, remedy) = self.limit(overrides);
        let rows = match self.rows {
            1 => "the first row".to_owned(),
            rows => format!("the first {rows} rows"),
        };
        match settings::on_truncation(overrides) {
            OnTruncation::Error => Err(Raised {
                detail: Some(format!(
                    "Only {rows} fit within the limit, so no rows were returned."
                )),
                hint: Some(format!(
                    "{remedy}; or, to allow truncation: SET text2sql.tuning = '{{\"on_truncation\": \"warning\"}}';"
                )),
                ..Raised::new("54000", format!("the result exceeds {limit}"))
            }),
            OnTruncation::Warning => {
                pgrx::warning!(
                    "result was truncated to {rows} because it exceeds {limit}: do not count or sum over it"
                );
                Ok(())
            }
        }
    }

    /// The limit with its value, and how to raise it.
    fn limit(self, overrides: &Overrides) -> (String, String) {
        match self.limit {
            Limit::Rows(rows) if overrides.max_result_rows.is_some() => (
                format!("the option \"max_result_rows\": {rows}"),
                format!(
                    "options => '{{\"max_result_rows\": {}}}'",
                    more(rows, 100_000)
                ),
            ),
            Limit::Rows(rows) => (
                format!("text2sql.max_result_rows = {rows}"),
                format!("SET text2sql.max_result_rows = {}", more(rows, 100_000)),
            ),
            Limit::Kilobytes(size) if overrides.max_result_bytes.is_some() => (
                format!("the option \"max_result_size\": \"{size}kB\""),
                format!(
                    "options => '{{\"max_result_size\": \"{}kB\"}}'",
                    more(size, 64 * 1024)
                ),
            ),
            Limit::Kilobytes(size) => (
                format!("text2sql.max_result_size = '{size}kB'"),
                format!(
                    "SET text2sql.max_result_size = '{}kB'",
                    more(size, 64 * 1024)
                ),
            ),
        }
    }
}

/// A limit to try next: one that suffices in nearly all cases, or ten times the current one.
fn more(limit: usize, usual: usize) -> usize {
    let next = limit.saturating_mul(10).min(i32::MAX as usize);
    if limit < usual { usual } else { next }
}
