//! The tool `ask`: steps as progress, an ambiguous question as a dialogue, and the end of the call as a cancel.

use futures_util::StreamExt;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, InputResponses, ProgressNotificationParam};
use rmcp::service::{RequestContext, RoleServer};

use serde_json::value::RawValue;

use super::results::{answered, failed};
use crate::answer::Answer;
use crate::mcp::agent::Agent;
use crate::mcp::clarify::{self, Asked, Way};
use crate::problem::Problem;
use crate::questions::{Event, Question};

pub(super) async fn ask(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
    mut question: String,
    mut conversation: Option<String>,
    meaning: Option<String>,
    resumed: Option<(&str, Option<&InputResponses>)>,
) -> Result<CallToolResponse, ErrorData> {
    let bound_to = format!("{} ask", agent.role());
    let mut may_clarify = true;
    if let Some((state, responses)) = resumed {
        let (asked, reading) = clarify::resumed(agent.codec(), &bound_to, state, responses)
            .map_err(|error| ErrorData::invalid_params(error, None))?;
        conversation = asked.conversation;
        // A client that declined gets the readings as the result.
        may_clarify = false;
        question = reading.unwrap_or(question);
    }
    loop {
        let options = meaning
            .as_ref()
            .map(|meaning| format!("{{\"meaning\": {meaning}}}"));
        let whole = Question {
            question: question.clone(),
            conversation: conversation.clone(),
            options: options.and_then(|options| RawValue::from_string(options).ok()),
        };
        let answer = match run(agent, context, whole).await {
            Ok(answer) => answer,
            Err(problem) => return Ok(failed(&problem).into()),
        };
        if answer.readings().is_empty() || !may_clarify {
            return Ok(result(agent, &answer).into());
        }
        may_clarify = false;
        let prompt = answer
            .clarification
            .as_ref()
            .and_then(|clarification| clarification.question.as_deref());
        let prompt = prompt
            .or(answer.answer.as_deref())
            .unwrap_or("Which one do you mean?");
        match clarify::way(context, agent.keeps_connection()) {
            Way::Within => match clarify::within(context, prompt, answer.readings()).await {
                Some(reading) => question = reading,
                None => return Ok(result(agent, &answer).into()),
            },
            Way::ByResult => {
                let asked = Asked {
                    conversation,
                    readings: answer.readings().to_vec(),
                };
                return Ok(
                    match clarify::by_result(agent.codec(), &bound_to, prompt, &asked) {
                        Some(request) => request.into(),
                        None => result(agent, &answer).into(),
                    },
                );
            }
            Way::None => return Ok(result(agent, &answer).into()),
        }
    }
}

fn result(agent: &Agent, answer: &Answer) -> CallToolResult {
    answered(agent, answer.sql.as_deref(), answer)
}

/// One question from its first step to its answer. When the client cancels or goes away, the stream is dropped, which
/// cancels the query in PostgreSQL.
async fn run(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
    question: Question,
) -> Result<Answer, Problem> {
    let mut events = agent.ask(question);
    let token = context.meta.get_progress_token();
    let mut steps = 0.0;
    loop {
        let event = tokio::select! {
            () = context.ct.cancelled() => return Err(Problem::cancelled()),
            event = events.next() => event,
        };
        match event {
            Some(Event::Step(step)) => {
                steps += 1.0;
                if let Some(token) = &token {
                    let message = format!("{} ({:.0} ms)", step.stage, step.ms);
                    let progress =
                        ProgressNotificationParam::new(token.clone(), steps).with_message(message);
                    if let Err(error) = context.peer.notify_progress(progress).await {
                        tracing::debug!("progress was not delivered: {error}");
                    }
                }
            }
            Some(Event::Answer(row)) => {
                return Answer::read(&row)
                    .map_err(|error| Problem::unavailable(format!("unexpected result: {error}")));
            }
            Some(Event::Failed(problem)) => return Err(problem),
            None => return Err(Problem::unavailable("the question ended without an answer")),
        }
    }
}
