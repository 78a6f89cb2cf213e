//! What a query does in words, for answers whose SQL came without a plan of a model.

use std::sync::Arc;

use text2sql_analysis::explain;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::schema::Table;

/// Adds the steps of the query to an answer that has no plan, and to its parts. Who approves a query reads them, too.
pub fn add(answer: &mut Answer) {
    for part in &mut answer.parts {
        add(&mut part.answer);
    }
    let has_query = matches!(answer.status, Status::Ok | Status::Waiting);
    if !has_query || answer.plan.is_some() {
        return;
    }
    if !answer.parts.is_empty() {
        answer.plan = of_parts(answer);
        return;
    }
    let Some(sql) = &answer.sql else {
        return;
    };
    let lines = of_query(sql, &answer.trace.context);
    answer.plan = (!lines.is_empty()).then(|| lines.join("\n"));
}

/// What a query does, a line for each step.
pub(crate) fn of_query(sql: &str, tables: &[Arc<Table>]) -> Vec<String> {
    let steps = explain::outline(sql, tables);
    steps.into_iter().map(|step| step.explanation).collect()
}

/// The plans of the parts, each below its question.
fn of_parts(answer: &Answer) -> Option<String> {
    let mut lines = Vec::new();
    for (number, part) in (1..).zip(&answer.parts) {
        lines.push(format!("{number}. {}", part.question));
        let steps = part.answer.plan.iter().flat_map(|plan| plan.lines());
        lines.extend(steps.map(|step| format!("   {step}")));
    }
    Some(lines.join("\n"))
}
