//! How a query could be faster: the same result written otherwise, indexes, statistics.
//!
//! Nothing here changes the database. A rewrite is proposed only where a rule proves from keys and
//! constraints that it gives the same rows, and it is then compared on the data as well. An index
//! is priced by the planner as if it were there.

use std::sync::Arc;

use crate::execution_plan::Plan;
use crate::findings::Effort;
use text2sql_domain::error::Error;
use text2sql_domain::ports::Database;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::Tree;

mod candidates;
pub mod compare;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod indexes;
pub mod rewrites;
mod statistics;
#[cfg(test)]
mod tests;

pub use compare::difference_query;
pub use rewrites::{Rewrite, rewrites};

/// What the planner and the catalog know beyond [`Table`].
pub trait Planner {
    /// The plan of `sql`, as if the indexes of `CREATE INDEX` statements `imagined` were there.
    /// `None` when it cannot be had.
    fn plan(&self, sql: &str, imagined: &[String]) -> Result<Option<ImaginedPlan>, Error>;

    /// Whether indexes can be imagined (hypopg is there and may be used).
    fn can_imagine(&self) -> bool;

    /// What is known of the tables' storage.
    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error>;
}

/// A plan with what imagined indexes would weigh.
#[derive(Debug, Clone, PartialEq)]
pub struct ImaginedPlan {
    /// The plan.
    pub plan: Plan,
    /// Names of the imagined indexes as the plan shows them, in the order they were asked for.
    pub names: Vec<String>,
    /// Estimated sizes in bytes, in the same order.
    pub sizes: Vec<f64>,
}

/// How a table is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// OID of the table.
    pub table: u32,
    /// Its indexes, as far as the caller may know their columns.
    pub indexes: Vec<ExistingIndex>,
    /// Rows changed since the last ANALYZE.
    pub changed_rows: f64,
    /// Foreign keys that prove nothing at this moment: NOT VALID or deferrable. Their columns.
    pub unproven_keys: Vec<Vec<String>>,
    /// Names of extended statistics, with their columns.
    pub statistics: Vec<Vec<String>>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExistingIndex {
    /// Its name.
    pub name: String,
    /// Key columns in order; `None` for an expression.
    pub columns: Vec<Option<String>>,
    /// Access method.
    pub method: String,
    /// Whether it has a predicate.
    pub is_partial: bool,
    /// Whether a constraint needs it.
    pub is_unique: bool,
}

/// What kind of proposal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalKind {
    /// The query as it is.
    Present,
    /// The same result, written otherwise.
    Rewrite,
    /// Written otherwise by a model, and nothing shows that the result is the same.
    Unproved,
    /// An index.
    Index,
    /// ANALYZE or extended statistics.
    Statistics,
    /// Something to install or know.
    Note,
}

impl ProposalKind {
    /// The word that programs match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Rewrite => "rewrite",
            Self::Unproved => "unproved",
            Self::Index => "index",
            Self::Statistics => "statistics",
            Self::Note => "note",
        }
    }
}

/// One way to make a query faster.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// What kind it is.
    pub kind: ProposalKind,
    /// What it does and why that is sound.
    pub explanation: String,
    /// SQL to paste: a query or DDL.
    pub sql: Option<String>,
    /// The planner's cost as it is.
    pub cost_before: Option<f64>,
    /// The planner's cost with it.
    pub cost_after: Option<f64>,
    /// Estimated size in bytes.
    pub size: Option<f64>,
    /// What to know before doing it.
    pub caveats: Option<String>,
}

impl Proposal {
    /// A proposal of that kind, with nothing but its explanation.
    pub fn new(kind: ProposalKind, explanation: impl Into<String>) -> Self {
        Self {
            kind,
            explanation: explanation.into(),
            sql: None,
            cost_before: None,
            cost_after: None,
            size: None,
            caveats: None,
        }
    }

    /// Something to know, in a sentence.
    pub fn note(explanation: impl Into<String>) -> Self {
        Self::new(ProposalKind::Note, explanation)
    }

    /// How much of the cost it saves, 0 to 1.
    fn saving(&self) -> f64 {
        match (self.cost_before, self.cost_after) {
            (Some(before), Some(after)) if before > 0.0 => (before - after) / before,
            _ => 0.0,
        }
    }
}

/// Proposals for a query that the guard lets pass, the best of each kind first.
pub fn optimize(
    sql: &str,
    tables: &[Arc<Table>],
    planner: &dyn Planner,
    database: &dyn Database,
    effort: &Effort,
) -> Result<Vec<Proposal>, Error> {
    let Some(present) = planner.plan(sql, &[])? else {
        return Ok(vec![Proposal::new(
            ProposalKind::Note,
            "The planner gives no plan for this query.",
        )]);
    };
    let before = present.plan.cost();
    let mut first = Proposal::new(
        ProposalKind::Present,
        crate::execution_plan::summary(&present.plan),
    );
    first.cost_before = Some(before);
    let mut proposals = vec![first];
    let Some(query) = sql_tree::parse(sql)? else {
        proposals.push(Proposal::new(
            ProposalKind::Note,
            "The query uses a part of SQL that cannot be taken apart yet, so that only its plan is \
             shown.",
        ));
        return Ok(proposals);
    };
    let tree = Tree::read(&query, tables);
    let storage = planner.storage(tables)?;
    let mut rewritten = Vec::new();
    for rewrite in rewrites::all(&query, &tree, &storage) {
        rewritten.extend(compare::proposal(
            sql, &rewrite, before, planner, database, effort,
        )?);
    }
    sort(&mut rewritten);
    proposals.extend(rewritten);
    let (mut imagined, notes) = indexes::proposals(sql, &tree, &storage, before, planner)?;
    sort(&mut imagined);
    proposals.extend(imagined);
    proposals.extend(statistics::proposals(
        &tree, &storage, planner, database, effort,
    )?);
    proposals.extend(notes);
    if proposals.len() == 1 {
        proposals.push(Proposal::new(
            ProposalKind::Note,
            "No rewrite, index or statistics was found that the planner expects to help.",
        ));
    }
    Ok(proposals)
}

/// Largest saving first.
fn sort(proposals: &mut [Proposal]) {
    proposals.sort_by(|a, b| b.saving().total_cmp(&a.saving()));
}
