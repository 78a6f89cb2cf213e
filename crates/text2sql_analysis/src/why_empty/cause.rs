//! The cause of an empty result, and the smallest change that returns rows.

/// One line of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The kind of cause; its name is part of the interface.
    pub kind: CauseKind,
    /// The SQL fragment that it refers to.
    pub part: Option<String>,
    /// The explanation, in full sentences.
    pub explanation: String,
    /// The same without any value of the data.
    pub without_values: String,
    /// Existing values most similar to a literal that does not occur.
    pub nearest: Vec<String>,
    /// The query with the smallest change that returns rows.
    pub changed: Option<String>,
}

/// The kind of cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseKind {
    /// The query returns rows.
    NotEmpty,
    /// A table without rows.
    EmptyTable,
    /// Row-level security may hide the rows.
    RowSecurity,
    /// A privilege is missing.
    Privilege,
    /// A condition of WHERE.
    Filter,
    /// A condition of HAVING.
    GroupFilter,
    /// A join without a match.
    Join,
    /// Several conditions that contradict each other or do not hold for the same row.
    Combination,
    /// LIMIT or OFFSET.
    Limit,
    /// A CTE or sub-query in FROM without rows.
    Part,
    /// A branch of a set operation.
    SetOperation,
    /// Not determined within the limits.
    Unknown,
}

impl CauseKind {
    /// The name used in the SQL interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotEmpty => "not_empty",
            Self::EmptyTable => "empty_table",
            Self::RowSecurity => "row_security",
            Self::Privilege => "privilege",
            Self::Filter => "filter",
            Self::GroupFilter => "group_filter",
            Self::Join => "join",
            Self::Combination => "combination",
            Self::Limit => "limit",
            Self::Part => "part",
            Self::SetOperation => "set_operation",
            Self::Unknown => "unknown",
        }
    }
}

impl Cause {
    pub(super) fn new(
        kind: CauseKind,
        part: Option<String>,
        explanation: impl Into<String>,
    ) -> Self {
        let explanation = explanation.into();
        Self {
            kind,
            part,
            without_values: explanation.clone(),
            explanation,
            nearest: Vec::new(),
            changed: None,
        }
    }
}
