//! JSON-RPC: from a request body to the method, and from its outcome to a response or a stream of them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use crate::sha256::sha256;
use a2a::{A2AError, JsonRpcId, JsonRpcRequest, JsonRpcResponse, StreamResponse};
use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::card::card;
use super::methods;
use super::state::State;
use super::tasks::{Running, has_paused};
use crate::event_stream::event_stream;
use crate::identity::Identity;

/// How long a card may be cached.
const CARD_SECONDS: u32 = 300;

/// `GET /.well-known/agent-card.json`, for everybody.
pub fn agent_card(public_url: &str, headers: &HeaderMap) -> Response {
    // The same card has the same tag, though its maps are in no order.
    let text = sorted(serde_json::to_value(card(public_url)).unwrap_or_default()).to_string();
    let hash = sha256(&[text.as_bytes()]);
    let hash: String = hash
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{hash}\"");
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let cache = [
        (header::ETAG, tag),
        (
            header::CACHE_CONTROL,
            format!("public, max-age={CARD_SECONDS}"),
        ),
        (header::CONTENT_TYPE, "application/json".to_owned()),
    ];
    if is_known {
        return (StatusCode::NOT_MODIFIED, cache).into_response();
    }
    (cache, text).into_response()
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let object: BTreeMap<_, _> = object.into_iter().collect();
            Value::Object(
                object
                    .into_iter()
                    .map(|(key, value)| (key, sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// `POST /a2a`.
pub async fn call(
    state: &State,
    identity: &Identity,
    headers: &HeaderMap,
    body: &Bytes,
) -> Response {
    let request = match read(body) {
        Ok(request) => request,
        Err((id, error)) => return failed(id, &error),
    };
    let id = request.id.clone();
    let outcome = match version(headers) {
        Ok(()) => dispatch(state, identity, request).await,
        Err(error) => Err(error),
    };
    outcome.unwrap_or_else(|error| failed(id, &error))
}

fn read(body: &Bytes) -> Result<JsonRpcRequest, (JsonRpcId, A2AError)> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        (
            JsonRpcId::Null,
            A2AError::parse_error(format!("the body is not JSON: {error}")),
        )
    })?;
    let id = value
        .get("id")
        .cloned()
        .and_then(|id| serde_json::from_value(id).ok())
        .unwrap_or(JsonRpcId::Null);
    let request: JsonRpcRequest = serde_json::from_value(value).map_err(|error| {
        (
            id.clone(),
            A2AError::invalid_request(format!("not a request of JSON-RPC: {error}")),
        )
    })?;
    if request.jsonrpc != "2.0" {
        return Err((id, A2AError::invalid_request("jsonrpc must be \"2.0\"")));
    }
    Ok(request)
}

/// A request without a version is one of 0.3, which had other methods.
fn version(headers: &HeaderMap) -> Result<(), A2AError> {
    let version = headers
        .get(a2a::SVC_PARAM_VERSION)
        .and_then(|version| version.to_str().ok())
        .unwrap_or("");
    match version.trim() {
        // A patch release does not change the protocol.
        "1.0" => Ok(()),
        other if other.starts_with("1.0.") => Ok(()),
        "" => Err(A2AError::version_not_supported(
            "0.3 (no header A2A-Version)",
        )),
        other => Err(A2AError::version_not_supported(other)),
    }
}

async fn dispatch(
    state: &State,
    identity: &Identity,
    request: JsonRpcRequest,
) -> Result<Response, A2AError> {
    use a2a::methods as names;
    let JsonRpcRequest {
        id, method, params, ..
    } = request;
    let params = params.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    match method.as_str() {
        names::SEND_MESSAGE => {
            let request: a2a::SendMessageRequest = parsed(params)?;
            let running = methods::begin(state, identity, &request, false)?;
            if methods::waits(&request) {
                methods::wait(&running).await;
            }
            succeeded(id, &methods::sent(&running, &request))
        }
        names::SEND_STREAMING_MESSAGE => {
            let running = methods::begin(state, identity, &parsed(params)?, true)?;
            Ok(streamed(id, running))
        }
        names::SUBSCRIBE_TO_TASK => Ok(streamed(
            id,
            methods::subscribed(state, identity, &parsed(params)?)?,
        )),
        names::GET_TASK => succeeded(id, &methods::get(state, identity, &parsed(params)?)?),
        names::LIST_TASKS => succeeded(id, &methods::list(state, identity, &parsed(params)?)?),
        names::CANCEL_TASK => succeeded(
            id,
            &methods::cancel(state, identity, &parsed(params)?).await?,
        ),
        names::CREATE_PUSH_CONFIG
        | names::GET_PUSH_CONFIG
        | names::LIST_PUSH_CONFIGS
        | names::DELETE_PUSH_CONFIG => Err(A2AError::push_notification_not_supported()),
        names::GET_EXTENDED_AGENT_CARD => Err(A2AError::unsupported_operation(
            "the public agent card is the whole one",
        )),
        other => Err(A2AError::method_not_found(other)),
    }
}

fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, A2AError> {
    serde_json::from_value(params).map_err(|error| A2AError::invalid_params(error.to_string()))
}

fn succeeded(id: JsonRpcId, result: &impl Serialize) -> Result<Response, A2AError> {
    let result =
        serde_json::to_value(result).map_err(|error| A2AError::internal(error.to_string()))?;
    Ok(Json(JsonRpcResponse::success(id, result)).into_response())
}

fn failed(id: JsonRpcId, error: &A2AError) -> Response {
    Json(JsonRpcResponse::error(id, error.to_jsonrpc_error())).into_response()
}

/// The task as it is, then what happens to it, until it ends or waits for its asker.
fn streamed(id: JsonRpcId, running: Arc<Running>) -> Response {
    event_stream(following(id, running))
}

/// A stream that listens to a task.
struct Following {
    running: Arc<Running>,
    events: Receiver<StreamResponse>,
    first: Option<StreamResponse>,
    is_over: bool,
}

fn following(
    id: JsonRpcId,
    running: Arc<Running>,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let (task, events) = running.listen();
    let is_over = has_paused(&task.status.state);
    let following = Following {
        running,
        events,
        first: Some(StreamResponse::Task(task)),
        is_over,
    };
    stream::unfold(following, move |mut following| {
        let id = id.clone();
        async move {
            let event = following.next().await?;
            let result = serde_json::to_value(&event).unwrap_or_default();
            let text =
                serde_json::to_string(&JsonRpcResponse::success(id, result)).unwrap_or_default();
            Some((Ok(Event::default().data(text)), following))
        }
    })
}

impl Following {
    async fn next(&mut self) -> Option<StreamResponse> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        if self.is_over {
            return None;
        }
        let event = match self.events.recv().await {
            Ok(event) => event,
            // A client that read too slowly gets the task as it is now.
            Err(RecvError::Lagged(_)) => {
                let (task, events) = self.running.listen();
                self.events = events;
                StreamResponse::Task(task)
            }
            Err(RecvError::Closed) => return None,
        };
        self.is_over = match &event {
            StreamResponse::StatusUpdate(update) => has_paused(&update.status.state),
            StreamResponse::Task(task) => has_paused(&task.status.state),
            StreamResponse::Message(_) | StreamResponse::ArtifactUpdate(_) => false,
        };
        Some(event)
    }
}
