//! Changes a given query as requested. The guard has already accepted the given query. The changed query
//! is run for one row, because some errors occur only at run time; where queries wait for approval, it is only
//! checked.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;

use super::asked::{Asked, Outcome};
use super::in_order::{self, in_order};
use super::prepare::Prepared;
use super::solve::{REPLIES, Way};
use crate::query_generation::Conversation;
use crate::several_answers::one_at_a_time;
use crate::stages::prompt;
use crate::stages::retrieve::retrieve;
use crate::stages::understand::understand;
use text2sql_domain::answer::Answer;
use text2sql_domain::engines::Engines;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::render_revise;
use text2sql_retrieval::Context;

/// The changed query, or the answer that explains why there is none.
pub type Revised = Result<SqlProposal, Box<Answer>>;

/// Changes the query `given`, which reads `tables`, as requested, by the first model that is sure. The built-in engine
/// changes no query.
pub fn revise(
    cx: &Run<'_>,
    engines: &dyn Engines,
    request: &Question,
    given: &str,
    tables: &[Arc<Table>],
) -> Result<Revised, Error> {
    let models = in_order::places(engines, false);
    let (understanding, _) = understand(cx, request, &[]);
    let asked = Asked::for_change(engines, request);
    let chosen = in_order(cx, engines, &models, |cx, _| {
        let context = retrieve(cx, &understanding, &[])?;
        of_given(cx, &asked, &understanding, context, given, tables)
    })?;
    Ok(noted(cx, chosen.given))
}

/// Changes `given` by the model of this run.
fn of_given(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    understanding: &Rc<Understanding>,
    mut context: Context,
    given: &str,
    tables: &[Arc<Table>],
) -> Result<Revised, Error> {
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
    let conversations = vec![Conversation::new(Some(rendered))];
    let prepared = Prepared {
        understanding: Rc::clone(understanding),
        context: Rc::new(context),
        turns: Vec::new(),
        is_unresolved: false,
        doubt: None,
    };
    let mut way = Way::with(prepared, conversations);
    Ok(match way.pass(cx, asked, REPLIES)? {
        Some(Outcome::Passed(proposal, _)) => Ok(*proposal),
        Some(Outcome::Answered(answer, _) | Outcome::Declined(answer)) => Err(answer),
        Some(Outcome::Several(parts)) => Err(Box::new(one_at_a_time(parts))),
        None => return Err(failure!(Internal, "no stage had an outcome")),
    })
}

/// The outcome, with what the asker should know about the engines that did not answer.
fn noted(cx: &Run<'_>, revised: Revised) -> Revised {
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
