//! The database port: every generated statement goes through the guard of this backend.

use std::cell::RefCell;
use std::collections::BTreeSet;

use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::sql_result::{Execution, ResultColumn};

use crate::pg::access::execution::columns::ColumnType;
use crate::pg::access::execution::execute::{self, Capture, Checked, CopyRows};
use crate::pg::access::execution::inspect::{self, Contents, Inspection};
use crate::pg::access::execution::replica_rows;
use crate::pg::access::execution::row_capture::CapturedTuples;
use crate::pg::access::execution::truncation::Truncation;
use crate::pg::access::execution::typed_rows::TypedRows;
use crate::pg::access::guard::{self, StandIn, Verdict};
use crate::pg::access::objects::references::{References, WHOLE_TABLE};
use crate::pg::access::query_tree::reads::quoted_name;
use crate::pg::access::replica::{self, Replica};
use crate::pg::server::session::clock;
use crate::pg::server::settings::{self, GuardPolicy};
use crate::pg::server::spi;
use crate::pg::server::spi::role::{self, EffectiveRole, with_role};

/// What the names of an example meant to who verified it.
const MEANING: &str = "SELECT e.catalog, e.object_names, e.object_oids, e.column_numbers, e.behind_names, e.behind_oids
     FROM text2sql._examples e WHERE e.id = $1";

/// Runs generated SQL as the effective role, under the policy in force when it was created.
pub(crate) struct GuardedDatabase {
    role: EffectiveRole,
    policy: GuardPolicy,
    keep_rows: bool,
    /// The replica on which statements run, if not here.
    run_on: Option<String>,
    /// The typed rows of each executed statement, if they are to be kept: the statement whose rows answer the
    /// question may not be the last.
    rows: RefCell<Vec<(String, TypedRows)>>,
}

