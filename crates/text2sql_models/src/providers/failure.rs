//! Errors of endpoints: one message and one hint for each.
//!
//! No message contains a body, a header or a key: providers echo fragments of keys. Of an error response
//! only the status and the provider's error code, if it is a single plain word, are shown.

use serde_json::Value;

use super::options::DEFAULT_TIMEOUT;
use text2sql_domain::config::Endpoint;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::{HttpRequest, HttpResponse, Transport, TransportError};
use text2sql_domain::schema::quote_identifier;

/// The error of a base_url that would expose the key.
const PLAIN_HTTP: &str = "a base_url with plain http, which would show the key to the network";

/// The error of a base_url in the server's own network.
const PRIVATE_ADDRESS: &str = "a loopback, private or otherwise non-public address";

/// The error for options with which no request could be sent, when they are set: the server has no name yet.
pub fn from_options(error: &TransportError) -> Error {
    let refused = |what: &str, option: &str| {
        failure!(Setting, "the endpoint has {what}").with_hint(format!(
            "If you trust the endpoint, add the option as superuser: OPTIONS ({option} 'true'), or options => '{{\"{option}\": \"true\"}}'"
        ))
    };
    match error {
        TransportError::PlainHttp => refused(PLAIN_HTTP, "allow_http"),
        TransportError::PrivateAddress => refused(PRIVATE_ADDRESS, "allow_private"),
        other => failure!(Setting, "option \"base_url\" has an invalid value")
            .with_detail(other.to_string())
            .with_hint("Write base_url as 'https://host/v1'."),
    }
}

/// The error for a request that got no reply.
pub fn from_transport(endpoint: &Endpoint, error: &TransportError) -> Error {
    let server = &endpoint.name;
    let name = quote_identifier(server);
    let unreachable = |message: String| Error::new(ErrorKind::ModelUnreachable, message);
    match error {
        TransportError::Cancelled => failure!(Cancelled, "cancelled"),
        TransportError::Busy { message, hint } => {
            Error::new(ErrorKind::Limit, message.clone()).with_hint(hint.clone())
        }
        TransportError::BadUrl(why) => {
            failure!(Setting, "the base_url of server \"{server}\" cannot be used")
                .with_detail(why.clone())
                .with_hint(format!("ALTER SERVER {name} OPTIONS (SET base_url 'https://host/v1')"))
        }
        TransportError::BadSettings(why) => failure!(Setting, "the connection options of server \"{server}\" cannot be used")
        .with_detail(why.clone())
        .with_hint(format!("Check ca_file, proxy, extra_headers and api_key of server {name}.")),
        TransportError::PlainHttp => failure!(Setting, "server \"{server}\" has {PLAIN_HTTP}")
        .with_hint(format!("If you trust the endpoint, run as superuser: ALTER SERVER {name} OPTIONS (ADD allow_http 'true')")),
        TransportError::PrivateAddress => failure!(Setting, "the endpoint of server \"{server}\" has {PRIVATE_ADDRESS}")
        .with_hint(format!("If you trust the endpoint, run as superuser: ALTER SERVER {name} OPTIONS (ADD allow_private 'true')")),
        TransportError::Dns => unreachable(format!("the host name of server \"{server}\" does not resolve"))
            .with_hint(format!("Check the spelling: ALTER SERVER {name} OPTIONS (SET base_url 'https://host/v1')")),
        TransportError::Connect(why) => unreachable(format!("the endpoint of server \"{server}\" cannot be reached"))
            .with_detail(why.clone())
            .with_hint("Check that it is running and that the database server may connect to it: SELECT * FROM text2sql.status()"),
        TransportError::Tls(why) => unreachable(format!("no secure connection to the endpoint of server \"{server}\""))
            .with_detail(why.clone())
            .with_hint(format!("For a private certificate authority, run as superuser: ALTER SERVER {name} OPTIONS (ADD ca_file '/path/ca.pem')")),
        TransportError::Timeout(limit) => unreachable(format!(
            "no complete reply from server \"{server}\" within {} ms", limit.as_millis()))
            .with_hint(longer_timeout(endpoint)),
        TransportError::Broken(why) => unreachable(format!("the reply of server \"{server}\" broke off"))
            .with_detail(why.clone())
            .with_hint("Try again, and check the endpoint: SELECT * FROM text2sql.status()"),
        TransportError::TooLarge(cap) => bad_reply(endpoint, format!("is larger than {cap} bytes")),
    }
}

