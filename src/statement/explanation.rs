//! The explanation of a submitted statement: its steps, the stored knowledge about it, similar verified
//! examples, and on request a summary by a model.

use text2sql_analysis::explain::{self, Step};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::{Catalog, Database, Outcome};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;
use text2sql_phrases::{Language, in_language, translated};
use text2sql_sql::postgresql_form::postgresql_form;
use text2sql_statements::explanation;
use text2sql_statements::explanation::summary::{self, language_named, language_of};

use crate::pg::access::objects::search_path_oids;
use crate::pg::search::role_catalog::RoleCatalog;
use crate::pg::search::similar_examples::examples_like;
use crate::pg::server::settings::Overrides;
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;
use crate::pg::stored::knowledge::glossary::definitions_about;
use crate::pg::stored::teaching::adviser::Adviser;
use crate::statement::reader_language::reader_language;
use crate::statement::submitted_sql::SubmittedSql;

/// Number of tables whose names are compared with one that does not exist.
const MAX_TABLES: usize = 200;

/// Number of tables that a summary is searched for: it has at most three sentences.
const MAX_NAMED: usize = 40;

const CALLED: &str = include_str!("../../sql/queries/called_procedure.sql");

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

/// What a caller wants to know of a statement.
pub(crate) struct Wanted {
    /// Whether a model sums it up.
    pub(crate) has_summary: bool,
    /// The language of the summary, which asks for one, too.
    pub(crate) language: Option<String>,
    /// The dialect that the statement is written in.
    pub(crate) dialect: Dialect,
}

/// Explains a statement without running it.
pub(crate) fn explain(sql: String, wanted: &Wanted) -> Result<Explanation, Error> {
    let named = wanted.language.as_deref().and_then(Language::named);
    let reader = match named {
        Some(language) => language,
        None => reader_language(None)?,
    };
    if reader == Language::ENGLISH {
        return explain_here(sql, wanted);
    }
    let steps = in_language(reader, || {
        let steps_alone = Wanted {
            has_summary: false,
            language: None,
            dialect: wanted.dialect,
        };
        explain_here(sql.clone(), &steps_alone)
    })?;
    if !wanted.has_summary && wanted.language.is_none() {
        return Ok(steps);
    }
    // A model reads the English steps, whose words its summary is compared with.
    let english = explain_here(sql, wanted)?;
    Ok(Explanation {
        steps: steps.steps,
        ..english
    })
}

/// Explains in the language that holds now.
fn explain_here(sql: String, wanted: &Wanted) -> Result<Explanation, Error> {
    let language = wanted.language.as_deref().map(read_language).transpose()?;
    let (given, steps, is_wrong) = match wanted.dialect {
        Dialect::PostgreSql => {
            let mut given = SubmittedSql::read(sql, &Overrides::default())?;
            let opened = match explain::called(&given.sql) {
                Some(called) => call(&given, &called)?,
                None => script(&mut given)?,
            };
            match opened {
                Some(steps) => (given, steps, false),
                None => {
                    let (steps, is_wrong) = steps(&given)?;
                    (given, steps, is_wrong)
                }
            }
        }
        dialect => match other_dialect(dialect, &sql)? {
            Foreign::Known(given, steps) => (*given, steps, false),
            Foreign::Unknown(explanation) => {
                return Ok(without_summary(
                    explanation,
                    wanted.has_summary || language.is_some(),
                ));
            }
        },
    };
    let mut explanation = Explanation {
        summary: None,
        steps,
        warning: None,
    };
    if !wanted.has_summary && language.is_none() {
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

/// A query of another dialect.
enum Foreign {
    /// Its PostgreSQL form, and the steps.
    Known(Box<SubmittedSql>, Vec<Step>),
    /// The steps of one that has no complete form.
    Unknown(Vec<Step>),
}

/// Explains a query of another dialect by its PostgreSQL form. Its tables may be those of another database: they are
/// described only if the whole form is a query that the caller could run here.
fn other_dialect(dialect: Dialect, sql: &str) -> Result<Foreign, Error> {
    let form = match postgresql_form(dialect, sql)? {
        Ok(form) => form,
        Err(error) => {
            return Ok(Foreign::Unknown(vec![explain::not_of_dialect(
                dialect, &error,
            )]));
        }
    };
    let remarks = explain::form_steps(&form);
    if !form.unknown.is_empty() {
        let mut steps = match explain::explain(&form.sql, &[]) {
            Ok(steps) => steps,
            // What is left of the other dialect cannot be read: the remarks say why.
            Err(error) if error.kind() == ErrorKind::Setting => Vec::new(),
            Err(error) => return Err(error),
        };
        steps.extend(remarks);
        return Ok(Foreign::Unknown(steps));
    }
    let mut given = SubmittedSql::read(form.sql, &Overrides::default())?;
    let is_here = matches!(
        given.database.check(&given.sql, &given.limits)?,
        Outcome::Passed(_)
    );
    if !is_here {
        given.tables.clear();
    }
    let mut steps = explain::explain(&given.sql, &given.tables)?;
    if is_here {
        steps.extend(meanings(&given)?);
    }
    steps.extend(remarks);
    Ok(Foreign::Known(Box::new(given), steps))
}

fn without_summary(steps: Vec<Step>, was_wanted: bool) -> Explanation {
    let reason = "no summary: the statement has no PostgreSQL form that is known here";
    Explanation {
        summary: None,
        steps,
        warning: was_wanted.then(|| reason.to_owned()),
    }
}

fn read_language(name: &str) -> Result<String, Error> {
    language_named(name).ok_or_else(|| {
        failure!(Setting, "\"{name}\" is not the name of a language")
            .with_hint("SELECT * FROM text2sql.explain('SELECT …', language => 'German')")
    })
}

/// The steps of a script of several statements, or of a function; `None` for any other statement. Nothing of a script
/// is run, not even to count rows or to check a query: it may read what an earlier statement would make.
fn script(given: &mut SubmittedSql) -> Result<Option<Vec<Step>>, Error> {
    if explain::script(&given.sql, &[])?.is_none() {
        return Ok(None);
    }
    given.tables = given.named(explain::names_in_script(&given.sql)?)?;
    explain::script(&given.sql, &given.tables)
}

/// The steps of the procedure that a CALL names, if the caller may call it and its body can be read.
fn call(given: &SubmittedSql, called: &explain::Called) -> Result<Option<Vec<Step>>, Error> {
    let arguments = i32::try_from(called.arguments).unwrap_or(i32::MAX);
    let created: Option<String> = with_role(given.database.role(), || {
        spi::read_one(
            CALLED,
            &[
                called.schema.clone().into(),
                called.name.clone().into(),
                arguments.into(),
                search_path_oids().into(),
            ],
        )
    })?;
    let Some(created) = created else {
        return Ok(None);
    };
    let mut body = SubmittedSql::read(created, &Overrides::default())?;
    Ok(script(&mut body)?.map(|steps| explain::opened(called, steps)))
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
        Rule::Statement => say!(
            "text2sql is read-only and would not run this: {reason}",
            reason = translated(&rejection.reason)
        ),
        rule => say!(
            "text2sql would not run this (rule {rule}): {reason}",
            reason = translated(&rejection.reason)
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
        explanation: say!(
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
