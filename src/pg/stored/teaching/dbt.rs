//! Imports a dbt manifest, and reports each entry: taken, known, overruled by what a user stored, or refused
//! with the reason.

use pgrx::check_for_interrupts;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_knowledge::dbt::{self, Lesson, Manifest};
use text2sql_knowledge::semantic_models::{self, export};

use super::annotations::{self, Outcome};
use super::definitions::{self, Given};
use super::imports::Line;
use super::{is_about_one_entry, joins, metrics, required};
use crate::pg::access::objects;
use crate::pg::access::protection::{self, Level};
use crate::pg::stored::knowledge::glossary;

/// Imports the manifest of a dbt project, or a semantic model of another program. What cannot be taken is reported and
/// left out.
pub(crate) fn import(content: Option<&str>, kind: &str) -> Result<Vec<Line>, Error> {
    let content = required(content, "text to import")?;
    import_lessons(match kind {
        "dbt" => dbt::read(&serde_json::from_str(content).map_err(|error| {
            Error::new(
                ErrorKind::Setting,
                format!("could not read the manifest: {error}"),
            )
        })?)?,
        format => semantic_models::read(content, format)?,
    })
}

/// The definitions that the caller can see, as YAML for dbt.
pub(crate) fn export() -> Result<String, Error> {
    export::export(&glossary::all_stored()?)
}

fn import_lessons(manifest: Manifest) -> Result<Vec<Line>, Error> {
    let mut report = Vec::new();
    for lesson in manifest.lessons {
        check_for_interrupts!();
        let (kind, subject) = (lesson.kind(), lesson.subject());
        let (outcome, reason) = match take(&lesson) {
            Ok(Outcome::Taken) => ("taken", None),
            Ok(Outcome::Known) => ("known", None),
            Ok(Outcome::Overruled) => {
                let detail = "a user stored something else, which is kept";
                ("overruled", Some(detail.to_owned()))
            }
            Err(error) if is_about_one_entry(&error) => {
                ("refused", Some(error.message().to_owned()))
            }
            Err(error) => return Err(error),
        };
        report.push(Line {
            entry: Some(kind),
            subject,
            outcome,
            reason,
            ..Line::default()
        });
    }
    report.extend(manifest.left_out.into_iter().map(|(subject, why)| Line {
        entry: Some("other"),
        subject,
        outcome: "left out",
        reason: Some(why),
        ..Line::default()
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
        Lesson::Protection { object, level } => protect(&named(object), level),
        Lesson::Join {
            column,
            target,
            is_unique,
        } => {
            let (columns, targets) = (&[named(column)], &[named(target)]);
            match joins::status(columns, targets)?.as_deref() {
                Some("accepted") => Ok(Outcome::Known),
                // A user decided; the project contains the same relationship after each build.
                Some("rejected") => Ok(Outcome::Overruled),
                _ => {
                    let evidence = match is_unique {
                        true => {
                            "a relationship in the dbt project, to a column that it says is unique"
                        }
                        false => "a relationship in the dbt project",
                    };
                    joins::add(columns, targets, Some(evidence), "dbt").map(|_| Outcome::Taken)
                }
            }
        }
        Lesson::Definition {
            term,
            meaning,
            synonyms,
            table,
            sql_expression,
            joins,
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
                joins: joins.clone(),
                origin: "dbt",
                ..Given::default()
            };
            if definitions::is_known(&given, table)? {
                return Ok(Outcome::Known);
            }
            definitions::define(&given).map(|_| Outcome::Taken)
        }
        Lesson::Metric {
            term,
            meaning,
            synonyms,
            metric,
            columns,
        } => {
            let given = metrics::Given {
                term: Some(term),
                meaning: Some(meaning),
                synonyms: synonyms.clone(),
                metric: metric.clone(),
                columns: columns.iter().map(|column| named(column)).collect(),
                origin: "dbt",
            };
            match metrics::origin_of(term)?.as_deref() {
                Some("taught") => Ok(Outcome::Overruled),
                Some(_) if metrics::is_known(&given)? => Ok(Outcome::Known),
                _ => metrics::define(&given).map(|()| Outcome::Taken),
            }
        }
    }
}

/// Protects an object that is less protected. A project never lowers a protection.
fn protect(name: &str, level: &str) -> Result<Outcome, Error> {
    let object = objects::resolve(name)?;
    let relation = object.relation_oid.unwrap_or_default().into();
    let current = protection::of_column(relation, object.column_number.unwrap_or_default())?;
    if Level::of(level).is_some_and(|level| current >= level) {
        return Ok(Outcome::Known);
    }
    protection::change::protect(name, level).map(|()| Outcome::Taken)
}

/// The name with the word that distinguishes a table of a schema from a column of a table.
fn named(name: &str) -> String {
    match text2sql_domain::object_name::split(name).map_or(0, |parts| parts.len()) {
        3 => format!("column {name}"),
        _ => format!("table {name}"),
    }
}
