//! Data checks behind the sentence of an answer: whether rows beyond the limit tie with those shown, and why a
//! query returned no rows.

use jiff::civil::Date;

use crate::language::Language;

/// The sort key of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The expression.
    pub expression: String,
    /// What follows the expression in ORDER BY.
    pub direction: String,
    /// The name of what it measures: "replacement cost", "films".
    pub label: String,
    /// Whether it is a count.
    pub counts: bool,
}

/// An answer with ORDER BY and LIMIT, and how to find ties at the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The rows within the limit, with those that tie with the last one.
    pub sql: String,
    /// The note to show if the check was not made.
    pub note: String,
    /// The columns that identify a row.
    pub names: Vec<String>,
    /// The LIMIT.
    pub limit: u64,
    /// The sort key.
    pub ranked: Ranked,
    /// The language of the sentences.
    pub language: Language,
}

/// A period that a statement filters on.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    /// The SQL name of the table.
    pub table: String,
    /// The SQL name of the column.
    pub column: String,
    /// `table.column`, for display.
    pub label: String,
    /// The first day, inclusive.
    pub from: Option<Date>,
    /// The end, exclusive.
    pub to: Option<Date>,
}

/// What to look up if a statement returns no rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Emptiness {
    /// The periods of the statement.
    pub periods: Vec<Period>,
    /// The statement's FROM and WHERE, without its outputs.
    pub rows: String,
    /// The language of the sentences.
    pub language: Language,
}

/// Why a query returned nothing, found by running it with parts left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptyCause {
    /// The explanation, in full sentences, for the caller; it may contain values that the caller may read.
    pub explanation: String,
    /// The same without any value of the data.
    pub without_values: String,
    /// The condition or join, as the query has it.
    pub part: Option<String>,
    /// The existing values that are most similar to one that does not occur.
    pub nearest: Vec<String>,
}
