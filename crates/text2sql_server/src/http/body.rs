//! What a request brings along: JSON in its body, parameters behind the `?`. What is wrong with it is said in a
//! sentence.

use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// Bytes of a body, unless a route says otherwise. A question has some hundred.
pub const USUAL: usize = 64 * 1024;
/// Bytes of a body with the rows of an answer.
pub const LARGE: usize = 1024 * 1024;
/// Bytes of a message of an agent.
pub const OF_AGENT: usize = 4 * 1024 * 1024;
/// A client that sends slowly is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A JSON body of at most this many bytes.
pub struct Body<T, const BYTES: usize = USUAL>(pub T);

impl<T: DeserializeOwned, S: Sync, const BYTES: usize> FromRequest<S> for Body<T, BYTES> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be JSON, with the header Content-Type: application/json",
            ));
        }
        let bytes = whole(request, BYTES).await?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            if bytes.is_empty() {
                Problem::bad_request("the body is empty, and must be a JSON object")
            } else if error.is_data() {
                Problem::bad_request(format!("the body does not fit: {error}"))
            } else {
                Problem::bad_request(format!("the body is not JSON: {error}"))
            }
        })
    }
}

/// A body as it is, for protocols with errors of their own.
pub struct Whole(pub Bytes);

impl<S: Sync> FromRequest<S> for Whole {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        whole(request, USUAL).await.map(Self)
    }
}

/// The bytes of a body, of which there may be so many, and which has to arrive in time.
pub async fn whole(request: Request, most: usize) -> Result<Bytes, Problem> {
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is larger than {} kB", most / 1024),
        )
    };
    if declared_length(request.headers()).is_some_and(|length| length > most) {
        return Err(too_large());
    }
    tokio::time::timeout(PATIENCE, to_bytes(request.into_body(), most))
        .await
        .map_err(|_| {
            Problem::new(
                StatusCode::REQUEST_TIMEOUT,
                "the body did not arrive in time",
            )
        })?
        .map_err(|error| match is_length_error(&error) {
            true => too_large(),
            false => Problem::bad_request("the body could not be read"),
        })
}

/// Whether a request says that its body is JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    has_type(headers, "application/json")
}

/// Whether a request says that its body is a file.
pub fn is_file(headers: &HeaderMap) -> bool {
    has_type(headers, "application/octet-stream")
}

fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted))
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn is_length_error(error: &axum::Error) -> bool {
    std::error::Error::source(error)
        .is_some_and(|source| source.is::<http_body_util::LengthLimitError>())
}

/// Parameters behind the `?`.
pub struct Parameters<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Query::try_from_uri(&parts.uri)
            .map(|Query(parameters)| Self(parameters))
            .map_err(|error| {
                let reason = std::error::Error::source(&error)
                    .map_or_else(|| error.to_string(), ToString::to_string);
                Problem::bad_request(format!("parameters of the address: {reason}"))
            })
    }
}

/// A part of the path. What is no number or text is said in a sentence.
pub struct Part<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Part<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Path(part)| Self(part))
            .map_err(|error| {
                Problem::bad_request(format!("path of the address: {}", error.body_text()))
            })
    }
}
