//! Describes an execution plan (`EXPLAIN (FORMAT JSON, VERBOSE)`) in words: what each
//! step does, what is slow, and why.

use std::sync::Arc;

use text2sql_domain::schema::Table;
use text2sql_language::english::counted;

mod hidden_facts;
mod node_in_words;
mod plan;
mod problems;
#[cfg(test)]
mod tests;

pub use plan::{Plan, PlanNode};

/// A step in words.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanStep {
    /// Its depth in the plan.
    pub depth: usize,
    /// PostgreSQL's name for it.
    pub operation: String,
    /// What it does.
    pub explanation: String,
    /// Why it is slow, and what would help.
    pub problem: Option<String>,
    /// Rows that the planner expects, over all loops.
    pub estimated_rows: f64,
    /// The planner's cost of this step alone.
    pub cost: f64,
    /// Actual rows, over all loops.
    pub actual_rows: Option<f64>,
    /// Milliseconds of this step alone.
    pub milliseconds: Option<f64>,
}

/// The plan in words, in printed order: a step before its inputs.
///
/// `work_mem_kb` is the memory limit of a sort or hash; `tables` are those of the query.
pub fn describe(plan: &Plan, tables: &[Arc<Table>], work_mem_kb: f64) -> Vec<PlanStep> {
    plan.steps
        .iter()
        .enumerate()
        .map(|(position, step)| PlanStep {
            depth: step.depth,
            operation: step.kind().to_owned(),
            explanation: node_in_words::explanation(plan, position),
            problem: problems::problem(plan, position, tables, work_mem_kb),
            estimated_rows: step.number("Plan Rows"),
            cost: plan.own_cost(position),
            actual_rows: step.actual_rows(),
            milliseconds: plan.own_time(position),
        })
        .collect()
}

/// The most expensive part of the plan, in one sentence.
pub fn summary(plan: &Plan) -> String {
    let total = plan.cost();
    let costliest = (0..plan.steps.len())
        .map(|position| (position, plan.own_cost(position)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let rows = plan
        .steps
        .first()
        .map_or(0.0, |root| root.number("Plan Rows"));
    let mut sentence = format!(
        "The planner expects {} and a cost of {total:.0}",
        counted(format!("{rows:.0}"), "row", "rows")
    );
    if let Some((position, cost)) = costliest
        && let Some(step) = plan.steps.get(position)
        && total > 0.0
        && plan.steps.len() > 1
    {
        let share = 100.0 * cost / total;
        let place = step
            .relation()
            .map_or_else(String::new, |name| format!(" on {name}"));
        sentence.push_str(&format!(
            "; step {} ({}{place}) makes {share:.0} % of it",
            position + 1,
            step.kind()
        ));
    }
    sentence.push('.');
    if let Some(milliseconds) = plan.milliseconds {
        sentence.push_str(&format!(" It ran for {milliseconds:.1} ms."));
    }
    sentence
}
