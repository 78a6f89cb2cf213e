//! Estimates the cost of a rewrite and compares its result with the original on the data.

use sqlparser::ast::SetExpr;

use super::rewrites::Rewrite;
use super::{Planner, Proposal, ProposalKind};
use crate::findings::Effort;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_sql::tree as sql_tree;

/// Minimum saving for a rewrite to be proposed.
const MIN_SAVING: f64 = 0.02;

/// Whether the cost is lower by the minimum saving.
pub fn saves(before: f64, after: f64) -> bool {
    after <= before * (1.0 - MIN_SAVING)
}

/// Whether what a rewrite presupposes is so.
enum Proviso {
    Fails,
    /// With what to say of it.
    Holds(Option<String>),
}

/// Asks the database about the proviso of a rewrite.
fn proviso(rewrite: &Rewrite, database: &dyn Database, limits: &Limits) -> Result<Proviso, Error> {
    let Some(proviso) = &rewrite.proviso else {
        return Ok(Proviso::Holds(rewrite.caveat.clone()));
    };
    let Outcome::Passed(execution) = database.run(&proviso.query, limits)? else {
        return Ok(Proviso::Fails);
    };
    let fact = execution.rows.first().and_then(|row| row.first());
    Ok(match fact.and_then(|fact| fact.text.as_deref()) {
        None => Proviso::Fails,
        Some(fact) => Proviso::Holds(Some(proviso.caveat.replace("{}", fact))),
    })
}

/// Creates a proposal for a rewrite; `None` if it neither saves nor simplifies anything, or returns
/// different rows.
pub(super) fn proposal(
    sql: &str,
    rewrite: &Rewrite,
    before: f64,
    planner: &dyn Planner,
    database: &dyn Database,
    effort: &Effort,
) -> Result<Option<Proposal>, Error> {
    let Some(after) = planner.plan(&rewrite.sql, &[])? else {
        return Ok(None);
    };
    let after = after.plan.cost();
    let is_worth_it = saves(before, after) || rewrite.is_simpler && !saves(after, before);
    if !is_worth_it {
        return Ok(None);
    }
    let mut limits = effort.limits.clone();
    limits.max_result_rows = 1;
    let Proviso::Holds(caveat) = proviso(rewrite, database, &limits)? else {
        return Ok(None);
    };
    let compared = match difference_query(sql, &rewrite.sql)? {
        None => "It was not compared on the data.",
        Some(difference) => match database.run(&difference, &limits)? {
            // The rule claims equality but the data differs: the rewrite is dropped.
            Outcome::Passed(execution) if !execution.rows.is_empty() => return Ok(None),
            Outcome::Passed(_) => {
                "On the data of this moment both give the same rows (EXCEPT ALL, both ways)."
            }
            Outcome::Rejected(_) | Outcome::Failed(_) => {
                "On the data it could not be compared within the limits."
            }
        },
    };
    let mut proposal = Proposal::new(
        ProposalKind::Rewrite,
        format!(
            "{} Same rows because {}. {compared}",
            rewrite.what, rewrite.because
        ),
    );
    proposal.sql = Some(rewrite.sql.clone());
    proposal.cost_before = Some(before);
    proposal.cost_after = Some(after);
    proposal.caveats = caveat;
    Ok(Some(proposal))
}

/// A query that returns a row if the results of the two differ, ignoring ORDER BY and LIMIT, which are
/// the same in both. `None` if one of them cannot be parsed.
pub fn difference_query(one: &str, other: &str) -> Result<Option<String>, Error> {
    let (Some(one), Some(other)) = (unordered(one)?, unordered(other)?) else {
        return Ok(None);
    };
    // Each side is evaluated once, though it is read twice.
    Ok(Some(format!(
        "WITH one_side AS MATERIALIZED {one}, other_side AS MATERIALIZED {other} SELECT 1 FROM \
         ((SELECT * FROM one_side EXCEPT ALL SELECT * FROM other_side) UNION ALL (SELECT * FROM \
         other_side EXCEPT ALL SELECT * FROM one_side)) AS difference LIMIT 1"
    )))
}

fn unordered(sql: &str) -> Result<Option<String>, Error> {
    let Some(mut query) = sql_tree::parse(sql)? else {
        return Ok(None);
    };
    query.order_by = None;
    query.limit_clause = None;
    query.fetch = None;
    Ok(match &*query.body {
        SetExpr::Select(_) | SetExpr::SetOperation { .. } => Some(format!("({query})")),
        _ => None,
    })
}
