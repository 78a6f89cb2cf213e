//! Follow-ups: each changes one part of the meaning of the answer before it, or is a question of its own.
//!
//! What a model gets of a follow-up is the conversation's text; only whether a question goes on from another is the
//! same for both.

mod next;
mod words;

use std::sync::Arc;

pub(crate) use self::next::group_questions;
pub use self::next::next_questions;
use self::words::{BACK_REFERENCES, CONTINUATIONS, OPENINGS, core_of};
use crate::families;
use crate::meaning_words::{Wording, in_words};
use crate::proposal::propose_within;
use serde_json::Value;
use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::english::lexicon;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::{Language, retold, say_in};
use text2sql_semantics::{Edit, SemanticQuery};
use text2sql_understanding::{Followed, follow};

/// Stands between a question and what was made of it.
const ARROW: &str = " → ";

/// How a question relates to the answer before it.
#[derive(Debug)]
pub enum Following {
    /// It is complete by itself.
    Alone,
    /// It is complete without the words that join it to the one before.
    Whole(Box<Understanding>),
    /// It changes the meaning of the answer before.
    Changed(Box<SqlProposal>),
    /// It goes on from the answer before, and nobody knows how.
    Unresolved,
}

/// The answer before a follow-up.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// The complete question.
    pub question: &'a str,
    /// The statement that answered it.
    pub sql: &'a str,
    /// Its meaning, where that is known.
    pub meaning: Option<&'a Value>,
}

impl Before<'_> {
    /// The meaning of the answer: as it was kept, or that of the question where the statement is the same.
    fn query(
        &self,
        today: &str,
        tables: &[Arc<Table>],
        definitions: &[Definition],
    ) -> Option<SemanticQuery> {
        let kept = self.meaning.cloned();
        let meaning = kept.or_else(|| {
            let asked = Understanding::of(self.question, today);
            match propose_within(&asked, tables, definitions, 0) {
                Proposal::Sql(answer) if answer.sql == self.sql => {
                    answer.meaning.map(|meaning| *meaning)
                }
                _ => None,
            }
        })?;
        SemanticQuery::read(&meaning).ok()
    }
}

/// Whether the question continues the previous one, judged by its first words or a back reference.
pub fn goes_on(understanding: &Understanding) -> bool {
    let words = understanding.words();
    let first = words.first().map_or("", String::as_str);
    let text = words.join(" ");
    let is_opened = OPENINGS
        .iter()
        .map(|opening| opening.replace(',', ""))
        .any(|opening| text == opening || text.starts_with(&format!("{opening} ")));
    let points_back = words.len() <= 8
        && words
            .iter()
            .any(|word| BACK_REFERENCES.contains(&word.as_str()));
    is_opened || CONTINUATIONS.contains(&first) || points_back
}

/// How the question relates to the answer before it. A complete question starts afresh.
pub fn follow_up(
    before: Before<'_>,
    asked: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Following {
    /// A longer question with several readings is one of its own.
    const FRAGMENT: usize = 3;
    let tables = &*families::united(asked.text(), tables, definitions);
    let goes_on = goes_on(asked);
    let alone = propose_within(asked, tables, definitions, 0);
    let is_own = match &alone {
        Proposal::Sql(_) => true,
        Proposal::Ambiguous { .. } => asked.words().len() > FRAGMENT,
        Proposal::Unanswerable { .. } => false,
    };
    if !goes_on && is_own {
        return Following::Alone;
    }
    let core = Understanding::of(&core_of(asked.text()), asked.today());
    // "and how many stores are there?" is complete after its first word.
    let asks = core.tokens().first().is_some_and(|token| {
        token.lower == "how" || lexicon::OPENERS.contains(&token.lower.as_str())
    });
    if goes_on
        && asks
        && matches!(
            propose_within(&core, tables, definitions, 0),
            Proposal::Sql(_)
        )
    {
        return Following::Whole(Box::new(core));
    }
    let query = before.query(asked.today(), tables, definitions);
    let changed = query.and_then(|query| follow(&query, asked, core.text(), tables, definitions));
    match changed {
        Some(followed) => Following::Changed(Box::new(noted(before, asked, followed, definitions))),
        // "and their cities?" is no question of its own, whatever its last word is answered with.
        None if goes_on && (core.text() != asked.text() || !matches!(alone, Proposal::Sql(_))) => {
            Following::Unresolved
        }
        None => Following::Alone,
    }
}

/// What a change stands for, for those who read the conversation: the first question, and the last changes. With a comma
/// it would be another question: "customers in Germany, and in France".
pub fn whole(before: &str, follow_up: &Understanding) -> String {
    const SHOWN: usize = 2;
    let change = follow_up.text();
    let mut parts: Vec<&str> = before.split(ARROW).chain([change]).collect();
    if parts.len() > SHOWN + 2 {
        parts.splice(1..parts.len() - SHOWN, ["…"]);
    }
    let trimmed = parts
        .iter()
        .map(|part| part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '?' | '.' | '!')));
    trimmed.collect::<Vec<_>>().join(ARROW)
}

/// The answer with what was changed, in the language of the follow-up.
fn noted(
    before: Before<'_>,
    asked: &Understanding,
    followed: Followed,
    definitions: &[Definition],
) -> SqlProposal {
    let language = asked.language();
    let Followed {
        mut proposal,
        edits,
    } = followed;
    let said = proposal.links.iter_mut().chain(&mut proposal.notes);
    said.for_each(|note| *note = retold(language, "reason", note));
    let mut parts: Vec<String> = Vec::new();
    for edit in &edits {
        let part = part_of(edit, language);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let note = say_in!(
        language,
        "'{follow_up}' changes '{before}': {parts}",
        follow_up = asked.text(),
        before = before.question.trim_end_matches(['?', '.', '!', ' ']),
        parts = parts.join(", ")
    );
    proposal.links.insert(0, note);
    // The words of a change alone say nothing of what it changed.
    let meaning = proposal.meaning.as_deref();
    proposal.corrected_question = meaning
        .and_then(|meaning| SemanticQuery::read(meaning).ok())
        .map(|query| {
            in_words(
                &query,
                Wording {
                    language,
                    definitions,
                },
            )
        });
    proposal
}

/// The part that a change is of.
fn part_of(edit: &Edit, language: Language) -> String {
    match edit {
        Edit::By { .. } | Edit::InTotal => say_in!(language, "the groups"),
        Edit::Only(_) => say_in!(language, "which rows count"),
        Edit::During { .. } => say_in!(language, "the period"),
        Edit::Against { .. } => say_in!(language, "compared with another period"),
        Edit::First { .. } | Edit::Ordered(_) => say_in!(language, "the order"),
        Edit::Share => say_in!(language, "with the share of the whole"),
        Edit::Measured { .. }
        | Edit::Combined(_)
        | Edit::Counted
        | Edit::Listed(_)
        | Edit::Of { .. } => {
            say_in!(language, "what is measured")
        }
        Edit::Shown(_) => say_in!(language, "the columns"),
    }
}
