//! The form of meaning.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a question means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SemanticQuery {
    /// What one row that is counted, added up or listed stands for.
    pub subject: TableRef,
    /// Which rows of the subject count.
    pub conditions: Vec<Condition>,
    /// What is asked about them.
    pub answer: Answer,
    /// The order of the rows of the answer, and how many of them.
    pub order: Option<Order>,
    /// From which words each part was read, and how sure that is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// A table by its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableRef {
    /// Its schema, unquoted.
    pub schema: String,
    /// Its name, unquoted.
    pub name: String,
}

/// What a question asks about the rows of its subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// Figures, one row for each combination of the dimensions.
    Figures {
        /// What is measured.
        measures: Vec<Measure>,
        /// What the rows are for; one row of all where there are none.
        dimensions: Vec<Dimension>,
    },
    /// The rows themselves.
    Rows {
        /// What is shown of each.
        columns: Vec<Shown>,
        /// Whether equal rows are shown once.
        distinct: bool,
    },
    /// Whether there are any.
    Exists,
}

/// A column of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// What is shown.
    pub value: Expression,
    /// Its name in the answer, where it is not that of the column.
    pub name: Option<String>,
}

/// A figure with its name in the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its name in the answer.
    pub name: String,
    /// How it is computed.
    pub value: Value,
}

/// How a figure is computed from aggregates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Value {
    /// One aggregate.
    Aggregate(Aggregate),
    /// The first in percent of the second.
    Percentage(Aggregate, Aggregate),
    /// By how many percent the second is more than the first.
    Growth(Aggregate, Aggregate),
    /// The second less the first.
    Change(Aggregate, Aggregate),
    /// By how many percent it is more than in the period before, where the answer has a row for each period.
    GrowthByPeriod(Aggregate),
    /// The share of the whole in percent, where the answer has a row for each group.
    ShareOfAll(Aggregate),
    /// An aggregate that an owner defined, over the rows of the subject.
    Defined(Defined),
}

/// What an owner defined by an SQL expression over the rows of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Defined {
    /// The expression, as the owner wrote it.
    pub expression: String,
    /// From the subject to the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
    /// From the subject to each further table that it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<Vec<Step>>,
}

/// An aggregate over the rows of the subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Aggregate {
    /// What is computed.
    pub function: Function,
    /// Nothing where rows are counted.
    pub of: Option<Expression>,
    /// Which of the rows of the query count in this figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Condition>,
}

/// A function over rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// How many.
    Count,
    /// How many different ones.
    CountDistinct,
    /// The total.
    Sum,
    /// The mean.
    Average,
    /// The least.
    Minimum,
    /// The most.
    Maximum,
    /// The value in the middle.
    Median,
}

/// What the rows of figures are for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Dimension {
    /// Each row of a table that is reached: grouped by its key, shown by its names. Rows that reach none are left out.
    Entity {
        /// What tells its rows apart.
        key: Vec<ColumnRef>,
        /// What people know them by.
        names: Vec<ColumnRef>,
        /// How the one name is called in the answer: "country" says more than "name".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Each value of a column.
    Column(ColumnRef),
    /// Each part of a date.
    Date(ColumnRef, DatePart),
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DatePart {
    /// The year as a number.
    Year,
    /// The first day of the quarter.
    Quarter,
    /// The first day of the month.
    Month,
    /// The Monday of the week.
    Week,
    /// The day.
    Day,
    /// The name of the day of the week.
    Weekday,
    /// The hour of the day.
    Hour,
    /// The month of any year, from 1.
    MonthOfYear,
    /// The quarter of any year, from 1.
    QuarterOfYear,
}

/// A column, reached from the subject along keys to one row each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ColumnRef {
    /// The steps to its table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
    /// Its name, unquoted.
    pub column: String,
}

/// A step along a key: from columns of the table before to a key of the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The next table.
    pub to: TableRef,
    /// The columns that are equal.
    pub key: Vec<Key>,
    /// Whether several rows of the next table refer to one of the table before. Only a dimension may go that way, and
    /// only over a table that has each pair of rows once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fans_out: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A pair of columns of a key: that of the table before, and that of the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The column of the table before.
    pub own: String,
    /// The column of the next table.
    pub other: String,
}

/// A value of one row of the subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expression {
    /// A column.
    Column(ColumnRef),
    /// Values multiplied.
    Product(Vec<Expression>),
    /// One less the value, in hundredths where it is a percentage.
    Remainder {
        /// The share that is taken off.
        of: ColumnRef,
        /// Whether it is a percentage.
        is_percent: bool,
    },
    /// A value in a larger unit: minutes of milliseconds.
    InUnit {
        /// The value.
        of: ColumnRef,
        /// How many of its unit are one of the larger one.
        divisor: u32,
    },
    /// The second less the first.
    Difference(Box<Expression>, Box<Expression>),
    /// Days from the first to the second.
    Days(ColumnRef, ColumnRef),
    /// An aggregate of the rows that refer to it.
    Related(Box<Related>),
    /// A value that an owner defined.
    Defined(Defined),
}