/// Sends a request that is answered at once; returns the response, and the input tokens that it cost.
pub fn sent(
    endpoint: &Endpoint,
    transport: &dyn Transport,
    request: &HttpRequest,
) -> Result<(HttpResponse, u64), Error> {
    let response = transport.send(request);
    let response = response.map_err(|error| from_transport(endpoint, &error))?;
    check_status(endpoint, &response)?;
    let tokens = tokens_of(endpoint, &response, request.body.len());
    Ok((response, tokens))
}

/// The error for a status other than 2xx.
pub fn check_status(endpoint: &Endpoint, response: &HttpResponse) -> Result<(), Error> {
    let server = &endpoint.name;
    let name = quote_identifier(server);
    let status = response.status;
    let code = provider_code(response);
    let said = code
        .as_deref()
        .map(|code| format!("The endpoint reported {code}."));
    let error = match status {
        200..=299 => return Ok(()),
        300..=399 => failure!(Setting, "the endpoint of server \"{server}\" redirects ({status}), which is not followed")
        .with_hint(format!("Use the address that it redirects to: ALTER SERVER {name} OPTIONS (SET base_url '…')")),
        401 | 403 => failure!(Setup, "the endpoint of server \"{server}\" refused the key ({status})")
        .with_hint(format!("Check the key file of server {name}, or run: ALTER USER MAPPING FOR CURRENT_USER SERVER {name} OPTIONS (SET api_key '…')")),
        404 => failure!(Setup, "the endpoint of server \"{server}\" has no model \"{}\", or its base_url is wrong (404)", endpoint.model)
        .with_hint(format!("A base_url usually ends in /v1. To change the model: ALTER SERVER {name} OPTIONS (SET model '…')")),
        408 | 409 | 429 | 500..=599 => failure!(ModelUnreachable, "the endpoint of server \"{server}\" answered {status} ({}) {}", reason(status), times(response.attempts))
        .with_hint(if status == 429 { "Wait, or raise the quota at the provider." } else { "Try again, and check the endpoint: SELECT * FROM text2sql.status()" }),
        _ => failure!(ModelReply, "the endpoint of server \"{server}\" did not accept the request ({status})")
        .with_hint(format!("Check the options of server {name}: model, extra_body, max_output_tokens, temperature.")),
    };
    Err(match said {
        Some(said) => error.with_detail(said),
        None => error,
    })
}

