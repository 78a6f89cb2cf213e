//! What every request passes before its route, and every answer behind it.

mod finish;
mod headers;
mod origin;
mod panics;
mod request_id;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;

pub use panics::log_panics;
pub use request_id::RequestId;

use super::App;

/// Puts everything around the routes. The last layer is the outermost.
pub fn surround(routes: Router, app: &Arc<App>) -> Router {
    routes
        .layer(from_fn_with_state(Arc::clone(app), origin::refuse_foreign))
        .layer(CatchPanicLayer::custom(panics::answer))
        .layer(from_fn_with_state(Arc::clone(app), finish::finish))
}
