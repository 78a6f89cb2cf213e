//! The planner port: plans of judged queries, also with hypothetical indexes, and the storage of tables.

use std::sync::Arc;

use serde::Deserialize;
use text2sql_analysis::execution_plan::Plan;
use text2sql_analysis::optimize::{ExistingIndex, ImaginedPlan, Planner, Storage};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::Outcome;
use text2sql_domain::schema::Table;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::execution::hypopg::{Hypopg, Imagined};
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;
use crate::statement::submitted_sql::{SubmittedSql, seen};

const READ_STORAGE: &str = include_str!("../../sql/queries/read_storage.sql");

/// The planner of this server, behind the guard.
pub(crate) struct GuardedPlanner<'d> {
    database: &'d GuardedDatabase,
    limits: &'d Limits,
    named: &'d [Arc<Table>],
    hypopg: Option<Hypopg>,
}

impl<'d> GuardedPlanner<'d> {
    /// Plans under the role of a statement's database.
    pub(crate) fn new(given: &'d SubmittedSql) -> Result<Self, Error> {
        Ok(Self {
            hypopg: Hypopg::find(given.database.role())?,
            database: &given.database,
            limits: &given.limits,
            named: &given.tables,
        })
    }

    fn plan_with(&self, sql: &str, indexes: &[Imagined]) -> Result<Option<ImaginedPlan>, Error> {
        let Outcome::Passed(text) = self.database.plan_text(sql, false, self.limits)? else {
            return Ok(None);
        };
        Ok(Some(ImaginedPlan {
            plan: seen(Plan::read(&text)?, sql, self.named, self.database)?,
            names: indexes.iter().map(|index| index.name.clone()).collect(),
            sizes: indexes.iter().map(|index| index.size).collect(),
        }))
    }
}

impl Planner for GuardedPlanner<'_> {
    fn plan(&self, sql: &str, imagined: &[String]) -> Result<Option<ImaginedPlan>, Error> {
        if imagined.is_empty() {
            return self.plan_with(sql, &[]);
        }
        let Some(hypopg) = &self.hypopg else {
            return Ok(None);
        };
        let plan = hypopg.with_indexes(self.database.role(), imagined, |indexes| {
            self.plan_with(sql, indexes)
        })?;
        Ok(plan.flatten())
    }

    fn can_imagine(&self) -> bool {
        self.hypopg.is_some()
    }

    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error> {
        let oids: Vec<crate::pg::Oid> = tables.iter().map(|table| table.oid.into()).collect();
        let documents: Vec<StorageDocument> = with_role(self.database.role(), || {
            spi::read_json(READ_STORAGE, &[oids.into()])
        })?;
        Ok(documents.into_iter().map(Storage::from).collect())
    }
}

/// The storage of a table, as the query returns it.
#[derive(Deserialize)]
struct StorageDocument {
    table: u32,
    changed_rows: f64,
    indexes: Vec<IndexDocument>,
    unproven_keys: Vec<Vec<String>>,
    statistics: Vec<Option<Vec<String>>>,
}

#[derive(Deserialize)]
struct IndexDocument {
    name: String,
    columns: Vec<Option<String>>,
    method: String,
    is_partial: bool,
    is_unique: bool,
}

impl From<StorageDocument> for Storage {
    fn from(document: StorageDocument) -> Self {
        Self {
            table: document.table,
            changed_rows: document.changed_rows,
            unproven_keys: document.unproven_keys,
            statistics: document.statistics.into_iter().flatten().collect(),
            indexes: document
                .indexes
                .into_iter()
                .map(|index| ExistingIndex {
                    name: index.name,
                    columns: index.columns,
                    method: index.method,
                    is_partial: index.is_partial,
                    is_unique: index.is_unique,
                })
                .collect(),
        }
    }
}
