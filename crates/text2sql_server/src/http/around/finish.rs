//! The outermost layer: gives the request an id, writes problems as JSON with it, adds headers, and logs.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{HttpBody, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::{Instrument, field};

use super::super::App;
use super::super::identification::is_https;
use super::headers;
use super::request_id::RequestId;
use crate::problem::Problem;

/// Bytes of an error that a library wrote.
const LONGEST_TEXT: usize = 4096;

/// Runs the request inside a span of the log. The path is logged as the route has it, because names of
/// conversations are words of people.
pub async fn finish(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = RequestId::new();
    request.extensions_mut().insert(id.clone());
    let method = request.method().clone();
    let may_stay_unread = request.version() < Version::HTTP_2 && !request.body().is_end_stream();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!("request", id = id.as_str(), role = field::Empty);
    let mut response = next.run(request).instrument(span.clone()).await;
    let problem = match response.extensions_mut().remove::<Problem>() {
        None if response.status().as_u16() >= 400 && !is_json(&response) => {
            Some(said_as_text(&mut response).await)
        }
        problem => problem,
    };
    if let Some(problem) = &problem {
        response = problem.rendered(response, id.as_str());
    }
    headers::add(response.headers_mut(), is_https(&app));
    if may_stay_unread && is_said_before_reading(response.status()) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert("x-request-id", value);
    }
    let _inside = span.enter();
    let ms = began.elapsed().as_millis() as u64;
    let status = response.status().as_u16();
    let sqlstate = problem
        .as_ref()
        .and_then(|problem| problem.sqlstate.as_deref());
    match status {
        500.. => tracing::warn!(status, ms, sqlstate, "{method} {route}"),
        _ => tracing::info!(status, ms, sqlstate, "{method} {route}"),
    }
    response
}

/// Whether an answer may be given before the body of the request has arrived. The connection is closed then, and a
/// client that is not told sends its next request there, and gets no answer to it.
fn is_said_before_reading(status: StatusCode) -> bool {
    let comes_from_the_body = [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY];
    status.as_u16() >= 400 && !comes_from_the_body.contains(&status)
}

/// Whether an error has the form of its protocol: those of MCP and of OpenAI's API are JSON of their own.
fn is_json(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// The problem of an answer that a library wrote: its text is the sentence.
async fn said_as_text(response: &mut Response) -> Problem {
    let body = std::mem::take(response.body_mut());
    let text = to_bytes(body, LONGEST_TEXT).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let title = match text.trim() {
        "" => response.status().canonical_reason().unwrap_or("error"),
        text => text,
    };
    Problem::new(response.status(), title)
}
