//! Proposals for making a query faster: rewrites with the same result, indexes, statistics.
//!
//! Nothing here changes the database. A rewrite is proposed only if keys and constraints prove
//! that it returns the same rows, and the results are then compared on the data as well. The cost
//! of an index is estimated by the planner with a hypothetical index.

use std::sync::Arc;

use crate::findings::Effort;
use text2sql_domain::error::Error;
use text2sql_domain::ports::Database;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::Tree;

mod candidates;
pub mod compare;
mod indexes;
mod inserted;
mod planner;
mod proposal;
pub mod rewrites;
mod statistics;
pub mod workload;

pub use compare::difference_query;
pub use inserted::Inserted;
pub use planner::{ExistingIndex, ImaginedPlan, Planner, Storage};
pub use proposal::{Proposal, ProposalKind};
pub use rewrites::{Rewrite, rewrites};

/// Proposals for a query accepted by the guard, the best of each kind first.
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
    proposals.extend(rewrites::notes(&query, &tree));
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
