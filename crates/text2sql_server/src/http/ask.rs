//! `POST /ask`: a question, answered with one JSON object or as a stream of events.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse;
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::App;
use super::answers::{AnswerRow, QuestionEvent};
use super::around::RequestId;
use super::body::{Body, Parameters, Part};
use super::routes::Routes;
use crate::event_stream::event_stream;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::questions::{Event, Question};

/// After how long a browser connects again, where it does that by itself.
const RETRY: Duration = Duration::from_secs(3);

/// The route.
pub fn routes(routes: Routes) -> Routes {
    const RUNNING: &str = "/running/{name}";
    routes
        .family("Questions")
        .post("/ask", "Answer a question", ask, |about| {
            about
                .takes::<Question>()
                .query::<Named>()
                .gives::<AnswerRow>()
                .streams::<QuestionEvent>()
        })
        .get(
            RUNNING,
            "A running question, from its beginning",
            find,
            |about| {
                about
                    .path_parameter("name", "As it was called")
                    .gives::<AnswerRow>()
                    .streams::<QuestionEvent>()
            },
        )
        .delete(RUNNING, "Stop a running question", stop, |about| {
            about
                .path_parameter("name", "As it was called")
                .gives_nothing()
        })
}

/// How a question is called that may be found again.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Named {
    /// With a name the question runs on for a minute where the connection is lost, and `/running/{name}` finds it.
    #[param(min_length = 1, max_length = 64)]
    run: Option<String>,
}

/// `POST /ask`
async fn ask(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    request: RequestId,
    identity: Identity,
    Parameters(named): Parameters<Named>,
    Body(question): Body<Question>,
) -> Result<Response, Problem> {
    if question.question.trim().is_empty() {
        return Err(Problem::bad_request("the question is empty"));
    }
    let role = identity.role().to_owned();
    let events = app.questions.ask(identity, question)?;
    match named.run {
        Some(name) => {
            let events = app.kept.keep(&role, &name, events)?;
            respond(&headers, request, events).await
        }
        None => respond(&headers, request, events).await,
    }
}

/// `GET /running/{name}`
async fn find(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    request: RequestId,
    identity: Identity,
    Part(name): Part<String>,
) -> Result<Response, Problem> {
    let events = app.kept.find(identity.role(), &name)?;
    respond(&headers, request, events).await
}

/// `DELETE /running/{name}`
async fn stop(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(name): Part<String>,
) -> Result<StatusCode, Problem> {
    app.kept.stop(identity.role(), &name)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Answers with the events of a question, in the form that the client asked for.
pub async fn respond(
    headers: &HeaderMap,
    request: RequestId,
    events: impl Stream<Item = Event> + Send + 'static,
) -> Result<Response, Problem> {
    if wants_stream(headers) {
        return Ok(streamed(request, events));
    }
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match event {
            Event::Step(_) => {}
            Event::Answer(row) => return Ok(Json(row).into_response()),
            Event::Failed(problem) => return Err(problem),
        }
    }
    Err(Problem::internal())
}

fn wants_stream(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("text/event-stream"))
}

fn streamed(request: RequestId, events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let first = stream::once(async { Ok(sse::Event::default().retry(RETRY)) });
    let events = events.flat_map(move |event| stream::iter(printed(event, &request)));
    event_stream(first.chain(events.map(Ok)))
}

/// The step, then what became known with it.
fn printed(event: Event, request: &RequestId) -> Vec<sse::Event> {
    match event {
        Event::Step(step) => {
            let plan = step
                .plan
                .as_ref()
                .map(|steps| named("plan", &json!({"steps": steps})));
            let rows = step.first_rows.as_ref().map(|rows| named("rows", rows));
            [Some(named("step", &step)), plan, rows]
                .into_iter()
                .flatten()
                .collect()
        }
        Event::Answer(row) => vec![named("answer", &row)],
        Event::Failed(problem) => vec![named("error", &problem.of_request(request.as_str()))],
    }
}

fn named(name: &str, data: &impl serde::Serialize) -> sse::Event {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    sse::Event::default().event(name).data(data)
}
