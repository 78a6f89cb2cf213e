//! What a question asks for, before it is bound to columns and joins.

use crate::linking::mention::{Mention, ValueLink};
use jiff::civil::Date;
use text2sql_language::english::lexicon::Aggregate;
use text2sql_language::periods::spans::Span;

/// A parsed question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// What the answer's columns are.
    pub(crate) targets: Vec<Target>,
    /// The table whose rows are asked for.
    pub(crate) subject: Option<usize>,
    /// "different", "distinct", "unique".
    pub(crate) is_distinct: bool,
    /// Every table that the question names, in order.
    pub(crate) tables: Vec<usize>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) groups: Vec<Group>,
    pub(crate) rank: Option<Rank>,
    pub(crate) order: Vec<Order>,
    /// How many rows, with "top five" or a superlative.
    pub(crate) limit: Option<u64>,
    /// How often a row is listed.
    pub(crate) repeats: Repeats,
    /// What was assumed while parsing.
    pub(crate) notes: Vec<String>,
}

/// One thing that the answer shows.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// Something named: a column of the owner or the subject, or a table.
    Named {
        mention: Mention,
        owner: Option<usize>,
    },
    /// Every column of a table.
    All(usize),
    /// The rows of a table.
    Entity(usize),
    /// How many rows of a table.
    Count(usize),
    /// The share of a table's rows that satisfy the condition, of one or of a hundred.
    Share { table: usize, is_percent: bool },
    /// How many different values of a column.
    CountDistinct { mention: Mention },
    /// A measure defined by a business term.
    Defined {
        term: usize,
        function: Option<Aggregate>,
    },
    /// An aggregate of a column.
    Aggregate {
        function: Aggregate,
        mention: Mention,
        owner: Option<usize>,
        /// "quantity times price": the sign and the second column.
        with: Option<(&'static str, Mention)>,
    },
}

impl Target {
    pub(crate) fn is_aggregate(&self) -> bool {
        matches!(
            self,
            Self::Count(_)
                | Self::Share { .. }
                | Self::CountDistinct { .. }
                | Self::Aggregate { .. }
                | Self::Defined { .. }
        )
    }
}

/// One condition on the rows of its owner.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// The table that the condition applies to: the preceding noun.
    pub(crate) owner: Option<usize>,
    pub(crate) is_negated: bool,
    pub(crate) kind: ConditionKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ConditionKind {
    /// A named column compared with literals; several are alternatives.
    Compare {
        column: Mention,
        comparison: Comparison,
        literals: Vec<Literal>,
    },
    /// A stored value; several are alternatives of one column.
    Value { alternatives: Vec<Mention> },
    /// A period on a date column.
    Period {
        column: Option<Mention>,
        /// The token where the period begins.
        at: usize,
        from: Option<Date>,
        to: Option<Date>,
    },
    /// IS NULL.
    Null { column: Mention },
    /// Compared with the average, or another aggregate, of the column.
    Average {
        column: Mention,
        comparison: Comparison,
        function: Aggregate,
    },
    /// An aggregate of rows of another table: compared with a number, or with that of all rows.
    Aggregated {
        function: Aggregate,
        column: Mention,
        comparison: Comparison,
        number: Option<String>,
    },
    /// The highest or lowest of all rows.
    Extreme { by: RankBy, is_descending: bool },
    /// One of them holds.
    Any { alternatives: Vec<Condition> },
    /// Independent of the other conditions: other rows may satisfy those.
    Independent { condition: Box<Condition> },
    /// Two columns of one row.
    Columns {
        left: Mention,
        comparison: Comparison,
        right: Mention,
    },
    /// A condition defined by a business term.
    Defined { term: usize },
    /// A boolean column.
    Boolean { column: Mention },
    /// Rows of another table exist.
    Related { table: usize },
    /// A number of rows of another table exists.
    Count {
        table: usize,
        comparison: Comparison,
        number: String,
        /// The period of the counted rows, and the token where it begins.
        period: Option<(Span, usize)>,
    },
    /// The primary key.
    Key { number: String },
    /// The column that names a row.
    Label { text: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    More,
    AtLeast,
    Less,
    AtMost,
    Between,
    Contains,
    StartsWith,
    EndsWith,
}

/// A value as the question gives it.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub(crate) text: String,
    pub(crate) is_number: bool,
    /// Stored values with that text.
    pub(crate) links: Vec<ValueLink>,
}

impl Literal {
    pub(crate) fn number(text: String) -> Self {
        Self {
            text,
            is_number: true,
            links: Vec::new(),
        }
    }

    pub(crate) fn text(text: String) -> Self {
        Self {
            text,
            is_number: false,
            links: Vec::new(),
        }
    }
}

/// What rows are grouped by.
#[derive(Debug, Clone)]
pub(crate) enum Group {
    /// A column or a table.
    Named(Mention),
    /// `year`, `quarter` or `month` of the date column.
    Date(&'static str),
}

/// Which rows come first.
#[derive(Debug, Clone)]
pub(crate) struct Rank {
    pub(crate) by: RankBy,
    pub(crate) is_descending: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum RankBy {
    /// The number of related rows.
    Count(usize),
    /// A column, or an aggregate of it; an amount ("most", "by") may be summed up.
    Column {
        mention: Mention,
        function: Option<Aggregate>,
        is_amount: bool,
    },
    /// An aggregate defined by a business term.
    Defined(usize),
    /// A dimension that an adjective names.
    Dimension(&'static [&'static str]),
}

#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) by: OrderBy,
    pub(crate) is_descending: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum OrderBy {
    Column(Mention),
    /// "in alphabetical order".
    Label,
    /// By the number that is counted.
    Count,
}

/// How often a row with several related rows is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Repeats {
    /// The question does not say.
    #[default]
    Unspecified,
    /// Each row once.
    Once,
    /// Once for each related row.
    ForEach,
}
