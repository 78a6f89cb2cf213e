//! The cause of an empty result, and the smallest change that returns rows.

use text2sql_domain::named_enum;

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

named_enum! {
    /// The kind of cause.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CauseKind {
        /// The query returns rows.
        NotEmpty = "not_empty",
        /// A table without rows.
        EmptyTable = "empty_table",
        /// Row-level security may hide the rows.
        RowSecurity = "row_security",
        /// A privilege is missing.
        Privilege = "privilege",
        /// A condition of WHERE.
        Filter = "filter",
        /// A condition of HAVING.
        GroupFilter = "group_filter",
        /// A join without a match.
        Join = "join",
        /// Several conditions that contradict each other or do not hold for the same row.
        Combination = "combination",
        /// LIMIT or OFFSET.
        Limit = "limit",
        /// A CTE or sub-query in FROM without rows.
        Part = "part",
        /// A branch of a set operation.
        SetOperation = "set_operation",
        /// Not determined within the limits.
        Unknown = "unknown",
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
