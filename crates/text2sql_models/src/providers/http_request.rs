//! What the HTTP requests of all protocols share: path, headers, key, body and what is recorded of them.

use serde::Serialize;

use text2sql_domain::config::Endpoint;
use text2sql_domain::ports::{HttpRequest, Method, Sends};
use text2sql_domain::secret::Secret;

/// Maximum number of attempts of one request, within its deadline.
const MAX_ATTEMPTS: u32 = 3;

/// Writes a body with the members of the server's option `extra_body`, which override the request's own.
pub(super) fn write_body(body: &impl Serialize, endpoint: &Endpoint) -> Vec<u8> {
    // No body has anything that JSON cannot represent.
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
pub(super) fn key_header(endpoint: &Endpoint, name: &str, prefix: &str) -> Vec<(String, Secret)> {
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
pub(super) fn request_to(
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

/// What is recorded of a request.
pub(super) fn sends(endpoint: &Endpoint, purpose: &'static str, text: String) -> Option<Sends> {
    Some(Sends {
        endpoint: endpoint.name.clone(),
        purpose,
        text,
    })
}
