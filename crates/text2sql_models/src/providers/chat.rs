//! Sends chat requests. This is the only match on the protocol.

use super::chat_request::{ChatReply, ChatRequest, Manner};
use super::http_request::sends;
use super::{anthropic, failure, openai};
use text2sql_domain::config::{Endpoint, Protocol};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::{HttpRequest, Method, Transport, TransportError};

/// Sends the request, and once more in another `Manner` when the endpoint refuses the first with 400.
pub fn complete(
    endpoint: &Endpoint,
    request: &ChatRequest,
    transport: &dyn Transport,
) -> Result<ChatReply, Error> {
    let mut replies = complete_all(endpoint, &[request], transport);
    replies
        .pop()
        .unwrap_or_else(|| Err(failure!(Internal, "a request got neither reply nor error")))
}

/// Sends all requests at the same time; the failure of one does not affect the others.
pub fn complete_all(
    endpoint: &Endpoint,
    requests: &[&ChatRequest],
    transport: &dyn Transport,
) -> Vec<Result<ChatReply, Error>> {
    if let Some(protocol) = endpoint.protocol.without_chat() {
        let refuse = |_: &&ChatRequest| Err(failure::no_chat(endpoint, protocol));
        return requests.iter().map(refuse).collect();
    }
    let http = |request: &ChatRequest, manner: Manner| HttpRequest {
        sends: sends(endpoint, request.purpose, request.text()),
        ..match endpoint.protocol {
            // Endpoints without chat were refused above.
            Protocol::Local | Protocol::OpenAi | Protocol::Embeddings | Protocol::Rerank => {
                openai::request(endpoint, request, manner)
            }
            Protocol::Anthropic => anthropic::request(endpoint, request, manner),
        }
    };
    let sent: Vec<HttpRequest> = requests
        .iter()
        .map(|request| http(request, Manner::first(endpoint, request)))
        .collect();
    let responses = transport.send_all(&sent);
    let replies =
        responses
            .into_iter()
            .zip(requests)
            .zip(&sent)
            .map(|((response, request), sent)| {
                let failed = |error: TransportError| failure::from_transport(endpoint, &error);
                let mut response = response.map_err(failed)?;
                let mut attempts = response.attempts;
                let first = Manner::first(endpoint, request);
                let mut manner = first;
                while let Some(next) = manner.after_refusal(endpoint, &response) {
                    manner = next;
                    response = transport.send(&http(request, manner)).map_err(failed)?;
                    attempts += response.attempts;
                }
                failure::check_status(endpoint, &response)?;
                let mut reply = match endpoint.protocol {
                    Protocol::Local
                    | Protocol::OpenAi
                    | Protocol::Embeddings
                    | Protocol::Rerank => openai::read(endpoint, &response)?,
                    Protocol::Anthropic => anthropic::read(endpoint, &response)?,
                };
                bound_usage(&mut reply, endpoint, sent.body.len(), response.body.len());
                reply.requests = attempts;
                reply.structured_refused = manner.is_structured != first.is_structured;
                reply.max_tokens_refused =
                    manner.has_completion_tokens != first.has_completion_tokens;
                Ok(reply)
            });
    replies.collect()
}

/// Maximum number of tokens that an endpoint adds to the request: the frame of a turn, a few words.
const MAX_ADDED_TOKENS: u64 = 1_000;

/// Maximum number of hidden reasoning tokens where the endpoint has no limit on output: twice the largest
/// limit of present models.
const MAX_HIDDEN_TOKENS: u64 = 200_000;

/// Bounds the token counts that the endpoint reports by the size of the texts: a token is at least a byte.
/// Budgets are charged by these counts, and an endpoint may report anything.
fn bound_usage(reply: &mut ChatReply, endpoint: &Endpoint, sent: usize, received: usize) {
    let bytes = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let output = endpoint
        .max_output_tokens
        .map_or(MAX_HIDDEN_TOKENS, u64::from);
    reply.input_tokens = reply
        .input_tokens
        .min(bytes(sent).saturating_add(MAX_ADDED_TOKENS));
    reply.output_tokens = reply.output_tokens.min(output.max(bytes(received)));
}

/// The request that shows whether the endpoint is reachable and accepts the key, without using tokens.
pub fn probe(endpoint: &Endpoint) -> HttpRequest {
    let mut http = match endpoint.protocol {
        Protocol::Local | Protocol::OpenAi | Protocol::Embeddings | Protocol::Rerank => {
            openai::base_request(endpoint, "models")
        }
        Protocol::Anthropic => anthropic::base_request(endpoint, "models"),
    };
    http.method = Method::Get;
    http.max_attempts = 1;
    http
}
