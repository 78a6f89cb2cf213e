//! Joins that nobody declared, inferred from names, keys, statistics and counts of values.
//!
//! Facts in, proposals out: [`candidates()`] finds by names which columns may reference which key;
//! the caller counts how many of their values occur there ([`Overlap`]); [`propose()`] judges both and chooses for each column at
//! most one target.

mod candidate;
mod candidates;
mod certainty;
mod choice;
mod facts;
mod keys;
mod names;
mod people;
mod schema;
#[cfg(test)]
mod tests;
mod unglued;
mod whole_keys;

pub use self::candidate::{Candidate, Reason};
pub use self::candidates::candidates;
pub use self::certainty::LEAST;
pub use self::choice::{Proposal, propose};
pub use self::facts::{ColumnFacts, Kind, Overlap, Pair, Settled, TableFacts};
pub(crate) use self::people::names_people;
