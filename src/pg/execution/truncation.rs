//! A result that a cap cut, in functions that return bare rows: they have no column that could say so, and
//! whoever counts or sums over such rows gets a wrong number. So it is an error, unless the caller
//! allows the cut with `text2sql.on_truncation`.

use text2sql_domain::config::Limits;
use text2sql_domain::sql_result::Execution;

use crate::pg::error::Raised;
use crate::pg::settings::{self, OnTruncation, Overrides};

/// Which cap cut a result, and after how many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    cap: Cap,
    rows: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cap {
    /// So many rows.
    Rows(usize),
    /// So many kilobytes.
    Kilobytes(usize),
}

impl Cut {
    /// Which of the limits cut the result; `None` where it is whole.
    pub(crate) fn of(execution: &Execution, limits: &Limits) -> Option<Self> {
        let rows = execution.rows.len();
        let cap = match rows >= limits.max_result_rows {
            true => Cap::Rows(limits.max_result_rows),
            false => Cap::Kilobytes(limits.max_result_bytes / 1024),
        };
        execution.is_truncated.then_some(Self { cap, rows })
    }

    /// Refuses the cut, or warns of it where the caller allows it.
    pub(crate) fn judge(self, overrides: &Overrides) -> Result<(), Raised> {
        let (limit, remedy) = self.limit(overrides);
        let rows = match self.rows {
            1 => "the first row".to_owned(),
            rows => format!("the first {rows} rows"),
        };
        match settings::on_truncation(overrides) {
            OnTruncation::Error => Err(Raised {
                detail: Some(format!(
                    "Only {rows} fit within the limit, and they are not handed over without the others."
                )),
                hint: Some(format!(
                    "{remedy}; or, to take the first rows only: SET text2sql.on_truncation = 'warning'"
                )),
                ..Raised::new("54000", format!("the result exceeds {limit}"))
            }),
            OnTruncation::Warning => {
                pgrx::warning!(
                    "only {rows} are handed over, because the result exceeds {limit}: do not count or sum over them"
                );
                Ok(())
            }
        }
    }

    /// The limit with its value, and how to raise it.
    fn limit(self, overrides: &Overrides) -> (String, String) {
        match self.cap {
            Cap::Rows(rows) if overrides.max_result_rows.is_some() => (
                format!("the option \"max_result_rows\": {rows}"),
                format!(
                    "options => '{{\"max_result_rows\": {}}}'",
                    more(rows, 100_000)
                ),
            ),
            Cap::Rows(rows) => (
                format!("text2sql.max_result_rows = {rows}"),
                format!("SET text2sql.max_result_rows = {}", more(rows, 100_000)),
            ),
            Cap::Kilobytes(size) if overrides.max_result_bytes.is_some() => (
                format!("the option \"max_result_size\": \"{size}kB\""),
                format!(
                    "options => '{{\"max_result_size\": \"{}kB\"}}'",
                    more(size, 64 * 1024)
                ),
            ),
            Cap::Kilobytes(size) => (
                format!("text2sql.max_result_size = '{size}kB'"),
                format!(
                    "SET text2sql.max_result_size = '{}kB'",
                    more(size, 64 * 1024)
                ),
            ),
        }
    }
}

/// A limit to try next: one that is enough for nearly everybody, or ten times as much.
fn more(limit: usize, usual: usize) -> usize {
    let next = limit.saturating_mul(10).min(i32::MAX as usize);
    if limit < usual { usual } else { next }
}
