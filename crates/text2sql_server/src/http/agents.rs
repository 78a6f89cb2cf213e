//! Routes of agents: MCP at `/mcp`, A2A at `/a2a`, and what they read before they log in.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;

use super::App;
use super::body::{OF_AGENT, Whole, whole};
use super::databases::path_of;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::{a2a, mcp, openai};

/// RFC 9728: where a client learns who issues tokens for `/mcp`. Clients look at the path with and without `/mcp`.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The routes that the configuration offers.
pub(super) fn routes(app: &Arc<App>) -> Result<Router<Arc<App>>, Problem> {
    let mut router = Router::new();
    if app.config.mcp {
        let service = mcp::over_http(app.questions.clone())?;
        let mcp = Router::new()
            .route_service("/mcp", service)
            .layer(from_fn_with_state(Arc::clone(app), identified));
        router = router.merge(mcp);
        if app.config.jwt.is_some() {
            router = router
                .route(METADATA, get(metadata))
                .route(&format!("{METADATA}/mcp"), get(metadata));
        }
    }
    if app.config.a2a {
        let state = Arc::new(a2a::State::new(app.questions.clone()));
        let call = move |identity: Identity, headers: HeaderMap, Whole(body): Whole| async move {
            a2a::call(&state, &identity, &headers, &body).await
        };
        router = router
            .route("/a2a", post(call))
            .route("/.well-known/agent-card.json", get(card));
    }
    if app.config.openai {
        router = router
            .route("/v1/models", get(models))
            .route("/v1/chat/completions", post(chat));
    }
    Ok(router)
}

/// Front ends have one key for all of their users, so only a token of the user itself says who asks.
fn of_token(identity: Result<Identity, Problem>) -> Result<Identity, Problem> {
    match identity? {
        identity @ Identity::Taken(_) => Ok(identity),
        Identity::Own(_) => {
            Err(Problem::not_logged_in().with_hint("Only tokens are accepted here."))
        }
    }
}

async fn models(identity: Result<Identity, Problem>) -> Response {
    match of_token(identity) {
        Ok(_) => openai::models(),
        Err(problem) => openai::failed(&problem),
    }
}

async fn chat(
    State(app): State<Arc<App>>,
    identity: Result<Identity, Problem>,
    headers: HeaderMap,
    body: Result<Whole, Problem>,
) -> Response {
    // Open WebUI names its chat so, where it forwards what it knows of its user.
    let conversation = headers
        .get("x-openwebui-chat-id")
        .and_then(|id| id.to_str().ok());
    match of_token(identity).and_then(|identity| Ok((identity, body?.0))) {
        Ok((identity, body)) => {
            openai::chat(
                &app.questions,
                identity,
                conversation.map(str::to_owned),
                &body,
            )
            .await
        }
        Err(problem) => openai::failed(&problem),
    }
}

/// Puts the identity where the service finds it, and reads the body, because the service would wait for it for ever. A
/// caller that has not logged in learns how.
async fn identified(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    // There is no stream to open and no session to end. A 401 here would make clients hide the tools or try for ever.
    if request.method() != Method::POST {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response();
    }
    let (mut parts, body) = request.into_parts();
    match Identity::from_request_parts(&mut parts, &app).await {
        Ok(identity) => {
            parts.extensions.insert(identity);
            let read = whole(Request::from_parts(parts.clone(), body), OF_AGENT).await;
            match read {
                Ok(bytes) => {
                    next.run(Request::from_parts(parts, Body::from(bytes)))
                        .await
                }
                Err(problem) => problem.into_response(),
            }
        }
        Err(problem) => {
            let is_challenge = problem.status == StatusCode::UNAUTHORIZED.as_u16();
            let mut response = problem.into_response();
            if let Some(challenge) = challenge(&app).filter(|_| is_challenge) {
                response
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, challenge);
            }
            response
        }
    }
}

fn challenge(app: &App) -> Option<HeaderValue> {
    let challenge = match app.config.jwt {
        Some(_) => format!(
            "Bearer resource_metadata=\"{}{METADATA}/mcp\"",
            address(app)
        ),
        None => "Basic realm=\"text2sql\"".to_owned(),
    };
    HeaderValue::from_str(&challenge).ok()
}

async fn metadata(State(app): State<Arc<App>>) -> Response {
    let Some(jwt) = &app.config.jwt else {
        return StatusCode::NOT_FOUND.into_response();
    };
    Json(json!({
        "resource": format!("{}/mcp", address(&app)),
        "authorization_servers": [jwt.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "text2sql",
    }))
    .into_response()
}

async fn card(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    a2a::agent_card(&address(&app), &headers)
}

/// The address at which clients reach the server.
fn address(app: &App) -> String {
    let origin = match &app.config.public_url {
        Some(url) => url.origin(),
        None => format!("http://{}", app.config.listen),
    };
    format!(
        "{origin}{}",
        app.name.as_deref().map(path_of).unwrap_or_default()
    )
}
