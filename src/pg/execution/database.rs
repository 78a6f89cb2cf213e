//! The database port: every generated statement goes through the guard of this backend.

use std::cell::RefCell;

use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::sql_result::{Execution, ResultColumn};

use crate::pg::execution::execute::{self, Capture, CopyRows};
use crate::pg::execution::inspect::{self, Inspection, Source};
use crate::pg::execution::truncation::Truncation;
use crate::pg::execution::typed_rows::TypedRows;
use crate::pg::guard::{self, StandIn, Verdict};
use crate::pg::settings::{self, GuardPolicy};
use crate::pg::spi::role::{self, EffectiveRole};

/// Runs generated SQL as the effective role, under the policy in force when it was created.
pub(crate) struct GuardedDatabase {
    role: EffectiveRole,
    policy: GuardPolicy,
    keep_rows: bool,
    /// The typed rows of each executed statement, if they are to be kept: the statement whose rows answer the
    /// question may not be the last.
    rows: RefCell<Vec<(String, TypedRows)>>,
}

impl GuardedDatabase {
    /// Determines the effective role and the policy; with `keep_rows`, typed rows are kept as well.
    pub(crate) fn new(keep_rows: bool) -> Result<Self, Error> {
        Ok(Self {
            role: role::effective_role(settings::run_as().as_deref())?,
            policy: settings::guard_policy(),
            keep_rows,
            rows: RefCell::default(),
        })
    }

    /// The effective role.
    pub(crate) fn role(&self) -> &EffectiveRole {
        &self.role
    }

    /// Judges and plans `sql`; returns what is known about it, also when it is refused.
    pub(crate) fn inspect(&self, sql: &str, limits: &Limits) -> Result<Inspection, Error> {
        inspect::inspect(sql, limits, &self.policy, &self.role)
    }

    /// Judges and plans `sql`; returns the columns that it reads, including those behind views.
    pub(crate) fn lineage(
        &self,
        sql: &str,
        limits: &Limits,
    ) -> Result<Outcome<Vec<Source>>, Error> {
        let verdict = inspect::lineage(sql, limits, &self.policy, &self.role)?;
        Ok(verdict.into_outcome(|sources| sources))
    }

    /// Judges `sql` and returns its plan as JSON text; with `is_run`, with the measurements of an execution.
    pub(crate) fn plan_text(
        &self,
        sql: &str,
        is_run: bool,
        limits: &Limits,
    ) -> Result<Outcome<String>, Error> {
        let verdict = inspect::plan_text(sql, is_run, limits, &self.policy, &self.role)?;
        Ok(verdict.into_outcome(|text| text))
    }

    /// Kilobytes that one sort or hash of a guarded statement may use.
    pub(crate) fn work_mem_kb(&self) -> f64 {
        // SAFETY: reads a variable of the process.
        let own = unsafe { pgrx::pg_sys::work_mem };
        f64::from(own.min(self.policy.max_work_mem_kb))
    }

    /// Judges `sql` over the tables that it names and runs it over their copies; `None` when it reads a table
    /// without a copy. With `one_more`, the LIMIT is raised by one row, and the LIMIT is returned too.
    pub(crate) fn run_on_copies(
        &self,
        sql: &str,
        limits: &Limits,
        stand_in: &StandIn<'_>,
        one_more: bool,
    ) -> Result<Outcome<Option<CopyRows>>, Error> {
        let verdict =
            execute::run_on_copies(sql, limits, &self.policy, &self.role, stand_in, one_more)?;
        Ok(verdict.into_outcome(|rows| rows))
    }

    /// The typed rows that this statement returned when it was last run.
    pub(crate) fn into_rows(self, sql: &str) -> Option<TypedRows> {
        let mut all = self.rows.into_inner();
        let place = all.iter().rposition(|(other, _)| other == sql)?;
        Some(all.swap_remove(place).1)
    }
}

impl Database for GuardedDatabase {
    fn run(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error> {
        let capture = if self.keep_rows {
            Capture::CellsAndTuples
        } else {
            Capture::Cells
        };
        let verdict = execute::run(sql, limits, &self.policy, &self.role, capture)?;
        if let Verdict::Passed(rows) = &verdict
            && rows.execution.is_truncated
            && rows.execution.rows.is_empty()
        {
            // An empty result would look like an answer.
            let kilobytes = limits.max_result_bytes / 1024;
            return Err(Error::new(
                ErrorKind::Limit,
                format!("the first row of the result has more than {kilobytes} kB"),
            )
            .with_hint("Run SET text2sql.max_result_size = '64MB', or select fewer columns."));
        }
        Ok(verdict.into_outcome(|rows| {
            let columns = &rows.execution.columns;
            let typed = rows.tuples.map(|tuples| TypedRows {
                tuples,
                columns: columns.clone(),
                column_types: rows.column_types,
                policy: self.policy.clone(),
                truncation: Truncation::of(&rows.execution, limits),
            });
            let kept = typed.map(|typed| (sql.to_owned(), typed));
            self.rows.borrow_mut().extend(kept);
            rows.execution
        }))
    }

    fn functions_like(&self, name: &str) -> Result<Vec<String>, Error> {
        // Equal except for a few letters, or one contained in the other.
        let part = name.get(..4).unwrap_or(name);
        let length = name.len();
        let names = guard::callable_names().filter(|known| {
            known.contains(part) || known.len().abs_diff(length) <= 2 || name.contains(known)
        });
        Ok(names.map(str::to_owned).collect())
    }

    fn varies_by(&self, sql: &str, limits: &Limits) -> Result<Option<String>, Error> {
        let contents = self.inspect(sql, limits)?.contents;
        let functions = contents.map_or_else(Vec::new, |contents| contents.functions);
        let volatile = functions
            .iter()
            .find_map(|function| function.strip_suffix(" volatile"));
        Ok(volatile
            .map(str::to_owned)
            .or_else(|| samples(sql).then(|| "TABLESAMPLE without REPEATABLE".to_owned())))
    }

    fn check(&self, sql: &str, limits: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        let verdict = execute::check(sql, limits, &self.policy, &self.role)?;
        Ok(verdict.into_outcome(|columns| columns))
    }
}

/// Whether the text requests a sample that cannot be repeated; true when uncertain.
fn samples(sql: &str) -> bool {
    let sql = sql.to_lowercase();
    sql.matches("tablesample").count() > sql.matches("repeatable").count()
}
