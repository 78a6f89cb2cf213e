//! `text2sql.explain(sql)`: what a query does, clause by clause, in plain words.

use pgrx::prelude::*;
use text2sql_core::error::Error;
use text2sql_core::explain::{self, Step};
use text2sql_core::ports::{Catalog, Database, Outcome};

use crate::pg::catalog::ReaderCatalog;
use crate::pg::database::GuardedDatabase;
use crate::pg::error::{ErrorReport, database_report, report};
use crate::settings::{self, Overrides};

/// Explains a query without running it: no model is asked.
#[pg_extern(volatile, parallel_unsafe, name = "explain")]
#[allow(
    clippy::type_complexity,
    reason = "the columns are the interface; pgrx wants them spelled out here"
)]
fn explain_query(
    sql: &str,
) -> Result<
    TableIterator<
        'static,
        (
            name!(step, i32),
            name!(clause, String),
            name!(explanation, String),
        ),
    >,
    ErrorReport,
> {
    let database = GuardedDatabase::new(false).map_err(report)?;
    let limits = settings::limits(&Overrides::default());
    // The server's own parser says what is wrong with a query; the guard's verdict is one step more.
    let verdict = match database.check(sql, &limits).map_err(report)? {
        Outcome::Passed(_) => None,
        Outcome::Failed(error) => return Err(database_report(&error)),
        Outcome::Rejected(rejection) => Some(Step {
            clause: "GUARD".to_owned(),
            explanation: format!(
                "text2sql would not run this (rule {}): {}",
                rejection.rule, rejection.reason
            ),
        }),
    };
    let mut steps = steps(&database, sql).map_err(report)?;
    steps.extend(verdict);
    let rows = (1..)
        .zip(steps)
        .map(|(n, step)| (n, step.clause, step.explanation));
    Ok(TableIterator::new(rows.collect::<Vec<_>>()))
}

fn steps(database: &GuardedDatabase, sql: &str) -> Result<Vec<Step>, Error> {
    let catalog = ReaderCatalog::new(*database.reader());
    let tables = catalog.describe(&catalog.find_named(explain::table_names(sql))?)?;
    explain::explain(sql, &tables)
}
