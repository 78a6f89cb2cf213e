//! What is tried before a question is declined: values that the statistics do not know, misspelt words, German
//! words over English names, words with the same meaning.
//!
//! Each makes the question one that could have been asked with the words and values of the tables. If that
//! question has an answer, it is given, with a note for each word that was read as another one.

mod indexed_values;
mod near_words;
mod person_names;
mod stored_values;
mod unknown_words;
mod vocabulary;

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::language::Language;
use text2sql_domain::ports::search_index::{NearWord, ValueHit};
use text2sql_domain::proposal::{Offer, Proposal};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

use self::near_words::by_meaning;
use self::stored_values::ValueSearch;
use self::unknown_words::Spelled;
use self::vocabulary::Vocabulary;
use crate::linking::derived_tables::base_tables;
use crate::proposal::readings::propose_within;
use crate::rendering::german_messages;
use crate::suggestions::offer;

/// What the engine proposes and, where it declines, offers instead.
#[derive(Debug, Clone, PartialEq)]
pub struct Helped {
    /// The proposal.
    pub proposal: Proposal,
    /// What was understood, and questions near it; empty unless the question is declined.
    pub offer: Offer,
}

impl From<Proposal> for Helped {
    fn from(proposal: Proposal) -> Self {
        Self {
            proposal,
            offer: Offer::default(),
        }
    }
}

/// What may be looked up outside the question and the tables. Everything returns nothing by default.
pub trait Help {
    /// For each of the words, words of the catalog with similar meaning, best first. `known` are those of the tables
    /// that the engine was given; others are ignored.
    fn near_words(&self, words: &[String], _known: &[String]) -> Result<Vec<Vec<NearWord>>, Error> {
        Ok(vec![Vec::new(); words.len()])
    }

    /// Values of the search index that phrases of the question mean, each with its phrase.
    fn indexed_values(&self) -> &[(String, ValueHit)] {
        &[]
    }

    /// The rows of a query for stored values: a number and a text each. Asked only where the index knows none.
    fn stored_values(&self, _sql: &str) -> Result<Vec<(usize, String)>, Error> {
        Ok(Vec::new())
    }

    /// Whether any of the words names a table that the caller may not read: then it is not read as another one.
    fn is_forbidden(&self, _words: &[String]) -> Result<bool, Error> {
        Ok(false)
    }
}

/// No help.
#[derive(Debug, Clone, Copy)]
pub struct NoHelp;

impl Help for NoHelp {}

/// A word of the question that is read as a word of the tables, or as a stored value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replaced {
    pub(crate) word: String,
    /// The word that the question then has.
    pub(crate) by: String,
    /// What it is, as in a note: "table customer".
    pub(crate) is: Option<String>,
}

impl Replaced {
    fn note(&self, language: Language) -> String {
        let Self { word, by, is } = self;
        let note = match is {
            Some(is) => format!("'{word}' is {is}"),
            None => format!("'{word}' is read as {by}"),
        };
        match language {
            Language::English => note,
            Language::German => german_messages::in_german(&note),
        }
    }
}

/// A question with other words, over tables that know the values it mentions.
struct Reworded {
    text: String,
    tables: Vec<Arc<Table>>,
    replaced: Vec<Replaced>,
}

