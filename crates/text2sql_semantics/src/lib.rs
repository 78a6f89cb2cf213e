//! What a question means, between its words and SQL: a [`SemanticQuery`], and its compiler.
//!
//! One row of the subject is the grain of the query. Everything else is reached from it without repeating a row:
//! columns of other tables along keys to one row each, and rows that refer to the subject as an aggregate or as a
//! condition that they exist. So a sum counts each row once, whatever is shown beside it. What cannot be written
//! that way is refused with the reason.

#![forbid(unsafe_code)]

mod compile;
mod definitions;
mod edit;
mod family;
mod query;
mod read;
mod refusal;
mod scope;
#[cfg(test)]
mod tests;

pub use self::compile::{Compiled, Note, compile};
pub use self::definitions::parts_of;
pub use self::edit::Edit;
pub use self::query::{
    Aggregate, Answer, ColumnRef, Condition, DatePart, Defined, Dimension, Expression, Function,
    Key, Literal, Measure, Operator, Order, OrderBy, Part, Related, SemanticQuery, Shown, Step,
    TableRef, Value,
};
pub use self::read::Misread;
pub use self::refusal::Refusal;
