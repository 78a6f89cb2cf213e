//! `text2sql.explain(sql)`: what a query does, clause by clause, in plain words; what another
//! statement would change; what is wrong with one that is wrong. Nothing is run but counts.

use pgrx::prelude::*;
use text2sql_core::error::Error;
use text2sql_core::explain::{self, Step};
use text2sql_core::ports::{Catalog, Database, Outcome};
use text2sql_core::sql_result::DatabaseError;
use text2sql_core::validate::{Rejection, Rule};

use crate::given::Given;
use crate::pg::catalog::ReaderCatalog;
use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::glossary::definitions_about;

/// Explains a statement without running it: no model is asked.
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
    let rows = (1..)
        .zip(steps(sql).map_err(report)?)
        .map(|(n, step)| (n, step.clause, step.explanation));
    Ok(TableIterator::new(rows.collect::<Vec<_>>()))
}

fn steps(sql: &str) -> Result<Vec<Step>, Error> {
    let given = Given::read(sql.to_owned())?;
    // The server's own parser says what is wrong with a query; the guard's verdict is one step more.
    match given.database.check(sql, &given.limits)? {
        Outcome::Passed(_) => {
            let mut steps = explain::explain(sql, &given.tables)?;
            steps.extend(taught(&given)?);
            Ok(steps)
        }
        Outcome::Failed(error) => wrong(&given, &error),
        Outcome::Rejected(rejection) => {
            let mut steps = explain::explain(sql, &given.tables)?;
            steps.extend(affected(&given)?);
            steps.push(verdict(&rejection));
            Ok(steps)
        }
    }
}

/// What was taught about the values and expressions of the query.
fn taught(given: &Given) -> Result<Vec<Step>, Error> {
    let oids: Vec<u32> = given.tables.iter().map(|table| table.oid).collect();
    let definitions = definitions_about(&oids, &given.database)?;
    Ok(explain::taught(&given.sql, &given.tables, &definitions))
}

fn verdict(rejection: &Rejection) -> Step {
    let explanation = match rejection.rule {
        Rule::Statement => format!(
            "text2sql only reads, so it would not run this: {}",
            rejection.reason
        ),
        rule => format!(
            "text2sql would not run this (rule {rule}): {}",
            rejection.reason
        ),
    };
    Step {
        clause: "GUARD".to_owned(),
        explanation,
    }
}

/// How many rows an UPDATE or DELETE is about at this moment.
fn affected(given: &Given) -> Result<Option<Step>, Error> {
    let Some(count) = explain::affected_rows(&given.sql) else {
        return Ok(None);
    };
    let Outcome::Passed(execution) = given.database.run(&count, &given.limits)? else {
        return Ok(None);
    };
    let first = execution
        .rows
        .into_iter()
        .next()
        .and_then(|row| row.into_iter().next());
    Ok(first.and_then(|cell| cell.text).map(|rows| Step {
        clause: "ROWS".to_owned(),
        explanation: format!(
            "At this moment that is {rows} of the rows that you may see; triggers and foreign keys \
             may change more."
        ),
    }))
}

/// Tables whose names are compared with one that does not exist.
const MOST_TABLES: usize = 200;

/// Explains an error, and the statement that was meant where that is certain.
fn wrong(given: &Given, error: &DatabaseError) -> Result<Vec<Step>, Error> {
    let catalog = ReaderCatalog::new(*given.database.reader());
    let tables = if error.sqlstate == "42P01" {
        catalog.describe(&catalog.find(&[], MOST_TABLES)?)?
    } else {
        given.tables.clone()
    };
    let mistake = explain::mistake(&given.sql, error, &tables);
    let mut steps = mistake.steps;
    let mut right: Vec<&String> = Vec::new();
    for candidate in &mistake.candidates {
        let is_right = matches!(
            given.database.check(candidate, &given.limits)?,
            Outcome::Passed(_)
        );
        if is_right && !right.contains(&candidate) {
            right.push(candidate);
        }
    }
    // Two that would be right leave open which was meant.
    if let [corrected] = right.as_slice() {
        steps.push(explain::corrected(corrected));
        let tables = Given::read((*corrected).clone())?.tables;
        steps.extend(explain::explain(corrected, &tables)?);
    }
    Ok(steps)
}
