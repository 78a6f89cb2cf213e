//! The explanation of a submitted statement: its steps, the stored knowledge about it, similar verified
//! examples, and on request a summary by a model.

use text2sql_analysis::explain::{self, Step};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Catalog, Database, Outcome};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_engine::explanation;
use text2sql_engine::explanation::summary::{self, language_named, language_of};

use crate::pg::knowledge::glossary::definitions_about;
use crate::pg::role_catalog::RoleCatalog;
use crate::pg::settings::Overrides;
use crate::pg::spi;
use crate::pg::teaching::adviser::Adviser;
use crate::pg::teaching::similar_examples::examples_like;
use crate::statement::submitted_sql::SubmittedSql;

/// Number of tables whose names are compared with one that does not exist.
const MAX_TABLES: usize = 200;

/// Number of tables that a summary is searched for: it has at most three sentences.
const MAX_NAMED: usize = 40;

const LOCALE: &str = "SELECT current_setting('lc_messages')";

/// An explanation.
pub(crate) struct Explanation {
    /// The summary, if one was requested and passed the checks.
    pub(crate) summary: Option<Step>,
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// Why there is no summary although one was requested.
    pub(crate) warning: Option<String>,
}

/// Explains a statement without running it.
pub(crate) fn explain(
    sql: String,
    has_summary: bool,
    language: Option<&str>,
) -> Result<Explanation, Error> {
    let language = language.map(read_language).transpose()?;
    let given = SubmittedSql::read(sql, &Overrides::default())?;
    let (steps, is_wrong) = steps(&given)?;
    let mut explanation = Explanation {
        summary: None,
        steps,
        warning: None,
    };
    if !has_summary && language.is_none() {
        explanation.steps.extend(examples(&given, false)?);
        return Ok(explanation);
    }
    if is_wrong {
        explanation.warning = Some("no summary: the statement has an error".to_owned());
        return Ok(explanation);
    }
    match summary_of(&given, &explanation.steps, language) {
        Ok(Ok(step)) => explanation.summary = Some(step),
        Ok(Err(reason)) => explanation.warning = Some(format!("no summary: {reason}")),
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        // The steps do not depend on the model.
        Err(error) => explanation.warning = Some(format!("no summary: {}", error.message())),
    }
    explanation.steps.extend(examples(&given, true)?);
    Ok(explanation)
}

fn read_language(name: &str) -> Result<String, Error> {
    language_named(name).ok_or_else(|| {
        Error::new(
            ErrorKind::Setting,
            format!("\"{name}\" is not the name of a language"),
        )
        .with_hint("SELECT * FROM text2sql.explain('SELECT …', language => 'German')")
    })
}

/// The steps, and whether they describe an error.
fn steps(given: &SubmittedSql) -> Result<(Vec<Step>, bool), Error> {
    // The server's own parser reports errors of a query; the guard's verdict is a further step.
    match given.database.check(&given.sql, &given.limits)? {
        Outcome::Passed(_) => {
            let mut steps = explain::explain(&given.sql, &given.tables)?;
            steps.extend(meanings(given)?);
            Ok((steps, false))
        }
        Outcome::Failed(error) => Ok((wrong(given, &error)?, true)),
        Outcome::Rejected(rejection) => {
            let mut steps = explain::explain(&given.sql, &given.tables)?;
            steps.extend(affected(given)?);
            steps.push(verdict(&rejection));
            Ok((steps, false))
        }
    }
}

/// The stored knowledge about the values and expressions of the query.
fn meanings(given: &SubmittedSql) -> Result<Vec<Step>, Error> {
    let definitions = definitions_about(&oids(given), &given.database)?;
    Ok(explain::meanings(&given.sql, &given.tables, &definitions))
}

/// The verified examples similar to the query. A remote embedder is called only when the caller waits for a
/// model anyway.
fn examples(given: &SubmittedSql, may_wait: bool) -> Result<Vec<Step>, Error> {
    let found = examples_like(&given.sql, &oids(given), *given.database.role(), may_wait)?;
    Ok(explanation::nearest(&given.sql, &found))
}

fn oids(given: &SubmittedSql) -> Vec<u32> {
    given.tables.iter().map(|table| table.oid).collect()
}

/// The model's summary, or why there is none.
fn summary_of(
    given: &SubmittedSql,
    steps: &[Step],
    language: Option<String>,
) -> Result<Result<Step, String>, Error> {
    let adviser = Adviser::new()?;
    let language = match language {
        Some(language) => language,
        None => language_of(&spi::read_one::<String>(LOCALE, &[])?.unwrap_or_default()),
    };
    let egress = adviser.egress();
    let Some(asked) = summary::ask(&given.sql, steps, &given.tables, egress, &language) else {
        return Ok(Err(
            "the constants of the statement could not be masked".to_owned()
        ));
    };
    let subject = format!("explain {}", given.sql);
    let reply = adviser.ask(&subject, asked.prompt.clone(), summary::json_schema())?;
    let catalog = RoleCatalog::new(*given.database.role());
    let mut others = given.tables.clone();
    others.extend(catalog.describe(&catalog.find(&summary::words_of(&reply), MAX_NAMED)?)?);
    Ok(
        summary::read(&asked, &reply, &given.sql, steps, &others).map_err(|problem| {
            format!(
                "the summary by model \"{}\" was rejected because it has {problem}",
                adviser.name()
            )
        }),
    )
}

fn verdict(rejection: &Rejection) -> Step {
    let explanation = match rejection.rule {
        Rule::Statement => format!(
            "text2sql is read-only and would not run this: {}",
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

/// The number of rows that an UPDATE or DELETE would affect now.
fn affected(given: &SubmittedSql) -> Result<Option<Step>, Error> {
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

/// Explains an error, and returns the intended statement where that is certain.
fn wrong(given: &SubmittedSql, error: &DatabaseError) -> Result<Vec<Step>, Error> {
    let catalog = RoleCatalog::new(*given.database.role());
    let tables = if error.sqlstate == "42P01" {
        catalog.describe(&catalog.find(&[], MAX_TABLES)?)?
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
    // Two valid corrections leave open which one was intended.
    if let [corrected] = right.as_slice() {
        steps.push(explain::corrected(corrected));
        let tables = SubmittedSql::read((*corrected).clone(), &Overrides::default())?.tables;
        steps.extend(explain::explain(corrected, &tables)?);
    }
    Ok(steps)
}
