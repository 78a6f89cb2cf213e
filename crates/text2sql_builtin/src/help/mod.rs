//! What is tried before a question is declined: values that the statistics do not know, misspelt words, German
//! words over English names, words with the same meaning.
//!
//! Each makes the question one that could have been asked with the words and values of the tables. If that
//! question has an answer, it is given, with a note for each word that was read as another one.

mod indexed_values;
mod lookup;
mod meaning;
mod near_words;
mod person_names;
mod replaced;
mod reread;
mod stored_values;
mod suggestions;
mod unknown_words;
mod vocabulary;

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::proposal::{Offer, Proposal, SqlProposal};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

pub use self::lookup::{Help, NoHelp};
use self::near_words::by_meaning;
use self::replaced::Reworded;
use self::stored_values::ValueSearch;
use self::suggestions::offer;
use self::unknown_words::Spelled;
use self::vocabulary::Vocabulary;
use crate::families;
use crate::linking::derived_tables::base_tables;
use crate::proposal::{is_text, of_one_table, propose_within};
use crate::unmeasured_rank::ask_back;

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

fn is_unclear(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> bool {
    let unclear = crate::ambiguity::unclear(understanding, tables, definitions);
    unclear.is_some_and(|unclear| unclear.is_wording || unclear.is_about_value)
}

/// Answers the question over the tables: by what its words mean in any order. Where it would be
/// declined, words that the tables do not have are read as words that they have, and values are looked up.
pub fn propose_with_help(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    help: &dyn Help,
) -> Result<Helped, Error> {
    let tables = &*families::united(understanding.text(), tables, definitions);
    let mut helped = propose_over(understanding, tables, definitions, help)?;
    helped.proposal = families::noted(helped.proposal, tables, understanding.language());
    Ok(helped)
}

fn propose_over(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    help: &dyn Help,
) -> Result<Helped, Error> {
    // A wording with two meanings, or none, is asked back whatever the values are.
    if is_text(understanding) || is_unclear(understanding, tables, definitions) {
        return Ok(propose_within(understanding, tables, definitions, 0).into());
    }
    let meant = meaning::propose_with_values(understanding, tables, definitions, help)?;
    let is_spelled = |answer: &SqlProposal| answer.corrected_question.is_none();
    if let Some(answer) = meant.clone().filter(is_spelled) {
        return Ok(of_one_table(understanding, tables, definitions, answer).into());
    }
    if let Some((question, readings)) = ask_back(understanding, tables, definitions) {
        return Ok(Proposal::Ambiguous { question, readings }.into());
    }
    let first = propose_within(understanding, tables, definitions, 0);
    let Proposal::Unanswerable { missing, .. } = &first else {
        return Ok(first.into());
    };
    if !missing.is_empty() && help.is_forbidden(missing)? {
        return Ok(first.into());
    }
    // What is misspelt is asked with its right spelling first.
    let helped = reworded(understanding, tables, definitions, help, first)?;
    Ok(match (&helped.proposal, meant) {
        (Proposal::Unanswerable { .. }, Some(answer)) => Proposal::Sql(answer).into(),
        _ => helped,
    })
}

/// What is made of the question in words of the tables, and what is offered where that is nothing.
pub(crate) fn reworded(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    help: &dyn Help,
    first: Proposal,
) -> Result<Helped, Error> {
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
    let misspelt = indexed_values::add(help.indexed_values(), &mut question.tables);
    let mut translated = Vec::new();
    if question.has_tables(tables)
        && let Some(search) = ValueSearch::of(understanding, tables)
    {
        let found = help.stored_values(search.sql())?;
        question.tables = search.tables_with(&found, tables);
        translated = search.translated(&found);
    }
    question.name_values(misspelt, true);
    question.name_values(translated, false);
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
            answer.corrected_question = question.without_typos(understanding.text());
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
