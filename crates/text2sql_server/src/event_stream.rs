//! Server-sent events: what happens, as it happens.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::HeaderName;
use axum::http::header::CACHE_CONTROL;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;

/// How often a stream without events says that it lives. Proxies close what is silent for a minute or less.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The response that sends these events.
pub fn event_stream(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    let headers = [
        (CACHE_CONTROL, "no-store"),
        // nginx would keep the events back until it has a page of them.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let body = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    (headers, body).into_response()
}
