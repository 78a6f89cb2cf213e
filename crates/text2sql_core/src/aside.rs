//! A call of the model beside the one that writes SQL: one prompt, one reply, and no way back into the
//! dialogue. An answer does not hang on it.

use serde_json::Value;

use crate::config::Endpoint;
use crate::error::{Error, ErrorKind};
use crate::pipeline::Run;
use crate::prompt::Prompt;
use crate::providers::{self, ChatRequest, Speaker, Turn};
use crate::trace::Exchange;

/// Asks `endpoint`, and notes what left the server for it; `None` when it fails. A cancel is an error.
pub fn ask_aside(
    cx: &Run<'_>,
    endpoint: &Endpoint,
    purpose: &'static str,
    prompt: Prompt,
    reply_schema: Value,
) -> Result<Option<String>, Error> {
    let started = cx.session.elapsed_ms();
    let request = ChatRequest {
        system: prompt.system.clone(),
        turns: vec![Turn {
            speaker: Speaker::User,
            text: prompt.user.clone(),
        }],
        reply_schema: reply_schema.into(),
    };
    let reply = match providers::complete(endpoint, &request, cx.transport) {
        Ok(reply) => reply,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(_) => return Ok(None),
    };
    let mut trace = cx.trace.borrow_mut();
    trace.model_calls += 1;
    trace.requests += reply.requests;
    trace.input_tokens += reply.input_tokens;
    trace.output_tokens += reply.output_tokens;
    trace.exchanges.push(Exchange {
        purpose,
        endpoint: endpoint.name.clone(),
        prompt: format!("{}\n\n{}", prompt.system, prompt.user),
        reply: reply.text.clone(),
        disclosed: prompt.disclosed,
        input_tokens: reply.input_tokens,
        output_tokens: reply.output_tokens,
        milliseconds: cx.session.elapsed_ms() - started,
    });
    Ok(Some(reply.text))
}
