//! `text2sql.explain(sql)`: what a query does, clause by clause, in plain words.

use pgrx::prelude::*;
use text2sql_core::error::Error;
use text2sql_core::explain::{self, Step};
use text2sql_core::ports::{Catalog, Database, Outcome};

use crate::pg::catalog::SpiCatalog;
use crate::pg::database::GuardedDatabase;
use crate::pg::error::{Raise, raise_database_error};
use crate::settings::{self, Overrides};

/// Explains a query without running it: no model is asked.
#[pg_extern(volatile, parallel_unsafe, name = "explain")]
fn explain_query(
    sql: &str,
) -> TableIterator<
    'static,
    (
        name!(step, i32),
        name!(clause, String),
        name!(explanation, String),
    ),
> {
    let steps = steps(sql).or_raise();
    let rows = (1..)
        .zip(steps)
        .map(|(n, step)| (n, step.clause, step.explanation));
    TableIterator::new(rows.collect::<Vec<_>>())
}

/// Most tables whose comments are looked up.
const MOST_TABLES: usize = 50;

fn steps(sql: &str) -> Result<Vec<Step>, Error> {
    let database = GuardedDatabase::new(false)?;
    let catalog = SpiCatalog::new(*database.reader());
    let limits = settings::limits(&Overrides::default());
    let verdict = match database.check(sql, &limits)? {
        Outcome::Passed(_) => None,
        Outcome::Failed(error) => raise_database_error(&error),
        Outcome::Rejected(rejection) => Some(rejection),
    };
    let names = explain::table_names(sql);
    let tables = catalog.describe(&catalog.find(&names, MOST_TABLES)?)?;
    let mut steps = explain::explain(sql, &tables)?;
    steps.extend(verdict.map(|rejection| Step {
        clause: "GUARD".to_owned(),
        explanation: format!(
            "text2sql would not run this (rule {}): {}",
            rejection.rule, rejection.reason
        ),
    }));
    Ok(steps)
}
