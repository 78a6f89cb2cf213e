//! Answers a question from a verified example that differs only in its literals, or from the view of rights, without a
//! model.

use serde_json::json;

use super::asked::{Asked, Outcome};
use super::prepare::Prepared;
use crate::stages::rights::query_of_rights;
use crate::statement::{Statement, Tried};
use crate::verified_examples::{self, ColumnName};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports;
use text2sql_domain::proposal::SqlProposal;

/// The SQL of a verified example that answers the question, with its result.
pub(super) fn replay(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    prepared: &Prepared,
) -> Result<Option<Outcome>, Error> {
    if !cx.config.stages.replay {
        return Ok(None);
    }
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    let run = |proposal: &SqlProposal| {
        let statement = Statement {
            proposal,
            understanding,
            context,
            tables: &context.tables,
        };
        asked.try_statement(cx, statement)
    };
    for example in &context.examples {
        let known = |column: &ColumnName, text: &str| {
            verified_examples::stored_value(cx.index, &context.tables, &example.sql, column, text)
        };
        let Some(sql) = verified_examples::replay(example, understanding, &known) else {
            continue;
        };
        // Under another path, or with a table put in front, it is another query than the one that was verified.
        let limits = &cx.config.limits;
        if !cx.database.means_as_verified(example.id, &sql, limits)? {
            continue;
        }
        cx.note(|news| news.sql = Some(sql.clone()));
        let stage = cx.stage("replay");
        let proposal = SqlProposal {
            sql,
            verified_by: Some(example.verified_by.clone()),
            ..SqlProposal::default()
        };
        let tried = run(&proposal)?;
        stage.end(
            json!({"example": example.id, "sql": proposal.sql}),
            tried.summary_of_run(Tried::rows),
        );
        if let ports::Outcome::Passed(tried) = tried {
            cx.note(|news| news.rows = tried.row_count());
            return Ok(Some(Outcome::Passed(Box::new(proposal), tried)));
        }
    }
    let Some(proposal) = query_of_rights(cx, understanding.text())? else {
        return Ok(None);
    };
    Ok(match run(&proposal)? {
        ports::Outcome::Passed(tried) => Some(Outcome::Passed(Box::new(proposal), tried)),
        _ => None,
    })
}
