//! A fault of the program itself ends one request, and no other.

use std::any::Any;

use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Logs where the program failed. The message is left out: it may have a value.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!("the program failed at {}", place.unwrap_or_default());
    }));
}

/// The answer to the request.
pub fn answer(_panic: Box<dyn Any + Send>) -> Response {
    Problem::internal().into_response()
}