impl GuardedDatabase {
    /// Determines the effective role and the policy.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self {
            role: role::effective_role(settings::run_as().as_deref())?,
            policy: settings::guard_policy(),
            keep_rows: false,
            run_on: settings::run_on(),
            rows: RefCell::default(),
        })
    }

    /// The same, and keeps typed rows as well.
    pub(crate) fn keeping_rows() -> Result<Self, Error> {
        Ok(Self {
            keep_rows: true,
            ..Self::new()?
        })
    }

    /// The same for statements that another server has sent: they run here.
    pub(crate) fn of_replica() -> Result<Self, Error> {
        Ok(Self {
            run_on: None,
            ..Self::new()?
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

    /// The relations that a statement which may run reads, those behind views included, by OID, sorted; `None` for any
    /// other statement.
    pub(crate) fn relations_read(
        &self,
        sql: &str,
        limits: &Limits,
    ) -> Result<Option<Vec<u32>>, Error> {
        let contents = self.contents_of(sql, limits)?;
        Ok(contents.map(|contents| contents.all_relation_oids))
    }

    /// The relations behind the views that a statement names, with their names; none of one that may not run.
    pub(crate) fn behind_views(
        &self,
        sql: &str,
        limits: &Limits,
    ) -> Result<Vec<(u32, String)>, Error> {
        let Some(contents) = self.contents_of(sql, limits)? else {
            return Ok(Vec::new());
        };
        let behind = contents.all_relation_oids.iter().copied();
        let behind = behind.filter(|oid| !contents.relation_oids.contains(oid));
        Ok(behind.map(|oid| (oid, quoted_name(oid.into()))).collect())
    }

    /// What a statement contains, if it may run.
    fn contents_of(&self, sql: &str, limits: &Limits) -> Result<Option<Contents>, Error> {
        let inspection = self.inspect(sql, limits)?;
        let may_run = matches!(inspection.outcome, Outcome::Passed(()));
        Ok(inspection.contents.filter(|_| may_run))
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

    /// The types of the parameters `$n` of a query, as SQL writes them.
    pub(crate) fn parameter_types(
        &self,
        sql: &str,
        limits: &Limits,
    ) -> Result<Outcome<Vec<String>>, Error> {
        let verdict = inspect::parameter_types(sql, limits, &self.policy, &self.role)?;
        Ok(verdict.into_outcome(|types| types))
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

impl GuardedDatabase {
    fn run_here(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error> {
        let capture = if self.keep_rows {
            Capture::CellsAndTuples
        } else {
            Capture::Cells
        };
        let verdict = execute::run(sql, limits, &self.policy, &self.role, capture)?;
        Ok(verdict.into_outcome(|rows| {
            if let Some(tuples) = rows.tuples {
                self.keep(sql, tuples, &rows.execution, rows.column_types, limits);
            }
            rows.execution
        }))
    }

    /// Judges the statement here, and has the replica judge it again and run it. This server knows of a change of
    /// protection or privileges before the replica does.
    fn run_there(
        &self,
        replica: &str,
        sql: &str,
        limits: &Limits,
    ) -> Result<Outcome<Execution>, Error> {
        let checked = match execute::check(sql, limits, &self.policy, &self.role)? {
            Verdict::Passed(checked) => checked,
            refused => return Ok(refused.into_outcome(|_| Execution::default())),
        };
        let replica = replica::find(replica)?;
        match self.result_of(&replica, sql, limits, checked) {
            Err(error) if error.kind() == ErrorKind::Replica && replica.falls_back => {
                let outcome = self.run_here(sql, limits)?;
                Ok(outcome.map(|mut execution| {
                    let note = format!("the query ran on this server: {}", error.message());
                    execution.notes.push(note);
                    execution
                }))
            }
            outcome => outcome,
        }
    }

    fn result_of(
        &self,
        replica: &Replica,
        sql: &str,
        limits: &Limits,
        checked: Checked,
    ) -> Result<Outcome<Execution>, Error> {
        let outcome = replica::run(replica, &self.role.name(), sql, limits)?;
        let Outcome::Passed(mut execution) = outcome else {
            return Ok(outcome);
        };
        if execution.columns != checked.columns {
            return Err(replica::failed(
                replica,
                "its tables have other columns than those of this database",
            ));
        }
        execution.is_private |= checked.is_private;
        if self.keep_rows {
            let types = &checked.column_types;
            match replica_rows::tuples_of(&execution, types, limits, &self.policy, &self.role)? {
                Verdict::Passed(tuples) => {
                    self.keep(sql, tuples, &execution, checked.column_types, limits);
                }
                refused => return Ok(refused.into_outcome(|_| Execution::default())),
            }
        }
        Ok(Outcome::Passed(execution))
    }

    /// Keeps the typed rows of a statement.
    fn keep(
        &self,
        sql: &str,
        tuples: CapturedTuples,
        execution: &Execution,
        column_types: Vec<ColumnType>,
        limits: &Limits,
    ) {
        let typed = TypedRows {
            tuples,
            columns: execution.columns.clone(),
            column_types,
            policy: self.policy.clone(),
            truncation: Truncation::of(execution, limits),
        };
        self.rows.borrow_mut().push((sql.to_owned(), typed));
    }
}

impl Database for GuardedDatabase {
    fn relations_of(&self, sql: &str, limits: &Limits) -> Result<Vec<u32>, Error> {
        Ok(self.relations_read(sql, limits)?.unwrap_or_default())
    }

    fn means_as_verified(&self, example: u32, sql: &str, limits: &Limits) -> Result<bool, Error> {
        let verified = with_role(&self.role, || {
            spi::read_rows(MEANING, &[i64::from(example).into()], 1, |row| {
                let named = References {
                    catalog: row.read(1)?.unwrap_or_default(),
                    names: row.read(2)?.unwrap_or_default(),
                    oids: row.read(3)?.unwrap_or_default(),
                    column_numbers: row.read(4)?.unwrap_or_default(),
                };
                let behind = row.read::<Vec<String>>(5)?;
                let behind = behind.map(|names| row.read(6).map(|oids| (names, oids)));
                let behind = behind.transpose()?.map(|(names, oids)| References {
                    catalog: named.catalog.clone(),
                    column_numbers: vec![WHOLE_TABLE; names.len()],
                    names,
                    oids: oids.unwrap_or_default(),
                });
                Ok((named, behind))
            })
        })?;
        let (Some((named, behind)), Some(now)) =
            (verified.into_iter().next(), self.contents_of(sql, limits)?)
        else {
            return Ok(false);
        };
        let reads = match behind {
            Some(_) => now.all_relation_oids,
            None => now.relation_oids,
        };
        let places = named
            .places()
            .chain(behind.iter().flat_map(References::places));
        let verified: Option<BTreeSet<u32>> =
            places.map(|place| Some(place?.oid.to_u32())).collect();
        Ok(verified.is_some_and(|verified| verified.into_iter().eq(reads)))
    }

    fn run(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error> {
        let outcome = match &self.run_on {
            // The clock of an evaluation is set in this session only.
            Some(replica) if !clock::is_pinned() => self.run_there(replica, sql, limits)?,
            _ => self.run_here(sql, limits)?,
        };
        if let Outcome::Passed(execution) = &outcome
            && execution.is_truncated
            && execution.rows.is_empty()
        {
            // An empty result would look like an answer.
            let kilobytes = limits.max_result_bytes / 1024;
            return Err(failure!(
                Limit,
                "the first row of the result has more than {kilobytes} kB"
            )
            .with_hint("Run SET text2sql.max_result_size = '64MB', or select fewer columns."));
        }
        Ok(outcome)
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
        Ok(verdict.into_outcome(|checked| checked.columns))
    }
}

/// Whether the text requests a sample that cannot be repeated; true when uncertain.
fn samples(sql: &str) -> bool {
    let sql = sql.to_lowercase();
    sql.matches("tablesample").count() > sql.matches("repeatable").count()
}