fn times(attempts: u32) -> String {
    match attempts {
        0 | 1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

/// The hint to wait longer. An endpoint with another timeout than the default has the option already.
fn longer_timeout(endpoint: &Endpoint) -> String {
    let given = endpoint.timeout;
    let more = given.as_millis().saturating_mul(2).max(120_000);
    set_option(endpoint, given != DEFAULT_TIMEOUT, "timeout_ms", more)
}

/// The statement that sets an option of the endpoint's server.
fn set_option(endpoint: &Endpoint, is_set: bool, option: &str, value: u128) -> String {
    let name = quote_identifier(&endpoint.name);
    let verb = if is_set { "SET" } else { "ADD" };
    format!("ALTER SERVER {name} OPTIONS ({verb} {option} '{value}')")
}

fn reason(status: u16) -> &'static str {
    match status {
        408 => "request timeout",
        409 => "conflict",
        429 => "too many requests",
        529 => "overloaded",
        503 => "unavailable",
        502 | 504 => "bad gateway",
        _ => "server error",
    }
}

/// The body as JSON.
pub fn read_json(endpoint: &Endpoint, response: &HttpResponse) -> Result<Value, Error> {
    serde_json::from_slice(&response.body).map_err(|error| {
        let kind = response
            .content_type
            .as_deref()
            .unwrap_or("no content type");
        let what = if response.body.is_empty() {
            "is empty".to_owned()
        } else {
            "is not JSON".to_owned()
        };
        // serde_json's error names a line and a column, never the text.
        bad_reply(endpoint, what)
            .with_detail(format!(
                "status {}, {}, {} bytes",
                response.status,
                printable(kind),
                response.body.len()
            ))
            .with_source(error)
    })
}

/// The model declined to answer.
pub fn refusal(endpoint: &Endpoint) -> Error {
    failure!(
        ModelReply,
        "the model of server \"{}\" refused to answer",
        endpoint.name
    )
    .with_hint("Rephrase the question, or use another model: SET text2sql.model = '…'")
}

/// The reply reached the limit on its length.
pub fn cut_short(endpoint: &Endpoint) -> Error {
    bad_reply(
        endpoint,
        "was cut off at the limit on output tokens".to_owned(),
    )
    .with_hint(set_option(
        endpoint,
        endpoint.max_output_tokens.is_some(),
        "max_output_tokens",
        u128::from(endpoint.max_output_tokens.unwrap_or(0).saturating_mul(2)).max(8_192),
    ))
}

/// The reply contains no text.
pub fn empty(endpoint: &Endpoint) -> Error {
    bad_reply(endpoint, "contains no text".to_owned())
}

/// The reply contains no query.
pub fn without_sql(endpoint: &Endpoint) -> Error {
    bad_reply(endpoint, "contains no SQL".to_owned())
}

/// The reply contains no sentences about passages.
pub fn without_sentences(endpoint: &Endpoint) -> Error {
    bad_reply(endpoint, "contains no sentences".to_owned())
}

/// The error for a server without chat that is used to write SQL.
pub(super) fn no_chat(endpoint: &Endpoint, protocol: &str) -> Error {
    failure!(
        Setup,
        "server \"{}\" has protocol {protocol} and cannot write SQL",
        endpoint.name
    )
    .with_hint("Set text2sql.model to a server with protocol openai or anthropic, or to 'builtin'.")
}

pub(super) fn bad_reply(endpoint: &Endpoint, what: String) -> Error {
    failure!(
        ModelReply,
        "the reply of server \"{}\" {what}",
        endpoint.name
    )
    .with_hint(
        "Try again, or use another model. To see what is sent: SELECT text2sql.preview_prompt('…')",
    )
}

/// Maximum length of a model's name that is repeated, in characters.
const MAX_MODEL_CHARS: usize = 200;

/// The model that replied, as the endpoint names it.
pub fn model_named(body: &Value) -> Option<String> {
    let name = body.get("model")?.as_str()?;
    let plain = name.chars().filter(|c| !c.is_control());
    let name: String = plain.take(MAX_MODEL_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

/// A token count in a reply; 0 if the endpoint reports none.
pub fn count(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Input tokens of a request of `sent` bytes without a written reply; they are read only where they have a price. An
/// endpoint may report anything: a token is at least a byte.
pub fn tokens_of(endpoint: &Endpoint, response: &HttpResponse, sent: usize) -> u64 {
    #[derive(serde::Deserialize)]
    struct Reply {
        usage: Option<Used>,
    }
    #[derive(serde::Deserialize)]
    struct Used {
        prompt_tokens: Option<u64>,
        total_tokens: Option<u64>,
    }
    if endpoint.prices.is_none() {
        return 0;
    }
    let reply = serde_json::from_slice::<Reply>(&response.body).ok();
    let used = reply.and_then(|reply| reply.usage);
    let tokens = used.and_then(|used| used.prompt_tokens.or(used.total_tokens));
    tokens
        .unwrap_or(0)
        .min(u64::try_from(sent).unwrap_or(u64::MAX))
}

/// The provider's error code, if it is a single plain word.
fn provider_code(response: &HttpResponse) -> Option<String> {
    let body: Value = serde_json::from_slice(&response.body).ok()?;
    let word = |pointer: &str| body.pointer(pointer).and_then(Value::as_str);
    let code = word("/error/code")
        .or_else(|| word("/error/type"))
        .or_else(|| word("/code"))?;
    let is_plain = code.len() <= 40 && code.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_plain.then(|| code.to_owned())
}

fn printable(content_type: &str) -> String {
    content_type
        .chars()
        .filter(|c| c.is_ascii_graphic())
        .take(60)
        .collect()
}
