//! Gets a proposal for a question, or for its repair, from whoever writes the SQL.

use crate::builtin;
use crate::config::ModelConfig;
use crate::error::Error;
use crate::pipeline::Run;
use crate::prompt::Prompt;
use crate::proposal::Proposal;
use crate::providers::{self, ChatReply, ChatRequest, Speaker, Turn, replay};
use crate::question::Question;
use crate::reply;
use crate::retrieve::Context;

/// The conversation with the model about one question; the built-in engine has none.
#[derive(Debug)]
pub struct Conversation {
    request: Option<ChatRequest>,
}

impl Conversation {
    /// Begins with the prompt.
    pub fn new(prompt: Option<Prompt>) -> Self {
        let request = prompt.map(|prompt| ChatRequest {
            system: prompt.system,
            turns: vec![Turn {
                speaker: Speaker::User,
                text: prompt.user,
            }],
            reply_schema: reply::json_schema(),
        });
        Self { request }
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

/// Asks for a proposal.
pub fn generate(
    cx: &Run<'_>,
    question: &Question,
    context: &Context,
    conversation: &mut Conversation,
) -> Result<Generated, Error> {
    let Some(request) = &mut conversation.request else {
        let proposal = builtin::propose(
            question.as_str(),
            &context.tables,
            &context.definitions,
            &cx.session.today(),
        );
        return Ok(Generated::Proposal(proposal));
    };
    let reply = ask(cx, question, request)?;
    note_cost(cx, &reply);
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
