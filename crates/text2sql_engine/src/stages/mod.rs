//! What happens to a question, one file for each stage. A stage knows none of the others' order: that is the business of
//! [`pipeline`](crate::pipeline).

pub(crate) mod choose_tables;
pub(crate) mod decline;
pub(crate) mod given_meaning;
pub(crate) mod hold;
pub mod interpret;
mod named_periods;
pub(crate) mod not_followed;
pub(crate) mod prompt;
pub(crate) mod retrieve;
pub(crate) mod rights;
pub(crate) mod route;
pub(crate) mod row_notes;
pub(crate) mod score;
pub(crate) mod understand;
pub(crate) mod withheld;

pub(crate) use self::named_periods::with_hint;
