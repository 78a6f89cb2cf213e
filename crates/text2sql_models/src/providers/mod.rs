//! One file per protocol that a model endpoint can speak. Each turns a [`ChatRequest`] into an
//! HTTP request and an HTTP reply into a [`ChatReply`]; [`complete`] is the only match on the
//! protocol.

pub mod anthropic;
pub mod embeddings;
pub mod failure;
pub mod openai;
pub mod options;
pub mod replay;
pub mod rerank;

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use text2sql_domain::config::{Endpoint, Protocol};
use text2sql_domain::error::Error;
use text2sql_domain::ports::{HttpRequest, HttpResponse, Method, Sends, Transport, TransportError};
use text2sql_domain::secret::Secret;

/// Most attempts of one request, within its deadline.
const MAX_ATTEMPTS: u32 = 3;

/// What a model is asked: a system text, turns of a conversation, and the shape of the reply.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    /// The instructions. Never holds text from the database or from the person asking.
    pub system: String,
    /// The turns, the model's last reply before a repair included.
    pub turns: Vec<Turn>,
    /// JSON Schema of the reply.
    pub reply_schema: Arc<Value>,
    /// What the reply is for: the stage's name.
    pub purpose: &'static str,
}

impl ChatRequest {
    /// All text that is sent.
    pub fn text(&self) -> String {
        let turns = self.turns.iter().map(|turn| turn.text.as_str());
        let texts: Vec<&str> = std::iter::once(self.system.as_str()).chain(turns).collect();
        texts.join("\n\n")
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
}

/// Who speaks a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// We, for the person who asks.
    User,
    /// The model.
    Assistant,
}

impl Speaker {
    fn role(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What a model replied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatReply {
    /// The text.
    pub text: String,
    /// Tokens read, as the endpoint counts them.
    pub input_tokens: u64,
    /// Tokens written, as the endpoint counts them.
    pub output_tokens: u64,
    /// HTTP requests made, retries included.
    pub requests: u32,
    /// Whether the endpoint refused structured output and was asked again without.
    pub structured_refused: bool,
    /// Whether the endpoint refused `max_tokens` and was asked again with `max_completion_tokens`.
    pub max_tokens_refused: bool,
}

/// How an endpoint is asked, as far as endpoints of one protocol differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// With a JSON Schema of the reply.
    pub is_structured: bool,
    /// With the bound on the reply's length in `max_completion_tokens`, as newer models of OpenAI want it,
    /// in place of `max_tokens`, which is all that most other servers know.
    pub has_completion_tokens: bool,
}

impl Manner {
    fn first(endpoint: &Endpoint) -> Self {
        Self {
            is_structured: endpoint.structured_output,
            has_completion_tokens: endpoint.completion_tokens,
        }
    }

