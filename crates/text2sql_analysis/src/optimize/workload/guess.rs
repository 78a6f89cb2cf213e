//! The cost with an index where the planner imagines none: a sequential scan whose condition the index serves is replaced
//! by fetching its rows one by one.

use super::super::candidates::Candidate;
use crate::execution_plan::Plan;
use text2sql_domain::schema::Table;

/// The default of `random_page_cost`: each row that is found may be on another page.
const ROW_COST: f64 = 4.0;

/// The way down an index of some levels.
const DESCENT_COST: f64 = 12.0;

/// Bytes of an index entry without its keys, and of a key. Pages are filled to nine tenths, the default fillfactor of a B-tree.
const ENTRY_BYTES: f64 = 16.0;
const KEY_BYTES: f64 = 8.0;
const FILL: f64 = 0.9;

/// The cost of the plan with the index, and the size of the index; `None` if no condition can use it.
pub(super) fn with_index(plan: &Plan, table: &Table, candidate: &Candidate) -> Option<(f64, f64)> {
    let first = candidate.columns.first()?;
    let scan = plan.steps.iter().enumerate().find(|(_, step)| {
        step.kind() == "Seq Scan"
            && step.text("Relation Name") == Some(table.name.as_str())
            && step
                .text("Filter")
                .is_some_and(|filter| names(filter, first))
    });
    let (position, scan) = scan?;
    let present = plan.own_cost(position);
    let wanted = DESCENT_COST + scan.number("Plan Rows") * ROW_COST;
    let size = table.row_estimate.unwrap_or(0.0).max(0.0)
        * (ENTRY_BYTES + KEY_BYTES * candidate.keys.len() as f64)
        / FILL;
    (wanted < present).then(|| (plan.cost() - present + wanted, size))
}

/// Whether a condition names the column, as a whole word.
fn names(condition: &str, column: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    condition
        .split(|c: char| !is_part(c))
        .any(|word| word == column)
}
