//! Lines that define a term.

use text2sql_domain::error::Error;
use text2sql_knowledge::mapping::Mapping;

use super::file::{Line, subject};
use super::provenance::Before;
use crate::pg::stored::teaching::definitions::{self, Given};
use crate::pg::stored::teaching::is_about_one_entry;

/// Defines the term of a line, unless somebody else has defined it otherwise.
pub(super) fn take(number: i64, mapping: &Mapping, before: &Before) -> Result<Line, Error> {
    if mapping.meaning.is_none() && mapping.sql.is_none() && mapping.period.is_none() {
        let reason = "it has no meaning, no SQL and no period".to_owned();
        return Ok(Line::refused(number, subject(mapping), reason));
    }
    let outcome = match defined(mapping, before) {
        Err(error)
            if is_about_one_entry(&error) && mapping.is_words() && mapping.meaning.is_none() =>
        {
            // Words that are no SQL explain the term.
            let in_words = Mapping {
                meaning: mapping.sql.clone(),
                sql: None,
                ..mapping.clone()
            };
            defined(&in_words, before).map(|line| Line {
                reason: Some("as words: it is no SQL over one table".to_owned()),
                ..line
            })
        }
        outcome => outcome,
    };
    match outcome {
        Ok(line) => Ok(Line {
            number: Some(number),
            entry: Some("definition"),
            subject: subject(mapping),
            ..line
        }),
        Err(error) if is_about_one_entry(&error) => Ok(Line::refused(
            number,
            subject(mapping),
            error.message().to_owned(),
        )),
        Err(error) => Err(error),
    }
}

fn defined(mapping: &Mapping, before: &Before) -> Result<Line, Error> {
    let expression = mapping.sql.as_deref().filter(|_| !mapping.is_statement());
    // An expression without words explains itself.
    let meaning = mapping.meaning.as_deref().or(expression);
    let given = Given {
        term: Some(&mapping.term),
        meaning,
        sql_expression: expression,
        applies_to: mapping.applies_to.as_deref(),
        synonyms: mapping.synonyms.clone(),
        period: mapping.period.as_deref(),
        joins: Vec::new(),
        origin: "import",
        only_replaces: Some(&before.definitions),
    };
    if let Some(id) = definitions::equal(&given)? {
        return Ok(Line {
            entry_id: Some(id),
            is_own: before.definitions.contains(&id),
            outcome: "known",
            ..Line::default()
        });
    }
    let table = definitions::define(&given)?;
    Ok(Line {
        entry_id: definitions::newest(&mapping.term)?,
        is_own: true,
        outcome: "taken",
        reason: table.map(|table| format!("it is about the rows of {table}")),
        ..Line::default()
    })
}