    /// How to ask once more after the endpoint refused a request; `None` where nothing is left to change.
    fn after_refusal(mut self, endpoint: &Endpoint, response: &HttpResponse) -> Option<Self> {
        // 422 is what some servers built on a schema validator answer in place of 400.
        if !matches!(response.status, 400 | 422) {
            return None;
        }
        let name = b"max_completion_tokens";
        if endpoint.max_output_tokens.is_some()
            && !self.has_completion_tokens
            && response.body.windows(name.len()).any(|part| part == name)
        {
            self.has_completion_tokens = true;
        } else if self.is_structured {
            self.is_structured = false;
        } else {
            return None;
        }
        Some(self)
    }
}

/// Asks the endpoint, once more in another [`Manner`] when it answers 400 to the first.
pub fn complete(
    endpoint: &Endpoint,
    request: &ChatRequest,
    transport: &dyn Transport,
) -> Result<ChatReply, Error> {
    let mut replies = complete_all(endpoint, &[request], transport);
    replies.pop().unwrap_or_else(|| {
        Err(Error::new(
            text2sql_domain::error::ErrorKind::Internal,
            "a request got neither reply nor error",
        ))
    })
}

/// Asks the endpoint all of them at the same time; one that fails leaves the others alone.
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
            // An endpoint that does not chat is refused before.
            Protocol::OpenAi | Protocol::Embeddings | Protocol::Rerank => {
                openai::request(endpoint, request, manner)
            }
            Protocol::Anthropic => anthropic::request(endpoint, request, manner.is_structured),
        }
    };
    let first = Manner::first(endpoint);
    let sent: Vec<HttpRequest> = requests
        .iter()
        .map(|request| http(request, first))
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
                let mut manner = first;
                while let Some(next) = manner.after_refusal(endpoint, &response) {
                    manner = next;
                    response = transport.send(&http(request, manner)).map_err(failed)?;
                    attempts += response.attempts;
                }
                failure::check_status(endpoint, &response)?;
                let mut reply = match endpoint.protocol {
                    Protocol::OpenAi | Protocol::Embeddings | Protocol::Rerank => {
                        openai::read(endpoint, &response)?
                    }
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

/// Tokens that an endpoint may add to what it is sent: the frame of a turn, a few words of its own.
const MAX_ADDED_TOKENS: u64 = 1_000;

/// Tokens that a model may think without showing them, where the server bounds no output: twice what the longest
/// thinkers are allowed.
const MAX_HIDDEN_TOKENS: u64 = 200_000;

/// Keeps the endpoint's own count within what the texts can be: a token is a byte at least. Budgets are charged by
/// it, and an endpoint may say what it likes.
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

/// The request that tells whether the endpoint is there and takes the key, without spending tokens.
pub fn probe(endpoint: &Endpoint) -> HttpRequest {
    let mut http = match endpoint.protocol {
        Protocol::OpenAi | Protocol::Embeddings | Protocol::Rerank => {
            openai::base_request(endpoint, "models")
        }
        Protocol::Anthropic => anthropic::base_request(endpoint, "models"),
    };
    http.method = Method::Get;
    http.max_attempts = 1;
    http
}

/// Writes a body with the members that the server's options ask for; they win over ours.
fn write_body(body: &impl Serialize, endpoint: &Endpoint) -> Vec<u8> {
    // None of our bodies has anything that JSON cannot say.
    if endpoint.extra_body.is_empty() {
        return serde_json::to_vec(body).unwrap_or_default();
    }
    let mut body = serde_json::to_value(body).unwrap_or_default();
    if let Some(members) = body.as_object_mut() {
        for (key, value) in &endpoint.extra_body {
            members.insert(key.clone(), value.clone());
        }
    }
    body.to_string().into_bytes()
}

/// The header that carries the key: the protocol's own, unless the server names another.
fn key_header(endpoint: &Endpoint, name: &str, prefix: &str) -> Vec<(String, Secret)> {
    endpoint
        .api_key
        .iter()
        .map(|key| match &endpoint.api_key_header {
            Some(header) => (header.clone(), key.clone()),
            None => (
                name.to_owned(),
                Secret::new(format!("{prefix}{}", key.expose())),
            ),
        })
        .collect()
}

/// A request to a path of the endpoint: the protocol's own headers, then those of the server's
/// options, the key, and how the connection may be made.
fn request_to(
    endpoint: &Endpoint,
    path: &str,
    own_headers: &[(&str, &str)],
    secret_headers: Vec<(String, Secret)>,
) -> HttpRequest {
    let own = [("content-type", "application/json")]
        .iter()
        .chain(own_headers);
    let own = own.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    HttpRequest {
        method: Method::Post,
        url: format!("{}/{path}", endpoint.base_url.trim_end_matches('/')),
        headers: own.chain(endpoint.extra_headers.iter().cloned()).collect(),
        secret_headers,
        body: Vec::new(),
        connection: endpoint.connection.clone(),
        timeout: endpoint.timeout,
        max_attempts: MAX_ATTEMPTS,
        sends: None,
    }
}

/// What is on record of a request.
fn sends(endpoint: &Endpoint, purpose: &'static str, text: String) -> Option<Sends> {
    Some(Sends {
        endpoint: endpoint.name.clone(),
        purpose,
        text,
    })
}
