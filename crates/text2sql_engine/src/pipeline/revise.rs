//! Changes a given query as requested. The guard has already accepted the given query. The changed query
//! is run for one row, because some errors occur only at run time; where queries wait for approval, it is only
//! checked.

use std::sync::Arc;

use serde_json::json;

use super::attempt::{Attempt, Statement};
use super::in_order::{self, Given};
use super::one_result;
use super::prompt;
use super::sureness;
use super::write_sql::write_sql;
use crate::query_generation::Conversation;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::render_revise;
use text2sql_retrieval::Context;

/// The changed query, or the answer that explains why there is none.
pub type Revised = Result<SqlProposal, Box<Answer>>;

/// Changes `given`, which reads `tables`, as requested.
pub(super) fn of_given(
    cx: &Run<'_>,
    understanding: &Understanding,
    mut context: Context,
    given: &str,
    tables: &[Arc<Table>],
) -> Result<Revised, Error> {
    // Judging only needs to know whether there are any rows.
    let limits = Limits {
        max_result_rows: 1,
        ..cx.config.limits.clone()
    };
    // The request may not name the tables of the query.
    for table in tables.iter().rev() {
        if !context.tables.iter().any(|other| other.oid == table.oid) {
            context.tables.insert(0, Arc::clone(table));
        }
    }
    let stage = cx.stage("prompt");
    let version = cx.session.server_version();
    let rendered = render_revise(understanding, given, &context, cx.config, &version);
    let chars = rendered.chars();
    let output = prompt::with_instructions(cx, &context, json!({"characters": chars}));
    stage.end(
        json!({"sql": given, "tables": context.tables.len()}),
        output,
    );
    cx.trace.borrow_mut().prompt_chars = chars;
    let conversations = vec![Conversation::new(
        &cx.config.owner.prompts,
        Some(rendered),
        None,
    )];
    // Where a generated query may have to wait for approval, a changed one is only checked.
    if cx.config.approval.applies() {
        let check =
            |cx: &Run<'_>, statement: &Statement<'_>| cx.database.check(statement.sql(), &limits);
        let attempt = Attempt::of_columns(&check);
        let passed = write_sql(cx, understanding, &context, conversations, &attempt)?;
        return Ok(passed
            .map(|(proposal, _)| proposal)
            .map_err(one_result::answer_of));
    }
    let run = |cx: &Run<'_>, statement: &Statement<'_>| cx.database.run(statement.sql(), &limits);
    let attempt = Attempt::of_one(&run);
    let passed = write_sql(cx, understanding, &context, conversations, &attempt)?;
    Ok(passed
        .map(|(proposal, _)| proposal)
        .map_err(one_result::answer_of))
}

/// The outcome, with what the asker should know about the engines that did not answer.
pub(super) fn noted(cx: &Run<'_>, revised: Revised) -> Revised {
    let notes = in_order::notes(cx);
    match revised {
        Ok(mut proposal) => {
            proposal.notes.extend(notes);
            Ok(proposal)
        }
        Err(mut answer) => {
            answer.warnings.extend(notes);
            answer.trace = cx.trace.borrow().clone();
            Err(answer)
        }
    }
}

impl Given for Revised {
    fn unsure(&self) -> Option<&Answer> {
        let answer = self.as_ref().err()?;
        sureness::may_be_improved(answer.status).then_some(answer)
    }

    fn is_of_engine(&self) -> bool {
        true
    }
}
