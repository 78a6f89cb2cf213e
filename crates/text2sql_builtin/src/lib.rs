//! The built-in engine: answers questions without a model.
//!
//! `text2sql_understanding` finds what the words mean in any order. It answers only if every word of the question is
//! explained; otherwise this crate asks back, asks once more with words and values that the tables have, or declines and
//! reports the word. No table is a default and no link is a guess: two equally good interpretations make the question
//! ambiguous.
//!
//! `proposal` asks what a question means and words the refusal, `help` asks once more where it would be declined.
//! `ambiguity` and `follow_up` also serve questions that a model answers.
//! `families` makes one table of those that are one for each brand or year.
//! `README.md` says how a rule is changed and measured.

#![forbid(unsafe_code)]

mod ambiguity;
pub mod confidence;
mod decline;
mod families;
mod follow_up;
mod help;
mod joins;
mod linking;
mod meaning_parts;
mod meaning_words;
mod no_answer;
mod notes;
mod proposal;
#[cfg(test)]
mod tests;
mod unclear_questions;
mod unmeasured_rank;

pub use self::ambiguity::Doubt;
pub use self::follow_up::{Before, Following, follow_up, goes_on, next_questions, whole};
pub use self::help::{Help, Helped, NoHelp, propose_with_help};
pub use self::meaning_parts::{meaning_parts, of_meaning, of_short_meaning};

use std::sync::Arc;

use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

/// The doubt about a question that certainly has several readings by its names and values alone, or does not say by what
/// it ranks.
pub fn ambiguity(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Doubt> {
    let united = families::united(understanding.text(), tables, definitions);
    match unmeasured_rank::ask_back(understanding, &united, definitions) {
        Some((question, readings)) => Some(Doubt {
            question,
            readings,
            may_be_settled: false,
            is_about_value: false,
        }),
        None => ambiguity::ambiguity(understanding, tables, definitions),
    }
}

/// Answers the question over the tables, or says why it does not.
pub fn propose(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Proposal {
    let tables = &*families::united(understanding.text(), tables, definitions);
    let proposal = proposal::propose_within(understanding, tables, definitions, 0);
    families::noted(proposal, tables, understanding.language())
}
