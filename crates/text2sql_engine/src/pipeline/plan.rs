//! How a question would be answered, before anything runs.
//!
//! A model is asked once, with instructions of its own. The built-in engine and verified examples know the query,
//! which the guard checks and nothing runs.

use serde_json::json;

use super::attempt::{Attempt, End, Statement};
use super::decline::unresolved_follow_up;
use super::in_order::{self, Given, in_order};
use super::prepare::Asked;
use super::replay_verified_example::replay;
use super::route::route;
use super::solve::solve_with_readings;
use super::{one_result, several, sureness};
use crate::conversation::Turn;
use crate::planned_steps::{MAX_STEPS, Planned, add_query, json_schema, lacking, read};
use crate::query_generation::ask_other;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::question::Question;
use text2sql_domain::sql_result::ResultColumn;
use text2sql_models::prompt::render_plan;

/// The steps of a question. `turns` are the earlier turns of the conversation, oldest first.
pub fn plan(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Planned, Error> {
    let check = |cx: &Run<'_>, statement: &Statement<'_>| {
        cx.database.check(statement.sql(), &cx.config.limits)
    };
    let attempt = Attempt::of_columns(&check);
    let places = in_order::places(engines, true);
    let chosen = in_order(cx, engines, &places, |cx, _| match cx.config.model {
        ModelConfig::Builtin => of_known_query(cx, question, turns, &attempt),
        ModelConfig::Endpoint(_) | ModelConfig::Replay(_) => {
            of_model(cx, question, turns, &attempt)
        }
    })?;
    Ok(chosen.given)
}

impl Given for Planned {
    fn unsure(&self) -> Option<&Answer> {
        let answer = self.as_ref().err()?;
        sureness::may_be_improved(answer.status).then_some(answer)
    }

    fn is_of_engine(&self) -> bool {
        true
    }
}

/// The steps of the query that the built-in engine would run, or of those of the parts.
fn of_known_query(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
    attempt: &Attempt<'_, Vec<ResultColumn>>,
) -> Result<Planned, Error> {
    let mut steps = Vec::new();
    let engine = OnlyEngine::of(cx.config);
    let (chosen, _) = solve_with_readings(cx, &engine, question, turns, attempt)?;
    let (answer, tables) = match chosen.given {
        End::Solved(solved) => {
            let answer = Answer {
                sql: Some(solved.proposal.sql),
                ..Answer::without_rows(Status::Ok, "")
            };
            (Box::new(answer), solved.context.tables)
        }
        End::Answered(answer, _) => (answer, Vec::new()),
        End::Several(parts) => (Box::new(one_result::one_at_a_time(parts)), Vec::new()),
    };
    if let Some(parts) = several::parts_instead(cx, question, turns, &answer)? {
        for part in parts {
            add_query(&mut steps, &part.sql, &part.tables.context);
        }
        return Ok(Ok(steps));
    }
    match &answer.sql {
        Some(sql) if answer.status == Status::Ok => add_query(&mut steps, sql, &tables),
        _ => return Ok(Err(answer)),
    }
    Ok(Ok(steps))
}

/// The steps of a verified example that would answer it, else those that a model plans.
fn of_model(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
    attempt: &Attempt<'_, Vec<ResultColumn>>,
) -> Result<Planned, Error> {
    let prepared = Asked::of(cx, question, turns)?.prepare(cx, false)?;
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    if prepared.is_unresolved {
        return Ok(Err(Box::new(unresolved_follow_up(
            cx,
            understanding,
            &prepared.turns,
        ))));
    }
    if let Some((proposal, _)) = replay(cx, understanding, context, attempt)? {
        let mut steps = Vec::new();
        add_query(&mut steps, &proposal.sql, &context.tables);
        return Ok(Ok(steps));
    }
    if let Some(answer) = route(cx, understanding, context, prepared.doubt) {
        return Ok(Err(Box::new(answer)));
    }
    let stage = cx.stage("plan");
    let version = cx.session.server_version();
    let prompt = render_plan(understanding, context, cx.config, &version, MAX_STEPS);
    let chars = prompt.chars();
    cx.trace.borrow_mut().prompt_chars = chars;
    let reply = ask_other(cx, understanding, prompt, "plan", json_schema())?;
    let missing = lacking(&reply);
    let steps = read(&reply, &context.tables).filter(|_| missing.is_none());
    stage.end(
        json!({"characters": chars}),
        json!({"steps": steps.as_ref().map(Vec::len), "missing": missing}),
    );
    if let Some(missing) = missing {
        let reason = match missing.is_empty() {
            true => "the schema does not hold what the question needs".to_owned(),
            false => format!("the schema does not hold {}", missing.join(", ")),
        };
        let proposal = Proposal::Unanswerable {
            reason,
            missing,
            nearest: Vec::new(),
        };
        let answer = super::decline::decline(cx, understanding, proposal, &context.tables)?;
        return Ok(Err(Box::new(answer)));
    }
    match steps {
        Some(steps) => Ok(Ok(steps)),
        None => Err(
            Error::new(ErrorKind::ModelReply, "the reply of the model has no plan")
                .with_hint("Ask again, or for the SQL: SELECT text2sql.to_sql('…');")
                .of_endpoint(),
        ),
    }
}
