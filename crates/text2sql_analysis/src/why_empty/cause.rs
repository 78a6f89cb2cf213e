//! What empties a query, and the smallest change that gives rows.

/// One line of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What it is: its word is part of the interface.
    pub kind: CauseKind,
    /// The piece of SQL that it is about.
    pub part: Option<String>,
    /// What it does, in full sentences.
    pub explanation: String,
    /// Values that exist and come nearest to a literal that does not.
    pub nearest: Vec<String>,
    /// The query with the smallest change that gives rows.
    pub changed: Option<String>,
}

/// What empties a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseKind {
    /// The query gives rows.
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
    /// Several conditions that contradict each other or meet nowhere.
    Combination,
    /// LIMIT or OFFSET.
    Limit,
    /// A helper result or sub-query in FROM without rows.
    Part,
    /// A branch of a set operation.
    SetOperation,
    /// It could not be found out within the caps.
    Unknown,
}

impl CauseKind {
    /// The word that programs match on.
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
        Self {
            kind,
            part,
            explanation: explanation.into(),
            nearest: Vec::new(),
            changed: None,
        }
    }
}
