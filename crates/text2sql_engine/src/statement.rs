//! A statement that is tried for a question, and what it gave.

use std::sync::Arc;

use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// A statement to try, and what it was written from.
#[derive(Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub(crate) proposal: &'a SqlProposal,
    pub(crate) understanding: &'a Understanding,
    pub(crate) context: &'a Context,
    /// The tables that are described for it.
    pub(crate) tables: &'a [Arc<Table>],
}

impl Statement<'_> {
    /// The query.
    pub(crate) fn sql(&self) -> &str {
        &self.proposal.sql
    }
}

/// What a statement that passed the guard gave.
pub(crate) enum Tried {
    /// It ran.
    Ran(Execution),
    /// It was only checked, and has these columns.
    Checked(Vec<ResultColumn>),
}

impl Tried {
    /// The result columns.
    pub(crate) fn columns(&self) -> &[ResultColumn] {
        match self {
            Self::Ran(execution) => &execution.columns,
            Self::Checked(columns) => columns,
        }
    }

    /// The rows, if it ran.
    pub(crate) fn rows(&self) -> Option<&Execution> {
        match self {
            Self::Ran(execution) => Some(execution),
            Self::Checked(_) => None,
        }
    }

    /// Number of rows, if it ran.
    pub(crate) fn row_count(&self) -> Option<usize> {
        self.rows().map(|execution| execution.rows.len())
    }
}
