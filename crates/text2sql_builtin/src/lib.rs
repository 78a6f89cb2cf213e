//! The built-in engine: answers questions without a model.
//!
//! `text2sql_understanding` is asked first, which finds what the words mean in any order; what it does not explain is
//! read by the grammar of this crate.
//!
//! It answers only if every word of the question is linked to the schema, belongs to the grammar, or has no
//! meaning of its own; otherwise it declines and reports the word. No table is a default and no link is a
//! guess: two equally good interpretations make the question ambiguous.
//!
//! The way of a question through the grammar, each step using only the steps before it:
//!
//! 1. `text2sql_language` has read it once ([`Understanding`]): tokens in the English words of the grammar;
//! 2. `linking` finds the tables, columns, stored values and business terms that they name,
//!    `joins` the paths between the tables;
//! 3. `unclear_questions` asks back if a wording has two meanings, or none;
//! 4. `parsing` turns the linked tokens into a request, and refuses what is uncertain;
//! 5. `binding` resolves the request to columns and joins, as the parts of one SELECT;
//! 6. `rendering` writes the SQL and the notes of the answer;
//! 7. `proposal` runs the steps, tries the readings of an ambiguous question, or words the refusal.
//!
//! `help` asks once more where a question would be declined, with words and values that the tables have.
//! `ambiguity` and `follow_up` need no grammar and also serve questions that a model answers.
//! `README.md` says how a rule is changed and measured.

#![forbid(unsafe_code)]

mod ambiguity;
mod binding;
pub mod confidence;
mod follow_up;
mod help;
mod joins;
mod linking;
mod no_answer;
mod parsing;
mod proposal;
mod rendering;
#[cfg(test)]
mod tests;
mod unclear_questions;

pub use self::ambiguity::{Doubt, ambiguity};
pub use self::follow_up::{follow_ups, goes_on, read_as};
pub use self::help::{Help, Helped, NoHelp, propose_with_help};

use std::sync::Arc;

use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

/// Answers the question over the tables, or says why it does not.
pub fn propose(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Proposal {
    match help::propose_meaning(understanding, tables, definitions) {
        Some(meant) if meant.corrected_question.is_none() => Proposal::Sql(meant),
        _ => proposal::readings::propose_within(understanding, tables, definitions, 0),
    }
}
