//! What is said about an answer.

use text2sql_domain::proposal::SqlProposal;
use text2sql_language::german::{ENGLISH_MARKS, MARKS};
use text2sql_language::understanding::Understanding;
use text2sql_semantics::{Compiled, Note, SemanticQuery};

/// Whether more of the words are German: fragments have few that only one language has.
pub(crate) fn is_german(understanding: &Understanding) -> bool {
    let words = understanding.words();
    let count = |marks: &[&str]| {
        words
            .iter()
            .filter(|word| marks.contains(&word.as_str()))
            .count()
    };
    let german = words.iter().filter(|word| {
        text2sql_language::german::nouns::noun(word)
            .is_some_and(|noun| !noun.english.contains(&word.as_str()))
            || word.contains(['ä', 'ö', 'ü', 'ß'])
    });
    count(MARKS) + german.count() > count(ENGLISH_MARKS)
}

/// The proposal with what was read and what was assumed.
pub(crate) fn proposal(query: &SemanticQuery, compiled: Compiled) -> SqlProposal {
    let mut proposal = SqlProposal {
        sql: compiled.sql,
        meaning: serde_json::to_value(query).ok().map(Box::new),
        ..SqlProposal::default()
    };
    for part in &query.parts {
        let list = match part.is_default {
            true => &mut proposal.notes,
            false => &mut proposal.links,
        };
        if !list.contains(&part.says) {
            list.push(part.says.clone());
        }
    }
    proposal
        .notes
        .extend(compiled.notes.into_iter().map(|note| match note {
            Note::WithoutValueCounts { table, column } => {
                format!("rows without {table}.{column} count as rows with another one")
            }
            Note::CountsForEach { table } => {
                format!("what belongs to several rows of {table} counts for each of them")
            }
            Note::TakenAsKey { from, column, to } => {
                format!("{from}.{column} is taken as a key of {to}")
            }
            Note::WithoutRowLeftOut { table } => {
                format!("rows that belong to no row of {table} are left out")
            }
        }));
    proposal
}
