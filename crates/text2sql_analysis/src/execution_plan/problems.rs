//! Why a step is slow.

use std::sync::Arc;

use super::node_in_words::plain;
use super::{Plan, PlanNode};
use text2sql_domain::schema::Table;

/// Below this number of rows the cost of a scan is negligible.
const MANY_ROWS: f64 = 5_000.0;

/// A filter that keeps a smaller fraction than this is selective enough for an index.
const SELECTIVE: f64 = 0.1;

/// An estimate that is wrong by this factor leads to bad plans.
const FAR_OFF: f64 = 10.0;

/// The most important problem of a step.
pub(super) fn problem(
    plan: &Plan,
    position: usize,
    tables: &[Arc<Table>],
    work_mem_kb: f64,
) -> Option<String> {
    let step = plan.steps.get(position)?;
    let found = [
        selective_scan(step, tables),
        spilled(step, work_mem_kb),
        repeated_scan(plan, position, step),
        many_discarded(step),
        never_analysed(step, tables),
        wrong_estimate(plan, step),
        missing_workers(step),
    ];
    let sentences: Vec<String> = found.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// A scan of a whole table for a few of its rows.
fn selective_scan(step: &PlanNode, tables: &[Arc<Table>]) -> Option<String> {
    if step.kind() != "Seq Scan" {
        return None;
    }
    let filter = step.text("Filter")?;
    let kept = step
        .actual_rows()
        .unwrap_or_else(|| step.number("Plan Rows"));
    let loops = step.maybe_number("Actual Loops").unwrap_or(1.0);
    let read = match step.maybe_number("Rows Removed by Filter") {
        Some(removed) => removed * loops + kept,
        None => table_of(step, tables)?.row_estimate?,
    };
    if read < MANY_ROWS || kept > read * SELECTIVE {
        return None;
    }
    let wrapped = if has_call(filter) {
        " The condition wraps a column in a function or cast, so that an index on the bare column \
         cannot serve it."
    } else {
        ""
    };
    Some(format!(
        "It reads {read:.0} rows to keep {kept:.0}: no index serves {}.{wrapped} \
         text2sql.optimize may propose one.",
        plain(filter)
    ))
}

/// Whether a condition contains a function call.
fn has_call(filter: &str) -> bool {
    let bytes: Vec<char> = filter.chars().collect();
    bytes
        .windows(2)
        .any(|pair| matches!(pair, [before, '('] if before.is_alphanumeric() || *before == '_'))
}

/// A sort or hash that does not fit into memory.
fn spilled(step: &PlanNode, work_mem_kb: f64) -> Option<String> {
    let is_sort = matches!(step.kind(), "Sort" | "Incremental Sort");
    if is_sort && step.text("Sort Space Type") == Some("Disk") {
        let kilobytes = step.number("Sort Space Used");
        return Some(format!(
            "The sort did not fit into work_mem ({work_mem_kb:.0} kB) and wrote {kilobytes:.0} kB \
             to disk: SET work_mem = '{:.0}MB'.",
            (kilobytes * 2.0 / 1024.0).ceil().max(8.0)
        ));
    }
    if step.kind() == "Hash"
        && let Some(batches) = step.maybe_number("Hash Batches")
        && batches > 1.0
    {
        return Some(format!(
            "The hash table did not fit into work_mem ({work_mem_kb:.0} kB) and was cut into \
             {batches:.0} pieces on disk: SET work_mem higher, or filter earlier."
        ));
    }
    let needed = step.number("Plan Rows") * step.number("Plan Width") / 1024.0;
    if step.maybe_number("Actual Loops").is_some() || needed <= work_mem_kb {
        return None;
    }
    match step.kind() {
        "Sort" => Some(format!(
            "About {needed:.0} kB to sort, more than work_mem ({work_mem_kb:.0} kB): it will write \
             to disk."
        )),
        "Hash" => Some(format!(
            "About {needed:.0} kB for the hash table, more than work_mem ({work_mem_kb:.0} kB): it \
             will write to disk."
        )),
        _ => None,
    }
}

/// A nested loop that reads a whole table again and again.
fn repeated_scan(plan: &Plan, position: usize, step: &PlanNode) -> Option<String> {
    if step.kind() != "Nested Loop" {
        return None;
    }
    let inputs: Vec<&PlanNode> = plan.children(position).map(|(_, child)| child).collect();
    let [outer, inner] = inputs.as_slice() else {
        return None;
    };
    let runs = inner
        .maybe_number("Actual Loops")
        .unwrap_or_else(|| outer.number("Plan Rows"));
    let rows = inner.number("Plan Rows");
    let scans = matches!(
        inner.kind(),
        "Seq Scan" | "Materialize" | "Hash Join" | "Aggregate"
    );
    if !scans || runs < 100.0 || runs * rows < MANY_ROWS * 20.0 {
        return None;
    }
    let what = inner.relation().map_or_else(
        || "the second input".to_owned(),
        |name| format!("all of {name}"),
    );
    Some(format!(
        "It goes through {what} about {runs:.0} times ({rows:.0} rows each): an index on the join \
         column, or a condition with =, would avoid that."
    ))
}

/// Rows that an index found and a filter discarded.
fn many_discarded(step: &PlanNode) -> Option<String> {
    if !matches!(
        step.kind(),
        "Index Scan" | "Bitmap Heap Scan" | "Index Only Scan"
    ) {
        return None;
    }
    let runs = step.maybe_number("Actual Loops")?;
    let removed = step.maybe_number("Rows Removed by Filter")? * runs;
    let kept = step.actual_rows()?;
    (removed > MANY_ROWS && removed > kept * 10.0).then(|| {
        format!(
            "The index gave {removed:.0} rows that the filter then threw away: an index that holds \
             the filter's columns as well would find the {kept:.0} directly."
        )
    })
}

/// A table without statistics.
fn never_analysed(step: &PlanNode, tables: &[Arc<Table>]) -> Option<String> {
    let table = table_of(step, tables)?;
    let name = step.relation()?;
    table
        .row_estimate
        .is_none()
        .then(|| format!("{name} was never analysed, so the planner guesses: ANALYZE {name}."))
}

/// An inaccurate row estimate.
fn wrong_estimate(plan: &Plan, step: &PlanNode) -> Option<String> {
    let loops = step
        .maybe_number("Actual Loops")
        .filter(|loops| *loops > 0.0)?;
    let (expected, actual) = (step.number("Plan Rows") * loops, step.actual_rows()?);
    let factor = (expected.max(1.0) / actual.max(1.0)).max(actual.max(1.0) / expected.max(1.0));
    if factor < FAR_OFF || expected.max(actual) < 1_000.0 {
        return None;
    }
    // The lowest step with a wrong estimate is the cause; above it the error only grows.
    let is_base = step.relation().is_some();
    // A LIMIT above stops a step early, which is not a wrong estimate.
    let mut above = step.parent;
    while let Some(parent) = above.and_then(|parent| plan.steps.get(parent)) {
        if parent.kind() == "Limit" {
            return None;
        }
        above = parent.parent;
    }
    if !is_base {
        return None;
    }
    let name = step.relation()?;
    Some(format!(
        "The planner expected {expected:.0} rows and got {actual:.0}: ANALYZE {name}, or CREATE \
         STATISTICS on columns that depend on each other."
    ))
}

/// Parallel workers that were planned but not launched.
fn missing_workers(step: &PlanNode) -> Option<String> {
    let planned = step.maybe_number("Workers Planned")?;
    let launched = step.maybe_number("Workers Launched")?;
    (launched < planned).then(|| {
        format!(
            "Only {launched:.0} of {planned:.0} helper processes were free: max_parallel_workers is \
             used up."
        )
    })
}

fn table_of<'t>(step: &PlanNode, tables: &'t [Arc<Table>]) -> Option<&'t Arc<Table>> {
    let (name, schema) = (step.text("Relation Name")?, step.text("Schema"));
    tables
        .iter()
        .find(|table| table.name == name && schema.is_none_or(|schema| table.schema == schema))
}
