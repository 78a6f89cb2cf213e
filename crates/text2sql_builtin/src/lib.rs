//! The built-in engine: simple questions answered without any model.
//!
//! It is right or silent. Every word of the question is linked to a name or a value of the schema,
//! belongs to the grammar, or carries nothing; otherwise the engine declines and says which word it
//! is. No table is a default and no link is a guess: two links that are as good make the question
//! ambiguous.
//!
//! `words` cuts the question, `link` (with `names`) finds what it names, `parse` (with `modifiers`
//! `conditions` and `naming`) makes a `request`, `doubts` refuses what is not certain, `bind`, `scope` and `select` (with `joins`) turn it into the
//! parts of one statement, `render` writes them.

#![forbid(unsafe_code)]

mod ambiguity;
mod binding;
pub mod confidence;
mod follow_up;
mod joins;
mod linking;
pub mod lookup;
mod parsing;
mod proposal;
mod rendering;
mod stop;
#[cfg(test)]
mod tests;
mod unclear;

pub use self::ambiguity::ambiguity;
pub use self::follow_up::{follow_ups, goes_on, read_as};

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
    proposal::readings::propose_within(understanding, tables, definitions, 0)
}
