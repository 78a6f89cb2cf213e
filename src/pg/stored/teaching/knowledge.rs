//! Exports all stored knowledge, and imports it into another database.

use pgrx::{JsonB, check_for_interrupts};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_knowledge::exchange::{self, Entry};
use text2sql_knowledge::pair::Pair;

use super::definitions::{self, Given};
use super::imports::Line;
use super::{
    annotations, as_owner, examples, instructions, is_about_one_entry, joins, metrics, required,
};
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

const EXPORT: &str = include_str!("../../../../sql/queries/export_knowledge.sql");

/// For each table: the rows that the caller can see, and how to delete rows.
const DROP_ALL: [[&str; 2]; 5] = [
    [
        "SELECT id FROM text2sql._annotations",
        "DELETE FROM text2sql._annotations WHERE id = ANY ($1)",
    ],
    [
        "SELECT id FROM text2sql._definitions",
        "DELETE FROM text2sql._definitions WHERE id = ANY ($1)",
    ],
    [
        "SELECT id FROM text2sql._joins",
        "DELETE FROM text2sql._joins WHERE id = ANY ($1)",
    ],
    [
        "SELECT id FROM text2sql._examples",
        "DELETE FROM text2sql._examples WHERE id = ANY ($1)",
    ],
    [
        "SELECT id FROM text2sql._instructions",
        "DELETE FROM text2sql._instructions WHERE id = ANY ($1)",
    ],
];
const REBIND: &str = "SELECT text2sql._rebind_knowledge()";
const SET_EXAMPLE: &str = "
    UPDATE text2sql._examples
    SET verified_by = CASE WHEN $2 THEN coalesce(verified_by, $5::name) ELSE verified_by END,
        verified_at = CASE WHEN $2 THEN coalesce(verified_at, now()) ELSE verified_at END,
        intent = coalesce($3, intent), intent_reason = coalesce($4, intent_reason)
    WHERE id = $1";

/// All stored knowledge that the caller can see.
pub(crate) fn export() -> Result<String, Error> {
    exchange::write(spi::read_json::<Vec<Entry>>(EXPORT, &[])?)
}

/// Imports an export. With `replaces`, existing knowledge that the caller can see is deleted first; with
/// `skips`, an invalid line is skipped, without, it ends the call and nothing is stored. Returns what became of each line.
pub(crate) fn import(text: Option<&str>, replaces: bool, skips: bool) -> Result<Vec<Line>, Error> {
    let text = required(text, "text to import")?;
    let lines = exchange::read(text)?;
    if replaces {
        for [find, drop] in DROP_ALL {
            let ids = spi::read_rows(find, &[], 0, |row| row.read::<i64>(1))?;
            let ids: Vec<i64> = ids.into_iter().flatten().collect();
            as_owner(|| spi::write(drop, &[ids.into()], |_| Ok(())))?;
        }
    } else {
        as_owner(|| spi::write(REBIND, &[], |_| Ok(())))?;
    }
    let judge = SqlCheck::new()?;
    let mut imported = Vec::new();
    for (number, entry) in lines {
        check_for_interrupts!();
        let mut line = Line {
            number: i64::try_from(number).ok(),
            outcome: "taken",
            ..Line::default()
        };
        let message = match entry {
            Err(message) => message,
            Ok(entry) => {
                line.entry = Some(entry.kind());
                line.subject = entry.name().to_owned();
                match take(entry, &judge) {
                    Ok(()) => {
                        imported.push(line);
                        continue;
                    }
                    Err(error) if is_about_one_entry(&error) => error.message().to_owned(),
                    Err(error) => return Err(error),
                }
            }
        };
        if !skips {
            return Err(failure!(Setting, "line {number}: {message}")
                .with_detail("Nothing was imported.")
                .with_hint("Import the other lines: SELECT * FROM text2sql.import_knowledge(…, on_error => 'skip');"));
        }
        line.outcome = "refused";
        line.reason = Some(message);
        imported.push(line);
    }
    Ok(imported)
}

fn take(entry: Entry, judge: &SqlCheck) -> Result<(), Error> {
    match entry {
        Entry::Object {
            object,
            description,
            origin,
            value_meanings,
            synonyms,
            priority,
            derived_from,
        } => {
            if let Some(description) = &description {
                let origin = origin.as_deref().unwrap_or("taught");
                annotations::describe_as(origin, &object, description)?;
            }
            if let Some(meanings) = value_meanings {
                annotations::describe_values(Some(&object), Some(JsonB(meanings.into())))?;
            }
            if !synonyms.is_empty() {
                annotations::add_synonyms(Some(&object), synonyms)?;
            }
            if !derived_from.is_empty() {
                annotations::derived_from(&object, &derived_from)?;
            }
            if let Some(priority) = priority {
                annotations::set_priority(Some(&object), &priority)?;
            }
            Ok(())
        }
        Entry::Definition {
            term,
            meaning,
            metric: Some(metric),
            columns,
            synonyms,
            origin,
            ..
        } => metrics::define(&metrics::Given {
            term: Some(&term),
            meaning: Some(&meaning),
            synonyms,
            metric,
            columns: columns
                .iter()
                .map(|column| format!("column {column}"))
                .collect(),
            origin: origin.as_deref().unwrap_or("taught"),
        }),
        Entry::Definition {
            term,
            meaning,
            sql_expression,
            period,
            applies_to,
            joins,
            synonyms,
            origin,
            ..
        } => definitions::define(&Given {
            term: Some(&term),
            meaning: Some(&meaning),
            sql_expression: sql_expression.as_deref(),
            applies_to: applies_to.as_deref(),
            synonyms,
            period: period.as_deref(),
            joins,
            origin: origin.as_deref().unwrap_or("taught"),
            only_replaces: None,
        })
        .map(drop),
        Entry::Instruction {
            instruction,
            applies_to,
            role_name,
        } => instructions::add(
            Some(&instruction),
            applies_to.as_deref(),
            role_name.as_deref(),
        )
        .map(drop),
        Entry::Join {
            columns,
            target_columns,
            status,
            evidence,
            origin,
        } => {
            if !matches!(status.as_str(), "accepted" | "suggested" | "rejected") {
                return Err(failure!(Setting, "invalid status \"{status}\" of a join"));
            }
            let origin = origin.as_deref().unwrap_or("taught");
            let id = joins::add(&columns, &target_columns, evidence.as_deref(), origin)?;
            joins::set_status(id, &status)
        }
        Entry::Example {
            question,
            sql,
            verified,
            intent,
            intent_reason,
            origin,
        } => {
            let pair = Pair::new(&question, &sql)
                .map_err(|message| Error::new(ErrorKind::Setting, message))?;
            let origin = origin.as_deref().unwrap_or("taught");
            let id = examples::add_pair(pair, judge, origin)?;
            // An older one is verified for what its names mean now.
            let meaning = match verified {
                true => examples::verifiable(id, &sql, judge)?.ok(),
                false => None,
            };
            if let Some(row) = meaning {
                examples::mark_verified(vec![row])?;
            }
            let intent = intent.filter(|said| matches!(said.as_str(), "yes" | "no" | "unsure"));
            let arguments = [
                id.into(),
                verified.into(),
                intent.into(),
                intent_reason.into(),
                user_name().into(),
            ];
            as_owner(|| spi::write(SET_EXAMPLE, &arguments, |_| Ok(()))).map(drop)
        }
    }
}
