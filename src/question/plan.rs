//! How a question would be answered, before anything runs: recorded and charged as any other call.

use text2sql_domain::answer::Status;
use text2sql_domain::error::Error;
use text2sql_engine::pipeline;
use text2sql_engine::planned_steps::{Plan, Planned, all_sql};

use super::record::ended;
use super::run::{Request, RunOutcome, run};
use crate::pg::stored::record::history::Ended;

/// The steps of a question. It may continue a conversation, which does not remember it.
pub(crate) fn plan(request: &Request) -> Result<RunOutcome<Planned>, Error> {
    let question = request.question()?;
    let turns = request.turns()?;
    let planned_ended = |planned: &Planned| match planned {
        Ok(plan) => Ended {
            status: Status::Ok.as_str(),
            sql: all_sql(&plan.steps),
            confidence: plan.confidence,
            ..Ended::default()
        },
        Err(answer) => ended(answer),
    };
    let planned = run(&request.call(&question), planned_ended, |run, engines| {
        pipeline::plan(run, engines, &question, &turns)
    })?;
    if let Some(doubt) = planned.value.as_ref().ok().and_then(Plan::doubt) {
        pgrx::warning!("{doubt}");
    }
    Ok(planned)
}
