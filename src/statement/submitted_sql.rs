//! A submitted statement with the tables that it names, as visible to the caller, and the guard for queries on
//! its data.

use std::sync::Arc;

use text2sql_analysis::execution_plan::Plan;
use text2sql_analysis::explain;
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Catalog, Database, Outcome};
use text2sql_domain::schema::{Table, TableKind};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::Rule;
use text2sql_sql::reader as sql_reader;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::search::role_catalog::RoleCatalog;
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;

/// A statement, its tables and the guard.
pub(crate) struct SubmittedSql {
    /// The statement.
    pub(crate) sql: String,
    /// The guard.
    pub(crate) database: GuardedDatabase,
    /// The caller's limits.
    pub(crate) limits: Limits,
    /// The tables that it names.
    pub(crate) tables: Vec<Arc<Table>>,
}

impl SubmittedSql {
    /// Looks up the tables that the statement names. Checks only that it is short and simple enough to parse.
    pub(crate) fn read(sql: String, overrides: &Overrides) -> Result<Self, Error> {
        match sql_reader::admit(&sql) {
            // The server reports errors of invalid SQL better.
            Err(error) if error.kind() == ErrorKind::Setting => {}
            admitted => admitted?,
        }
        let database = GuardedDatabase::new()?;
        let tables = named_tables(text2sql_sql::tree::relations::table_names(&sql), &database)?;
        Ok(Self {
            sql,
            database,
            limits: settings::limits(overrides),
            tables,
        })
    }

    /// The same, for a statement accepted by the guard.
    pub(crate) fn allowed(sql: String, overrides: &Overrides) -> Result<Self, Raised> {
        let given = Self::read(sql, overrides)?;
        match given.database.check(&given.sql, &given.limits)? {
            Outcome::Passed(_) => Ok(given),
            Outcome::Rejected(rejection) => Err(Raised::refusal(&rejection, &given.sql)),
            Outcome::Failed(error) => Err(given.failure(error)),
        }
    }

    /// The same, for a statement that the guard accepts except for its cost: a statement too expensive to run
    /// is the one that most needs to be made faster.
    pub(crate) fn judged(sql: String, overrides: &Overrides) -> Result<Self, Raised> {
        let given = Self::read(sql, overrides)?;
        match given.database.inspect(&given.sql, &given.limits)?.outcome {
            Outcome::Rejected(rejection) if rejection.rule != Rule::Cost => {
                Err(Raised::refusal(&rejection, &given.sql))
            }
            Outcome::Failed(error) => Err(given.failure(error)),
            Outcome::Passed(()) | Outcome::Rejected(_) => Ok(given),
        }
    }

    /// The tables of these bare names that the caller may see.
    pub(crate) fn named(&self, names: Vec<String>) -> Result<Vec<Arc<Table>>, Error> {
        named_tables(names, &self.database)
    }

    /// The tables named by this statement or another one.
    pub(crate) fn tables_beside(&self, other: &str) -> Result<Vec<Arc<Table>>, Error> {
        let mut names = text2sql_sql::tree::relations::table_names(&self.sql);
        names.extend(text2sql_sql::tree::relations::table_names(other));
        named_tables(names, &self.database)
    }

    /// The error for a statement that cannot run: it names nothing that the caller may not see.
    pub(crate) fn failure(&self, error: DatabaseError) -> Raised {
        let error = explain::without_closed_hint(error, &self.sql, &self.tables);
        Raised::database(error, &self.sql)
    }

    /// The plan without what the caller may not see.
    pub(crate) fn seen(&self, plan: Plan) -> Result<Plan, Error> {
        seen(plan, &self.sql, &self.tables, &self.database)
    }

    /// The queries of the materialized views among the tables: qualified name, query.
    pub(crate) fn view_definitions(&self) -> Result<Vec<(String, String)>, Error> {
        let mut definitions = Vec::new();
        for table in &self.tables {
            if table.kind != TableKind::MaterializedView {
                continue;
            }
            let oid = i64::from(table.oid);
            let query: Option<String> = with_role(self.database.role(), || {
                spi::read_one(
                    "SELECT left(pg_get_viewdef($1::oid), 100000)",
                    &[oid.into()],
                )
            })?;
            definitions.extend(query.map(|query| (table.sql_name(), query)));
        }
        Ok(definitions)
    }
}

fn named_tables(names: Vec<String>, database: &GuardedDatabase) -> Result<Vec<Arc<Table>>, Error> {
    let catalog = RoleCatalog::new(*database.role());
    catalog.describe(&catalog.find_named(names)?)
}

/// A plan of `sql` without the parts behind views and policies that the caller may not see. `named` are the
/// tables that the statement names.
pub(crate) fn seen(
    plan: Plan,
    sql: &str,
    named: &[Arc<Table>],
    database: &GuardedDatabase,
) -> Result<Plan, Error> {
    if !Plan::may_show_more(named) {
        return Ok(plan);
    }
    let catalog = RoleCatalog::new(*database.role());
    let visible = catalog.describe(&catalog.find_named(plan.relations())?)?;
    Ok(plan.without_unseen(sql, &visible))
}
