//! Exercises from the tables and verified examples that the caller may read, and the marks of attempts.
//!
//! The answer is not stored: it is made again from the same tables, and found by its hash in the identifier. A table
//! of answers would have to be closed to every learner, copied at each change of the catalog, and emptied.

use std::time::{SystemTime, UNIX_EPOCH};

use text2sql_analysis::explain;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::{Catalog, Database, Outcome};
use text2sql_domain::sql_result::Execution;
use text2sql_learning::exercises::{Exercise, Level, Mark, Marked, chosen_from, exercises, mark};
use text2sql_metrics::result_table::ResultTable;
use text2sql_phrases::say;
use text2sql_phrases::translated;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::search::role_catalog::RoleCatalog;
use crate::pg::search::similar_examples::verified_examples;
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};
use crate::statement::submitted_sql::SubmittedSql;

/// Number of tables that exercises are made from.
const MAX_TABLES: usize = 200;

/// Number of exercises that are tried until one has rows.
const MAX_TRIED: usize = 20;

/// A seed for somebody who names none: another one each time.
pub(crate) fn any_seed() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(0))
}

/// An exercise of this level that has rows now. The same seed tries them in the same order.
pub(crate) fn exercise(level: Level, seed: i64) -> Result<(Exercise, Vec<String>), Raised> {
    let database = GuardedDatabase::new()?;
    let all = chosen_from(all_of(level, &database)?, seed);
    for exercise in all.into_iter().take(MAX_TRIED) {
        if let Outcome::Passed(execution) = run(&database, &exercise.sql)?
            && !execution.rows.is_empty()
            && !execution.is_truncated
        {
            return Ok((exercise, execution.relations));
        }
    }
    Err(failure!(
        Undefined,
        "there is no {} exercise for the tables that you may read",
        level.as_str()
    )
    .with_hint("SELECT * FROM text2sql.exercise(level => 'easy'), after ANALYZE of the tables.")
    .into())
}

/// Marks an attempt, in the language that holds now.
pub(crate) fn grade(id: &str, attempt: String) -> Result<Marked, Raised> {
    let database = GuardedDatabase::new()?;
    let exercise = named(id, &database)?;
    let gold = match run(&database, &exercise.sql)? {
        Outcome::Passed(execution) => execution,
        Outcome::Rejected(rejection) => return Err(Raised::refusal(&rejection, "")),
        Outcome::Failed(error) => return Err(Raised::database(error, "")),
    };
    let tried = match run(&database, &attempt)? {
        Outcome::Passed(execution) => execution,
        Outcome::Rejected(rejection) => {
            return Ok(unmarked(Mark::Refused, translated(&rejection.reason)));
        }
        Outcome::Failed(error) => {
            let given = SubmittedSql::read(attempt, &Overrides::default())?;
            let catalog = RoleCatalog::new(*database.role());
            let tables = match error.sqlstate.as_str() {
                "42P01" => catalog.describe(&catalog.find(&[], MAX_TABLES)?)?,
                _ => given.tables.clone(),
            };
            let mistake = explain::mistake(&given.sql, &error, &tables);
            let words: Vec<String> = mistake
                .steps
                .into_iter()
                .map(|step| step.explanation)
                .collect();
            return Ok(unmarked(Mark::Wrong, words.join(" ")));
        }
    };
    if tried.is_truncated {
        return Ok(unmarked(
            Mark::Wrong,
            say!("The result is too large to be the answer: look at the conditions and at joins."),
        ));
    }
    let reads_tables = gold.relations.is_empty()
        || tried
            .relations
            .iter()
            .any(|name| gold.relations.contains(name));
    Ok(mark(
        (&exercise.sql, &ResultTable::from_execution(&gold)),
        (&attempt, &ResultTable::from_execution(&tried)),
        reads_tables,
    ))
}

fn unmarked(mark: Mark, hint: String) -> Marked {
    Marked {
        mark,
        score: 0.0,
        hint: Some(hint),
    }
}

/// The exercise with this identifier.
fn named(id: &str, database: &GuardedDatabase) -> Result<Exercise, Error> {
    let id = id.trim();
    let level = Exercise::level_of(id)?;
    let mut all = all_of(level, database)?.into_iter();
    all.find(|exercise| exercise.id() == id).ok_or_else(|| {
        failure!(
            Undefined,
            "exercise \"{id}\" is not one for the tables that you may read"
        )
        .with_hint("SELECT exercise, question FROM text2sql.exercise();")
    })
}

/// All exercises of a level: from the tables, and from verified examples.
fn all_of(level: Level, database: &GuardedDatabase) -> Result<Vec<Exercise>, Error> {
    let catalog = RoleCatalog::new(*database.role());
    let tables = catalog.describe(&catalog.find(&[], MAX_TABLES)?)?;
    let mut all = exercises(&tables, level);
    for example in verified_examples(database.role())? {
        let exercise = Exercise {
            level: Level::of_query(&example.sql),
            question: example.question,
            sql: example.sql,
        };
        if exercise.level == level && exercise.is_readable() {
            all.push(exercise);
        }
    }
    Ok(all)
}

fn run(database: &GuardedDatabase, sql: &str) -> Result<Outcome<Execution>, Error> {
    database.run(sql, &settings::limits(&Overrides::default()))
}
