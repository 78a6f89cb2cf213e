//! How a question would be answered, before anything runs.
//!
//! A model is asked once, with instructions of its own. The built-in engine and verified examples know the query,
//! which the guard checks and nothing runs.

use serde_json::json;

use super::answer;
use super::asked::{Asked, Outcome, Parts};
use super::in_order::{self, in_order};
use super::prepare::Understood;
use super::several;
use super::solve::{WITHOUT_ENGINE, Way, solve};
use crate::conversation::Turn;
use crate::planned_steps::{MAX_STEPS, Plan, Planned, add_query, json_schema, lacking, read};
use crate::query_generation::ask_other;
use crate::stages::decline::decline;
use text2sql_builtin as builtin;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::question::Question;
use text2sql_models::prompt::render_plan;

/// The steps of a question. `turns` are the earlier turns of the conversation, oldest first.
pub fn plan(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Planned, Error> {
    let places = in_order::places(engines, true);
    let chosen = in_order(cx, engines, &places, |cx, _| match cx.config.model {
        ModelConfig::Builtin => {
            let engine = OnlyEngine::of(cx.config);
            of_known_query(cx, &Asked::for_sql(&engine, question, turns, Parts::Whole))
        }
        ModelConfig::Endpoint(_) | ModelConfig::Replay(_) => {
            of_model(cx, &Asked::for_sql(engines, question, turns, Parts::Whole))
        }
    })?;
    Ok(chosen.given)
}

/// The steps of the query that the built-in engine would run, or of those of the parts.
fn of_known_query(cx: &Run<'_>, asked: &Asked<'_>) -> Result<Planned, Error> {
    let mut steps = Vec::new();
    let (chosen, _) = solve(cx, asked)?;
    let mut confidence = None;
    let (answer, tables) = match chosen.given.solved() {
        Ok(solved) => {
            confidence = answer::confidence(cx, &solved.proposal);
            let answer = Answer {
                sql: Some(solved.proposal.sql),
                ..Answer::without_rows(Status::Ok, "")
            };
            (Box::new(answer), solved.context.tables.clone())
        }
        Err(answer) => (answer, Vec::new()),
    };
    if let Some(parts) = several::parts_instead(cx, asked, &answer)? {
        for part in &parts {
            add_query(&mut steps, &part.sql, &part.tables.context);
        }
        let each = parts
            .iter()
            .map(|part| builtin::confidence::confidence(&part.sql));
        let confidence = each.product();
        return Ok(Ok(Plan { steps, confidence }));
    }
    match &answer.sql {
        Some(sql) if answer.status == Status::Ok => add_query(&mut steps, sql, &tables),
        _ => return Ok(Err(answer)),
    }
    Ok(Ok(Plan { steps, confidence }))
}

/// The steps of a verified example that would answer it, else those that a model plans.
fn of_model(cx: &Run<'_>, asked: &Asked<'_>) -> Result<Planned, Error> {
    let prepared = Understood::of(cx, &asked.question, asked.turns)?.prepare(cx, false)?;
    let mut way = Way::with(prepared, Vec::new());
    match way.pass(cx, asked, WITHOUT_ENGINE)? {
        Some(Outcome::Passed(proposal, _)) => {
            let mut steps = Vec::new();
            add_query(&mut steps, &proposal.sql, &way.prepared.context.tables);
            let confidence = answer::confidence(cx, &proposal);
            return Ok(Ok(Plan { steps, confidence }));
        }
        Some(Outcome::Answered(answer, _) | Outcome::Declined(answer)) => return Ok(Err(answer)),
        Some(Outcome::Several(_)) | None => {}
    }
    let (understanding, context) = (&way.prepared.understanding, &way.prepared.context);
    let stage = cx.stage("plan");
    let version = cx.session.server_version();
    let prompt = render_plan(understanding, context, cx.config, &version, MAX_STEPS);
    let chars = prompt.chars();
    cx.trace.borrow_mut().prompt_chars = chars;
    let reply = ask_other(cx, understanding, prompt, "plan", json_schema())?;
    let missing = lacking(&reply);
    let plan = read(&reply, &context.tables).filter(|_| missing.is_none());
    stage.end(
        json!({"characters": chars}),
        json!({"steps": plan.as_ref().map(|plan| plan.steps.len()), "missing": missing}),
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
        let answer = decline(cx, understanding, proposal, &context.tables)?;
        return Ok(Err(Box::new(answer)));
    }
    match plan {
        Some(plan) => Ok(Ok(plan)),
        None => Err(failure!(ModelReply, "the reply of the model has no plan")
            .with_hint("Ask again, or for the SQL: SELECT text2sql.to_sql('…');")
            .of_endpoint()),
    }
}
