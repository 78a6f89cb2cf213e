//! Scores a given statement without a model.

use std::sync::Arc;

use crate::query_judge::judge_result;
use crate::scoring::{Ending, Facts, score};
use text2sql_analysis::findings::Asked;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Runs `sql` under the guard and scores it for the question. `named` are the tables that `sql`
/// references.
pub(crate) fn of_given(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    is_follow_up: bool,
    sql: &str,
    named: &[Arc<Table>],
) -> Result<Score, Error> {
    let mut tables = context.tables.clone();
    for table in named {
        if tables.iter().all(|known| known.oid != table.oid) {
            tables.push(Arc::clone(table));
        }
    }
    let limits = &cx.config.limits;
    let outcome = cx.database.run(sql, limits)?;
    let (ending, findings) = match &outcome {
        Outcome::Passed(execution) => {
            let asked = Asked {
                understanding,
                definitions: &context.definitions,
                periods: &context.facts.periods,
                groups: &context.facts.groups,
                values: &context.values,
                is_instructed: !(context.instructions.is_empty() && context.examples.is_empty()),
            };
            let asked = (!is_follow_up).then_some(&asked);
            let findings = judge_result(
                sql,
                execution,
                &tables,
                cx.index,
                cx.database,
                limits,
                asked,
            )?;
            (Ending::Ran(execution), findings)
        }
        Outcome::Rejected(rejection) => (Ending::Rejected(rejection), Vec::new()),
        Outcome::Failed(error) => (Ending::Failed(error), Vec::new()),
    };
    let facts = Facts {
        understanding,
        sql,
        ending,
        findings: &findings,
        tables: &tables,
        values: &context.values,
        definitions: &context.definitions,
        is_follow_up,
        max_cost: limits.max_cost,
    };
    Ok(score(&facts, &cx.config.score))
}
