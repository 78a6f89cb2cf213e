//! What is known about a result beside its rows: what its query says, and what was looked up.

use crate::understanding::Understanding;
use text2sql_domain::sql_result::Cell;

/// What the query says about its result. The default says nothing: the sentence then claims less.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryFacts {
    /// The columns of the result, in order; empty if the query could not be read.
    pub outputs: Vec<Output>,
    /// Whether each row stands for a group.
    pub is_grouped: bool,
    /// Whether LIMIT, OFFSET or HAVING leaves groups or rows out.
    pub is_partial: bool,
    /// The number of LIMIT, if the rows are ordered.
    pub limit: Option<u64>,
    /// How many rows there are without LIMIT, where the database has counted them.
    pub all: Option<u64>,
    /// The first key of ORDER BY.
    pub order: Option<Order>,
}

impl QueryFacts {
    /// Whether LIMIT, of which the question does not speak, may leave out some of what it asks for.
    pub fn is_limited(&self, understanding: &Understanding, rows: usize) -> bool {
        self.limit.is_some_and(|limit| {
            let mut stated = understanding.numbers().iter();
            limit > 1 && rows as u64 >= limit && !stated.any(|number| number.matches(limit as f64))
        })
    }
}

/// A sort key.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// Its column of the result; `None` if it is not shown.
    pub output: Option<usize>,
    /// Whether the greatest comes first.
    pub is_descending: bool,
    /// What it is.
    pub is: Output,
}

/// A column of the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// What its values are.
    pub role: Role,
    /// What a person calls it, if that is better than its name: the table of a column `name`.
    pub label: Option<String>,
    /// What curators call it: its synonyms, and its description if that is a name.
    pub taught: Vec<String>,
    /// The unit, if a name or a comment states it.
    pub unit: Option<String>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Stored values, or what a group is made by.
    Value,
    /// Numbers that only identify a row.
    Id,
    /// Periods of this length.
    Time(TimeUnit),
    /// A count whose groups add up.
    Count,
    /// A sum whose groups add up.
    Sum,
    /// A count of distinct values: one value may be in several groups.
    DistinctCount,
    /// Another aggregate: an average, an extreme.
    Measure,
}

/// The length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// A year.
    Year,
    /// A quarter.
    Quarter,
    /// A month.
    Month,
    /// A week, from Monday.
    Week,
    /// A day.
    Day,
}

/// The first places of a ranking, looked up without its limit.
#[derive(Debug, Clone)]
pub struct Places {
    /// The first rows: the columns of the result, then what they are ranked by.
    pub rows: Vec<Vec<Cell>>,
    /// The type of what they are ranked by.
    pub measure_type: String,
    /// How many rows share the first place.
    pub equal: u64,
    /// How many rows are equal to the last one shown, and are not shown.
    pub left_out: u64,
}

/// Why nothing was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The period that the query keeps: its first and its last day.
    Period {
        /// The first day.
        from: Option<String>,
        /// The last day, inclusive.
        to: Option<String>,
    },
    /// The data end before the period.
    LastDate {
        /// `table.column`.
        column: String,
        /// The last day.
        day: String,
    },
    /// The data begin after the period.
    FirstDate {
        /// `table.column`.
        column: String,
        /// The first day.
        day: String,
    },
    /// A condition that holds for no row.
    Condition {
        /// The condition, in SQL.
        sql: String,
        /// The values nearest to the one that does not occur.
        nearest: Vec<String>,
    },
    /// A condition that holds for no group.
    GroupCondition(String),
    /// A join that finds no match.
    Join(String),
    /// Conditions that no row meets together.
    Together(Vec<String>),
    /// A table without rows that the caller may see.
    EmptyTable(String),
    /// Rows were found, and none has a value.
    NoValues,
}
