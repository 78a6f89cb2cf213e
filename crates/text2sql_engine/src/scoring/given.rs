//! Scores a statement that somebody hands in, without asking a model.

use std::sync::Arc;

use super::{Ending, Facts, Score, score};
use crate::conversation::Turn;
use crate::judge::judge_result;
use crate::pipeline::whole;
use text2sql_domain::context::Run;
use text2sql_domain::error::Error;
use text2sql_domain::ports::Outcome;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;

/// Runs `sql` under the guard and scores it for the question, which may go on from earlier ones. `named`
/// are the tables that it names.
pub fn score_given(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
    sql: &str,
    named: &[Arc<Table>],
) -> Result<Score, Error> {
    let (question, context) = whole(cx, question, turns)?;
    let mut tables = context.tables;
    for table in named {
        if tables.iter().all(|known| known.oid != table.oid) {
            tables.push(Arc::clone(table));
        }
    }
    let limits = &cx.config.limits;
    let outcome = cx.database.run(sql, limits)?;
    let (ending, findings) = match &outcome {
        Outcome::Passed(execution) => {
            let findings = judge_result(sql, &tables, cx.index, cx.database, limits)?;
            (Ending::Ran(execution), findings)
        }
        Outcome::Rejected(rejection) => (Ending::Rejected(rejection), Vec::new()),
        Outcome::Failed(error) => (Ending::Failed(error), Vec::new()),
    };
    let facts = Facts {
        question: question.as_str(),
        sql,
        ending,
        findings: &findings,
        tables: &tables,
        values: &context.values,
        definitions: &context.definitions,
        is_follow_up: !turns.is_empty(),
        max_cost: limits.max_cost,
    };
    Ok(score(&facts, &cx.config.score))
}