impl Reworded {
    /// Whether the tables are those, without further values.
    fn has_tables(&self, tables: &[Arc<Table>]) -> bool {
        let pairs = self.tables.iter().zip(tables);
        pairs
            .into_iter()
            .all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// Replaces other spellings and German names of values by the stored ones.
    fn name_values(&mut self, named: Vec<(String, String)>) {
        for (word, by) in named {
            if let Some(text) = with_word(&self.text, &word, &by) {
                self.text = text;
                self.replaced.push(Replaced { word, by, is: None });
            }
        }
    }
}

/// Answers the question over the tables. Where it would be declined, words that the tables do not have are read as
/// words that they have, and values are looked up.
pub fn propose_with_help(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    help: &dyn Help,
) -> Result<Helped, Error> {
    let first = propose_within(understanding, tables, definitions, 0);
    let Proposal::Unanswerable { missing, .. } = &first else {
        return Ok(first.into());
    };
    if !missing.is_empty() && help.is_forbidden(missing)? {
        return Ok(first.into());
    }
    let today = understanding.today();
    let mut question = Reworded {
        text: understanding.text().to_owned(),
        tables: tables.to_vec(),
        replaced: Vec::new(),
    };
    let base = base_tables(understanding.tokens(), tables, definitions);
    let base = base.as_deref().unwrap_or(tables);
    let vocabulary = Vocabulary::of(base);
    let spelled = unknown_words::spelled(understanding, base, definitions, &vocabulary);
    if let Some(Spelled { text, replaced }) = spelled {
        (question.text, question.replaced) = (text, replaced);
    }
    let mut named = indexed_values::add(help.indexed_values(), &mut question.tables);
    if question.has_tables(tables)
        && let Some(search) = ValueSearch::of(understanding, tables)
    {
        let found = help.stored_values(search.sql())?;
        question.tables = search.tables_with(&found, tables);
        named.extend(search.translated(&found));
    }
    question.name_values(named);
    if let Some(text) = person_names::quoted(&question.text, today, &question.tables, definitions) {
        question.text = text;
    }
    let propose = |question: &Reworded| {
        let replaced = Understanding::of(&question.text, today);
        propose_within(&replaced, &question.tables, definitions, 0)
    };
    let is_changed = question.text != understanding.text() || !question.has_tables(tables);
    let mut latest = match is_changed {
        true => propose(&question),
        false => first.clone(),
    };
    if matches!(latest, Proposal::Unanswerable { .. }) {
        latest = by_meaning(&mut question, latest, &vocabulary, help, propose)?;
    }
    let language = understanding.language();
    Ok(match latest {
        Proposal::Sql(mut answer) => {
            // The note on the word itself says where it is.
            let is_said = |link: &String| {
                let mut replaced = question.replaced.iter();
                replaced.any(|one| one.is.is_some() && is_about(link, &one.by))
            };
            answer.links.retain(|link| !is_said(link));
            let notes = question.replaced.iter().map(|one| one.note(language));
            answer.links.splice(0..0, notes);
            Proposal::Sql(answer).into()
        }
        ambiguous @ Proposal::Ambiguous { .. } => ambiguous.into(),
        Proposal::Unanswerable { .. } => {
            let Reworded {
                text,
                tables,
                replaced,
            } = &question;
            let mut offer = offer(understanding, text, replaced, tables, definitions);
            let notes = replaced.iter().map(|one| one.note(language));
            offer
                .understood
                .retain(|note| !replaced.iter().any(|one| is_about(note, &one.by)));
            offer.understood.splice(0..0, notes);
            Helped {
                proposal: first,
                offer,
            }
        }
    })
}

/// Whether a note is about the word: "'customers' is …".
fn is_about(note: &str, word: &str) -> bool {
    let about = note.trim_start_matches(['\'', '„']).strip_prefix(word);
    about.is_some_and(|rest| rest.starts_with(['\'', '“']))
}

/// The question with its unknown words as the tables have them; `None` if there are none.
pub(crate) fn reread(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<String> {
    let base = base_tables(understanding.tokens(), tables, definitions);
    let base = base.as_deref().unwrap_or(tables);
    let vocabulary = Vocabulary::of(base);
    let spelled = unknown_words::spelled(understanding, base, definitions, &vocabulary);
    spelled.map(|spelled| spelled.text)
}

/// The text with another word wherever a word occurs; `None` if it does not.
pub(crate) fn with_word(text: &str, word: &str, replacement: &str) -> Option<String> {
    let is_outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let mut replaced = String::with_capacity(text.len() + replacement.len());
    let mut end = 0;
    for (at, _) in text.match_indices(word) {
        let (before, rest) = text.split_at(at);
        let after = rest.strip_prefix(word).unwrap_or_default();
        if is_outside(before.chars().next_back()) && is_outside(after.chars().next()) {
            replaced.push_str(text.get(end..at)?);
            replaced.push_str(replacement);
            end = at + word.len();
        }
    }
    replaced.push_str(text.get(end..)?);
    (end > 0).then_some(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced() {
        assert_eq!(
            with_word("art, artists and art", "art", "works").unwrap(),
            "works, artists and works"
        );
        assert_eq!(with_word("artists", "art", "works"), None);
    }
}
