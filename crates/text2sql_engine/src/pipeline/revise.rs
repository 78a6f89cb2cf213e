//! A query that is given, changed as somebody asks. It is judged by its keeper before it comes here; the
//! changed one is run for its first row, because what may be wrong with it shows only then.

use std::sync::Arc;

use serde_json::json;

use super::dialogue::{Attempt, Dialogue, Task};
use super::{Solved, gather, pursue};
use crate::generate::Conversation;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Limits;
use text2sql_domain::context::Run;
use text2sql_domain::error::Error;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_models::prompt::render_revise;

/// The changed query, or why there is none.
pub type Revised = Result<SqlProposal, Box<Answer>>;

/// Changes `given`, which reads `tables`, as `request` asks.
pub fn revise(
    cx: &Run<'_>,
    request: &Question,
    given: &str,
    tables: &[Arc<Table>],
) -> Result<Revised, Error> {
    // Judging needs to know whether there are rows at all, and no more.
    let limits = Limits {
        max_result_rows: 1,
        ..cx.config.limits.clone()
    };
    let run = |sql: &str| cx.database.run(sql, &limits);
    let attempt = Attempt {
        attempt: &run,
        rows: |execution| Some(execution),
    };
    let mut context = gather(cx, request)?;
    // The request may name nothing of what the query reads.
    for table in tables.iter().rev() {
        if !context.tables.iter().any(|other| other.oid == table.oid) {
            context.tables.insert(0, Arc::clone(table));
        }
    }
    let prompt = cx.stage("prompt", || {
        let (version, today) = (cx.session.server_version(), cx.session.today());
        render_revise(request, given, &context, cx.config, &version, &today)
    });
    cx.note(
        json!({"sql": given, "tables": context.tables.len()}),
        json!({"characters": prompt.chars()}),
    );
    cx.trace.borrow_mut().prompt_chars = prompt.chars();
    let task = Task {
        question: request,
        context: &context,
    };
    let dialogue = Dialogue::new(cx, Conversation::new(Some(prompt), None), &context);
    Ok(match pursue(cx, task, dialogue, &attempt)? {
        Solved::Passed(proposal, _) => Ok(proposal),
        Solved::Ended(mut answer) => {
            answer.trace = cx.trace.borrow().clone();
            Err(answer)
        }
    })
}
