//! How a question would be answered, before anything runs: recorded and charged as any other call.

use text2sql_domain::answer::Status;
use text2sql_domain::error::Error;
use text2sql_engine::pipeline;
use text2sql_engine::planned_steps::{Planned, all_sql};

use super::record::ended;
use super::run::{Request, RunOutcome, run};
use crate::pg::stored::record::history::Ended;

/// The steps of a question. It may continue a conversation, which does not remember it.
pub(crate) fn plan(request: &Request) -> Result<RunOutcome<Planned>, Error> {
    let question = request.question()?;
    let turns = request.turns()?;
    let planned_ended = |planned: &Planned| match planned {
        Ok(steps) => Ended {
            status: Status::Ok.as_str(),
            sql: all_sql(steps),
            ..Ended::default()
        },
        Err(answer) => ended(answer),
    };
    run(&request.call(&question), planned_ended, |run, engines| {
        pipeline::plan(run, engines, &question, &turns)
    })
}