/// The rows of another table that refer to a row of the subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Related {
    /// The other table.
    pub table: TableRef,
    /// From that table to the subject, along keys to one row each.
    pub link: Vec<Step>,
    /// What is computed of its rows.
    pub function: Function,
    /// Nothing where rows are counted.
    pub of: Option<Expression>,
    /// Which of them count.
    pub conditions: Vec<Condition>,
}

/// Which rows count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// A value against a constant; rows without a value count as not equal.
    Compare {
        /// The value.
        left: Expression,
        /// The comparison.
        operator: Operator,
        /// The constant.
        right: Literal,
    },
    /// Two values of one row.
    CompareColumns {
        /// The first.
        left: Expression,
        /// The comparison.
        operator: Operator,
        /// The second.
        right: Expression,
    },
    /// One of the values; or none of them, where rows without a value count.
    OneOf {
        /// The column.
        column: ColumnRef,
        /// The values.
        values: Vec<Literal>,
        /// Whether it is none of them.
        is_negated: bool,
    },
    /// From the low value to the high one, both included.
    Between {
        /// The value.
        value: Expression,
        /// The least.
        low: Literal,
        /// The most.
        high: Literal,
    },
    /// A text like a pattern, in any case.
    Like {
        /// The column.
        column: ColumnRef,
        /// The pattern of LIKE.
        pattern: String,
        /// Whether it is unlike it.
        is_negated: bool,
    },
    /// Without a value; an array without an element.
    Null {
        /// The column.
        column: ColumnRef,
        /// Whether it has one.
        is_negated: bool,
    },
    /// A boolean; rows without a value count as false.
    Truth {
        /// The column.
        column: ColumnRef,
        /// Whether it is false.
        is_negated: bool,
    },
    /// From a day, and before a day.
    Period {
        /// The date.
        column: ColumnRef,
        /// The first day, `YYYY-MM-DD`.
        from: Option<String>,
        /// The day after the last.
        before: Option<String>,
    },
    /// Whether rows of another table refer to it.
    Exists {
        /// The other table.
        table: TableRef,
        /// From that table to the subject, along keys to one row each.
        link: Vec<Step>,
        /// From the subject to the row that they refer to, where that is not the subject itself.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of: Vec<Step>,
        /// Which of its rows count.
        conditions: Vec<Condition>,
        /// Whether there are none.
        is_negated: bool,
    },
    /// Less or more than the average of all rows of the subject.
    AgainstAverage {
        /// The column.
        column: ColumnRef,
        /// The comparison.
        operator: Operator,
    },
    /// A figure of all rows of the subject that have the same values in some columns. It is the value of the row itself,
    /// as for the dearest product of each category, or is compared with a number, as for countries with one customer.
    AmongAlike {
        /// The columns.
        each: Vec<ColumnRef>,
        /// What is computed of the rows.
        function: Function,
        /// The column; `None` counts rows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<ColumnRef>,
        /// What the figure is compared with, and how; nothing where it is the value of the row itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        than: Option<(Operator, Literal)>,
    },
    /// At least one of them.
    Any(Vec<Condition>),
    /// What an owner defined; negated, rows of which it is not known count.
    Defined {
        /// The condition.
        condition: Defined,
        /// Whether it does not hold.
        is_negated: bool,
    },
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// A constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Literal {
    /// A number in digits.
    Number(String),
    /// A text.
    Text(String),
    /// A day, `YYYY-MM-DD`.
    Date(String),
    /// True or false.
    Boolean(bool),
}

/// The order of the rows of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// What they are ordered by.
    pub by: OrderBy,
    /// Whether the largest comes first.
    pub is_descending: bool,
    /// How many rows; more where the last are equal.
    pub limit: Option<u32>,
}

/// What rows are ordered by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OrderBy {
    /// The figure at this place.
    Measure(usize),
    /// The dimension at this place.
    Dimension(usize),
    /// A value of a listed row.
    Value(Expression),
}

/// Where a part of the meaning comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What it is: "'turnover' is orders.revenue".
    pub says: String,
    /// Where its words are in the question, in bytes.
    pub words: Option<Range<usize>>,
    /// How sure it is, from 0 to 1.
    pub certainty: f64,
    /// Whether it is a default that the question does not say.
    pub is_default: bool,
}

impl ColumnRef {
    /// A column of the subject itself.
    pub fn own(column: &str) -> Self {
        Self {
            path: Vec::new(),
            column: column.to_owned(),
        }
    }
}

impl Operator {
    /// As SQL writes it.
    pub fn as_sql(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}
