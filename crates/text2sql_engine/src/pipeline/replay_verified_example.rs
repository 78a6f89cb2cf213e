//! Answers a question from a verified example that differs only in its literals, or from the view of rights, without a
//! model.

use serde_json::json;

use super::attempt::{Attempt, Statement};
use super::multi_step_progress::StepRows;
use super::rights::query_of_rights;
use crate::verified_examples::{self, ColumnName};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// The SQL of a verified example that answers the question, with its result.
pub(super) fn replay<T: StepRows>(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    attempt: &Attempt<'_, T>,
) -> Result<Option<(SqlProposal, T)>, Error> {
    if !cx.config.stages.replay {
        return Ok(None);
    }
    let run = |proposal: &SqlProposal| {
        attempt.of(
            cx,
            Statement {
                proposal,
                understanding,
                context,
                tables: &context.tables,
                is_of_chosen_reading: false,
            },
        )
    };
    for example in &context.examples {
        let known = |column: &ColumnName, text: &str| {
            verified_examples::stored_value(cx.index, &context.tables, &example.sql, column, text)
        };
        let Some(sql) = verified_examples::replay(example, understanding, &known) else {
            continue;
        };
        cx.note(|news| news.sql = Some(sql.clone()));
        let stage = cx.stage("replay");
        let proposal = SqlProposal {
            sql,
            verified_by: Some(example.verified_by.clone()),
            ..SqlProposal::default()
        };
        let outcome = run(&proposal)?;
        stage.end(
            json!({"example": example.id, "sql": proposal.sql}),
            outcome.summary_of_run(StepRows::rows),
        );
        if let Outcome::Passed(result) = outcome {
            cx.note(|news| news.rows = result.row_count());
            return Ok(Some((proposal, result)));
        }
    }
    let Some(proposal) = query_of_rights(cx, understanding.text())? else {
        return Ok(None);
    };
    Ok(match run(&proposal)? {
        Outcome::Passed(result) => Some((proposal, result)),
        _ => None,
    })
}
