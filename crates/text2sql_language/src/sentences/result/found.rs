//! A result with what is known about it.

use super::facts::{Places, QueryFacts, Reason};
use crate::understanding::Understanding;
use text2sql_domain::sql_result::Execution;

/// A result with what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The question.
    pub understanding: &'a Understanding,
    /// The rows.
    pub execution: &'a Execution,
    /// What the query says.
    pub facts: &'a QueryFacts,
    /// The first places, if the rows are ranked and they were looked up.
    pub places: Option<&'a Places>,
    /// Whether the query is about something else: the words of the question would claim what it did not compute.
    pub is_off_topic: bool,
    /// Why nothing was found.
    pub reasons: &'a [Reason],
}
