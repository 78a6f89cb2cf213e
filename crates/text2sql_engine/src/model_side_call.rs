//! A single model call outside of the SQL dialogue: one prompt, one reply. The answer does not depend on
//! it.

use serde_json::Value;

use text2sql_domain::config::Endpoint;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::trace::Exchange;
use text2sql_models::prompt::Prompt;
use text2sql_models::providers::{self, ChatRequest, Speaker, Turn};

/// Whether nothing was sent, because too many questions wait for endpoints.
pub(crate) fn is_unsent(error: &Error) -> bool {
    error.kind() == ErrorKind::Limit
}

/// Sends a prompt to `endpoint` and records what left the server. `None` if the call fails; a
/// cancellation is an error.
pub fn ask(
    cx: &Run<'_>,
    endpoint: &Endpoint,
    purpose: &'static str,
    prompt: Prompt,
    reply_schema: Value,
) -> Result<Option<String>, Error> {
    let started = cx.session.elapsed_ms();
    let request = ChatRequest {
        system: prompt.system,
        turns: vec![Turn {
            speaker: Speaker::User,
            text: prompt.user,
        }],
        reply_schema: reply_schema.into(),
        purpose,
    };
    let asked = providers::complete(endpoint, &request, cx.transport);
    if let Err(error) = &asked
        && error.kind() == ErrorKind::Cancelled
    {
        return asked.map(|_| None);
    }
    if asked.as_ref().is_err_and(is_unsent) {
        return Ok(None);
    }
    // The prompt has left the server even if the request failed.
    let has_reply = asked.is_ok();
    let reply = asked.unwrap_or_default();
    let mut trace = cx.trace.borrow_mut();
    trace.model_calls += u32::from(has_reply);
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
    Ok(has_reply.then_some(reply.text))
}
