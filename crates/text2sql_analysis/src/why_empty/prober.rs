//! Runs a limited number of queries on the data.

use crate::findings::{Effort, ValueProbe};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_language::edit_distance::nearest;

/// Runs yes-or-no queries through the guard.
pub(super) struct Prober<'d> {
    database: &'d dyn Database,
    limits: Limits,
    left: usize,
}

impl<'d> Prober<'d> {
    pub(super) fn new(database: &'d dyn Database, effort: &Effort) -> Self {
        Self {
            database,
            limits: effort.limits.clone(),
            left: effort.statements,
        }
    }

    /// Whether a query returns a row; `None` if it could not run.
    pub(super) fn has_rows(&mut self, sql: &str) -> Result<Option<bool>, Error> {
        let mut limits = self.limits.clone();
        limits.max_result_rows = 1;
        Ok(self.run(sql, &limits)?.map(|rows| !rows.is_empty()))
    }

    /// For a value that does not occur: the most similar values. `None` if it occurs.
    pub(super) fn near(&mut self, value: &ValueProbe) -> Result<Option<Vec<String>>, Error> {
        let ValueProbe {
            table,
            column,
            literal,
            ..
        } = value;
        let operator = value.pattern.unwrap_or("=");
        let exists = format!("SELECT 1 FROM {table} WHERE {column} {operator} {literal}");
        if self.has_rows(&exists)? != Some(false) {
            return Ok(None);
        }
        if !value.is_text {
            return Ok(Some(Vec::new()));
        }
        let limits = self.limits.clone();
        let sql = format!(
            "SELECT DISTINCT {column}::text FROM {table} WHERE {column} IS NOT NULL LIMIT {}",
            limits.max_result_rows
        );
        let known = self.run(&sql, &limits)?.unwrap_or_default();
        Ok(Some(nearest(value.text.trim_matches('%'), &known)))
    }

    /// The first value of a query that returns one row; `None` if it is NULL or the query could not run.
    pub(super) fn value(&mut self, sql: &str) -> Result<Option<String>, Error> {
        let mut limits = self.limits.clone();
        limits.max_result_rows = 1;
        let rows = self.run(sql, &limits)?.unwrap_or_default();
        Ok(rows.into_iter().next().filter(|value| !value.is_empty()))
    }

    /// The first column of the rows.
    fn run(&mut self, sql: &str, limits: &Limits) -> Result<Option<Vec<String>>, Error> {
        let Some(rest) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = rest;
        Ok(match self.database.run(sql, limits)? {
            Outcome::Passed(execution) => Some(
                execution
                    .rows
                    .into_iter()
                    .map(|row| {
                        let first = row.into_iter().next();
                        first.and_then(|cell| cell.text).unwrap_or_default()
                    })
                    .collect(),
            ),
            Outcome::Rejected(_) | Outcome::Failed(_) => None,
        })
    }
}
