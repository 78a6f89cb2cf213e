//! A single model call outside of the SQL dialogue: one prompt, one reply. The answer does not depend on
//! it.

use serde_json::Value;

use text2sql_domain::config::Endpoint;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::Exchange;
use text2sql_domain::pipeline_run::Run;
use text2sql_models::prompt::Prompt;
use text2sql_models::providers::{self, ChatReply, ChatRequest, Speaker, Turn};

/// Whether nothing was sent, because too many questions wait for endpoints.
pub(crate) fn is_unsent(error: &Error) -> bool {
    error.kind() == ErrorKind::Limit
}

/// The text of a reply, or why there is none.
pub type SideReply = Result<String, Error>;

/// Sends a prompt to `endpoint` and records what left the server. A failed call does not end the question, a
/// cancellation does. What the answer lacks without the reply is for the caller to say.
pub fn ask(
    cx: &Run<'_>,
    endpoint: &Endpoint,
    purpose: &'static str,
    prompt: Prompt,
    reply_schema: Value,
) -> Result<SideReply, Error> {
    let started = cx.session.elapsed_ms();
    let request = ChatRequest {
        system: prompt.system,
        turns: vec![Turn {
            speaker: Speaker::User,
            text: prompt.user,
        }],
        shared: prompt.shared,
        reply_schema: reply_schema.into(),
        purpose,
        names: prompt.names,
        tools: Vec::new(),
    };
    let asked = providers::complete(endpoint, &request, cx.transport);
    let (reply, failure) = match asked {
        Ok(reply) => (reply, None),
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) if is_unsent(&error) => return Ok(Err(error)),
        // The prompt has left the server even if the request failed.
        Err(error) => (ChatReply::default(), Some(error)),
    };
    let mut trace = cx.trace.borrow_mut();
    trace.model_calls += u32::from(failure.is_none());
    trace.requests += reply.requests;
    trace.input_tokens += reply.input_tokens;
    trace.output_tokens += reply.output_tokens;
    trace.exchanges.push(Exchange {
        purpose,
        endpoint: endpoint.name.clone(),
        prompt: request.text(),
        reply: reply.text.clone(),
        disclosed: prompt.disclosed,
        input_tokens: reply.input_tokens,
        output_tokens: reply.output_tokens,
        cost: endpoint.usage(reply.tokens()).cost,
        milliseconds: cx.session.elapsed_ms() - started,
    });
    Ok(match failure {
        None => Ok(reply.text),
        Some(error) => Err(error),
    })
}
