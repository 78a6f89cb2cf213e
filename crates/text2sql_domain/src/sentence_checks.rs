//! What is checked on the data before the sentence of an answer claims it: whether the first rows of an order
//! lead alone, and why nothing was found.

use jiff::civil::Date;

use crate::language::Language;

/// What rows of an answer are ordered by.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The expression.
    pub expression: String,
    /// What follows it in ORDER BY.
    pub direction: String,
    /// What it measures: "replacement cost", "films".
    pub label: String,
    /// Whether it counts what it says.
    pub counts: bool,
}

/// An answer that is the beginning of an order, and how to find out what its rows share.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The rows that the order reaches, with those that are equal to the last one.
    pub sql: String,
    /// What is said as long as nobody has looked.
    pub note: String,
    /// The columns that name a row.
    pub names: Vec<String>,
    /// How many rows are shown.
    pub limit: u64,
    /// What orders them.
    pub ranked: Ranked,
    /// The language of its sentences.
    pub language: Language,
}

/// A period that a statement filters on.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    /// The table as SQL names it.
    pub table: String,
    /// The column as SQL names it.
    pub column: String,
    /// `table.column`, as people read it.
    pub label: String,
    /// The first day of it.
    pub from: Option<Date>,
    /// The first day behind it.
    pub to: Option<Date>,
}

/// What is to be looked up where a statement gives nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Emptiness {
    /// The periods of the statement.
    pub periods: Vec<Period>,
    /// The statement's rows without what is made of them.
    pub rows: String,
    /// The language of its sentences.
    pub language: Language,
}
