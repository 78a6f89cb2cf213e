//! The shape of OpenAI's chat completions, so that a chat front end that exists can sit on top: the last message is the
//! question, the steps are the reasoning, the answer is Markdown.

mod chunks;
mod front_end_prompts;
mod request;
mod shape;

use axum::Json;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde_json::json;

use self::request::Chat;
use self::shape::{MODEL, error, read, usage};
use crate::answer::Answer;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::questions::{Event, Events, Question, Questions};

/// `GET /v1/models`.
pub fn models() -> Response {
    Json(json!({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "text2sql"}]}))
        .into_response()
}

/// `POST /v1/chat/completions`.
pub async fn chat(
    questions: &Questions,
    identity: Identity,
    conversation: Option<String>,
    body: &Bytes,
) -> Response {
    let chat: Chat = match serde_json::from_slice(body) {
        Ok(chat) => chat,
        Err(error) => {
            return failed(&Problem::bad_request(format!(
                "not a chat completion: {error}"
            )));
        }
    };
    let question = match chat.question() {
        Ok(question) => question,
        Err(problem) => return failed(&problem),
    };
    if let Some(reply) = front_end_prompts::reply(&question) {
        return if chat.stream {
            chunks::of_text(reply, &chat)
        } else {
            completion(&reply)
        };
    }
    let question = Question {
        question,
        conversation,
        options: None,
    };
    let events = questions
        .ask(identity, question)
        .unwrap_or_else(Events::failed);
    if chat.stream {
        return chunks::of_events(events, &chat);
    }
    match outcome(events).await {
        Ok(answer) => completion(&answer.readable()),
        Err(problem) => failed(&problem),
    }
}

async fn outcome(mut events: Events) -> Result<Answer, Problem> {
    while let Some(event) = events.next().await {
        match event {
            Event::Step(_) => {}
            Event::Answer(row) => return read(&row),
            Event::Failed(problem) => return Err(problem),
        }
    }
    Err(Problem::unavailable("the question ended without an answer"))
}

fn completion(text: &str) -> Response {
    Json(json!({
        "id": chunks::id(),
        "object": "chat.completion",
        "created": chunks::now(),
        "model": MODEL,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }],
        "usage": usage(),
    }))
    .into_response()
}

/// A problem in the shape of this API.
pub fn failed(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({"error": error(problem)}))).into_response()
}
