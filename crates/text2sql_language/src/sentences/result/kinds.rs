//! What a sentence says, before a language puts it in words. Values are as the language writes them.

use super::facts::Reason;

/// A value with what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The value.
    pub value: String,
    /// Whether the value is 1, for the plural of what it counts.
    pub is_one: bool,
    /// What it is.
    pub of: Measure,
}

/// What a figure is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// A count of things: "customers".
    Things(String),
    /// A count of unnamed things.
    Count,
    /// Anything else, by its name: "total revenue".
    Named(String),
}

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Single {
    /// The value.
    pub value: String,
    /// What kind of value.
    pub kind: SingleKind,
    /// The words of the column's name; `None` if the name says nothing.
    pub label: Option<String>,
}

impl Single {
    /// A name.
    pub fn name(value: String) -> Self {
        Self {
            value,
            kind: SingleKind::Name,
            label: None,
        }
    }
}

/// What kind of value a single one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SingleKind {
    /// A whole number.
    Number(i64),
    /// A number that is not counted.
    Amount,
    /// Yes or no.
    Truth(bool),
    /// A name or any other text.
    Name,
    /// A day or a time.
    Time,
}

/// One row of several values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The name of the row, if it has one.
    pub name: Option<String>,
    /// The other columns, with their names; `None` is NULL.
    pub values: Vec<(String, Option<String>)>,
    /// How many further columns are not said.
    pub further: usize,
}

/// Rows without an order that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// The number of rows.
    pub count: usize,
    /// Whether there may be more.
    pub is_cut: bool,
    /// The members that are named.
    pub members: Vec<String>,
    /// Whether the members are rows with the same name.
    pub things: Option<String>,
}

/// Rows in the order of what they are ranked by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The rows that share the first place, as far as they are named.
    pub leaders: Vec<String>,
    /// How many rows share it; `None` if that is not known.
    pub equal: Option<u64>,
    /// Their figure.
    pub figure: Option<Figure>,
    /// The next place.
    pub next: Option<Next>,
    /// Whether the greatest comes first.
    pub is_descending: bool,
    /// Further rows, with their figures.
    pub others: Vec<String>,
    /// How many rows are neither named nor equal to the first.
    pub further: usize,
    /// The number of rows shown.
    pub rows: usize,
}

/// The place after the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The distance to the first place.
    pub gap: Option<String>,
}

/// Groups with a figure each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    /// What is measured.
    pub measure: Measure,
    /// What the groups are made by: "status".
    pub keys: Vec<String>,
    /// How many groups there are.
    pub count: usize,
    /// All groups, if there are few: name, value, share.
    pub all: Vec<(String, String, Option<String>)>,
    /// The largest.
    pub highest: Extreme,
    /// The smallest; `None` if all are equal.
    pub lowest: Option<Extreme>,
    /// The total, where the groups add up.
    pub total: Option<String>,
    /// Whether there may be more groups.
    pub is_cut: bool,
    /// Whether rows were cut, so that `all` has the first ones only.
    pub is_truncated: bool,
}

/// The largest or smallest groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extreme {
    /// Their names, as far as they are named.
    pub names: Vec<String>,
    /// How many share the value.
    pub equal: usize,
    /// The value.
    pub value: String,
    /// The share of the total.
    pub share: Option<String>,
}

/// A figure for each period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// What is measured.
    pub measure: Measure,
    /// The length of a period, as the language calls it.
    pub unit: super::facts::TimeUnit,
    /// The number of periods.
    pub count: usize,
    /// The current period, if it is not over.
    pub unfinished: Option<Point>,
    /// The last period that is over.
    pub last: Point,
    /// The one before it, and the change since.
    pub before: Option<(Point, Change)>,
    /// The first one, and the change since; only if it is another than the one before the last.
    pub first: Option<(Point, Change)>,
    /// The highest, if it is not the last one.
    pub highest: Option<Point>,
    /// The lowest, if it is not the last one.
    pub lowest: Option<Point>,
    /// The total, where the periods add up.
    pub total: Option<String>,
}

/// A period with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The period.
    pub period: String,
    /// The value.
    pub value: String,
}

/// A change from one value to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its direction.
    pub direction: std::cmp::Ordering,
    /// The difference, without sign.
    pub difference: String,
    /// The difference as a share of the earlier value.
    pub percent: Option<String>,
}

/// Nothing was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nothing {
    /// What was returned instead of a finding.
    pub kind: NothingKind,
    /// Why.
    pub reasons: Vec<Reason>,
}

/// What an empty result is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NothingKind {
    /// No rows.
    NoRows,
    /// A row of NULLs from an aggregate over no rows.
    NoValue,
    /// A row whose values are not stored.
    NotStored,
    /// The number 0.
    Zero,
}
