//! Imports a dbt manifest, and reports each entry: taken, known, overruled by what a user stored, or refused
//! with the reason.

use pgrx::check_for_interrupts;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_engine::knowledge_formats::dbt::{self, Lesson};

use super::annotations::{self, Outcome};
use super::definitions::{self, Given};
use super::joins;

/// One line of the report.
pub(crate) struct Line {
    pub(crate) kind: &'static str,
    pub(crate) subject: String,
    pub(crate) outcome: &'static str,
    pub(crate) detail: Option<String>,
}

/// Imports the manifest.
pub(crate) fn import(manifest: &serde_json::Value) -> Result<Vec<Line>, Error> {
    let manifest = dbt::read(manifest)?;
    let mut report = Vec::new();
    for lesson in manifest.lessons {
        check_for_interrupts!();
        let (kind, subject) = (lesson.kind(), lesson.subject());
        let (outcome, detail) = match take(&lesson) {
            Ok(Outcome::Taken) => ("taken", None),
            Ok(Outcome::Known) => ("known", None),
            Ok(Outcome::Overruled) => {
                let detail = "a user stored something else, which is kept";
                ("overruled", Some(detail.to_owned()))
            }
            Err(error) if is_about_the_lesson(&error) => {
                ("refused", Some(error.message().to_owned()))
            }
            Err(error) => return Err(error),
        };
        report.push(Line {
            kind,
            subject,
            outcome,
            detail,
        });
    }
    report.extend(manifest.left_out.into_iter().map(|(subject, why)| Line {
        kind: "other",
        subject,
        outcome: "left out",
        detail: Some(why),
    }));
    Ok(report)
}

fn take(lesson: &Lesson) -> Result<Outcome, Error> {
    match lesson {
        Lesson::Description { object, text } => {
            annotations::describe_from("dbt", &named(object), text)
        }
        Lesson::DerivedFrom { table, sources } => annotations::derived_from(&named(table), sources),
        Lesson::Values { column, values } => annotations::values_from(&named(column), values),
        Lesson::Join { column, target } => {
            let (columns, targets) = (&[named(column)], &[named(target)]);
            match joins::status(columns, targets)?.as_deref() {
                Some("accepted") => Ok(Outcome::Known),
                // A user decided; the project contains the same relationship after each build.
                Some("rejected") => Ok(Outcome::Overruled),
                _ => {
                    let evidence = Some("a relationship in the dbt project");
                    joins::add(columns, targets, evidence, "dbt").map(|_| Outcome::Taken)
                }
            }
        }
        Lesson::Definition {
            term,
            meaning,
            synonyms,
            table,
            sql_expression,
        } => {
            let known = definitions::origin_of(term, table)?;
            if known.is_some_and(|origin| origin == "taught") {
                return Ok(Outcome::Overruled);
            }
            let applies_to = named(table);
            let given = Given {
                term: Some(term),
                meaning: Some(meaning),
                sql_expression: Some(sql_expression),
                applies_to: Some(&applies_to),
                synonyms: synonyms.clone(),
                origin: "dbt",
                ..Given::default()
            };
            if definitions::is_known(&given, table)? {
                return Ok(Outcome::Known);
            }
            definitions::define(&given).map(|_| Outcome::Taken)
        }
    }
}

/// The name with the word that distinguishes a table of a schema from a column of a table.
fn named(name: &str) -> String {
    match text2sql_domain::object_name::split(name).map_or(0, |parts| parts.len()) {
        3 => format!("column {name}"),
        _ => format!("table {name}"),
    }
}

/// Whether an error concerns a single entry, so that the import can continue.
pub(crate) fn is_about_the_lesson(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Setting
            | ErrorKind::Missing
            | ErrorKind::Undefined
            | ErrorKind::Denied
            | ErrorKind::Limit
    )
}
