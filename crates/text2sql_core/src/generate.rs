//! Gets a proposal for a question, or for its repair, from whoever writes the SQL.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::builtin;
use crate::config::ModelConfig;
use crate::error::Error;
use crate::pipeline::Run;
use crate::prompt::Prompt;
use crate::proposal::Proposal;
use crate::providers::{self, ChatReply, ChatRequest, Speaker, Turn, replay};
use crate::question::Question;
use crate::reply;
use crate::schema::Table;
use crate::trace::{Disclosed, Exchange};

/// The conversation with the model about one question; the built-in engine has none.
#[derive(Debug)]
pub struct Conversation {
    request: Option<ChatRequest>,
    /// Which names and values of the database the prompt holds.
    disclosed: Disclosed,
}

impl Conversation {
    /// Begins with the prompt.
    pub fn new(prompt: Option<Prompt>) -> Self {
        let Some(prompt) = prompt else {
            return Self {
                request: None,
                disclosed: Disclosed::default(),
            };
        };
        let request = ChatRequest {
            system: prompt.system,
            turns: vec![Turn {
                speaker: Speaker::User,
                text: prompt.user,
            }],
            reply_schema: reply::json_schema(),
        };
        Self {
            request: Some(request),
            disclosed: prompt.disclosed,
        }
    }

    /// Whether asking again can give another reply.
    pub fn can_repair(&self) -> bool {
        self.request.is_some()
    }

    /// Adds what is wrong with the last reply.
    pub fn object(&mut self, problem: String) {
        if let Some(request) = &mut self.request {
            request.turns.push(Turn {
                speaker: Speaker::User,
                text: problem,
            });
        }
    }
}

/// What came back: a proposal, or a reply in which nobody can find one.
#[derive(Debug)]
pub enum Generated {
    /// A proposal.
    Proposal(Proposal),
    /// A reply without SQL; the error to raise when asking again does not help.
    NoSql(Error),
}

impl Generated {
    /// What the trace keeps of it.
    pub fn summary(&self) -> Value {
        match self {
            Self::Proposal(Proposal::Sql(proposal)) => json!({
                "proposal": "sql", "sql": proposal.sql, "assumptions": proposal.notes,
                "sentence": proposal.sentence,
            }),
            Self::Proposal(Proposal::Ambiguous { question, readings }) => {
                json!({"proposal": "ambiguous", "clarification": question, "readings": readings})
            }
            Self::Proposal(Proposal::Unanswerable { missing, .. }) => {
                json!({"proposal": "unanswerable", "missing": missing})
            }
            Self::NoSql(_) => json!({"proposal": null}),
        }
    }
}

/// Asks for a proposal.
pub fn generate(
    cx: &Run<'_>,
    question: &Question,
    tables: &[Arc<Table>],
    conversation: &mut Conversation,
) -> Result<Generated, Error> {
    let Some(request) = &mut conversation.request else {
        let proposal = builtin::propose(question.as_str(), tables, &cx.session.today());
        return Ok(Generated::Proposal(proposal));
    };
    let started = cx.session.elapsed_ms();
    let reply = ask(cx, question, request)?;
    note_cost(cx, &reply);
    // A recorded reply left nothing out of the server.
    if let ModelConfig::Endpoint(endpoint) = &cx.config.model {
        let is_first = request.turns.len() == 1;
        cx.trace.borrow_mut().exchanges.push(Exchange {
            purpose: if is_first { "generate" } else { "repair" },
            endpoint: endpoint.name.clone(),
            prompt: request.text(),
            reply: reply.text.clone(),
            disclosed: conversation.disclosed.clone(),
            input_tokens: reply.input_tokens,
            output_tokens: reply.output_tokens,
            milliseconds: cx.session.elapsed_ms() - started,
        });
    }
    request.turns.push(Turn {
        speaker: Speaker::Assistant,
        text: reply.text.clone(),
    });
    Ok(match reply::read(&reply.text) {
        Some(proposal) => Generated::Proposal(proposal),
        None => Generated::NoSql(match &cx.config.model {
            ModelConfig::Endpoint(endpoint) => providers::failure::without_sql(endpoint),
            ModelConfig::Builtin | ModelConfig::Replay(_) => Error::new(
                crate::error::ErrorKind::ModelReply,
                "the recorded reply holds no SQL",
            ),
        }),
    })
}

fn ask(cx: &Run<'_>, question: &Question, request: &ChatRequest) -> Result<ChatReply, Error> {
    match &cx.config.model {
        ModelConfig::Endpoint(endpoint) => providers::complete(endpoint, request, cx.transport),
        ModelConfig::Replay(recordings) => replay::complete(recordings, question.as_str(), request),
        ModelConfig::Builtin => Err(Error::new(
            crate::error::ErrorKind::Internal,
            "the built-in engine holds no conversation",
        )),
    }
}

fn note_cost(cx: &Run<'_>, reply: &ChatReply) {
    let mut trace = cx.trace.borrow_mut();
    trace.model_calls += 1;
    trace.requests += reply.requests;
    trace.input_tokens += reply.input_tokens;
    trace.output_tokens += reply.output_tokens;
    trace.structured_refused |= reply.structured_refused;
}
