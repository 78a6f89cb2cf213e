//! A completion in chunks: steps as reasoning while the question runs, then the answer.

use std::convert::Infallible;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::response::Response;
use axum::response::sse::Event as Chunk;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};

use super::request::Chat;
use super::shape::{MODEL, error, read, usage};
use crate::event_stream::event_stream;
use crate::questions::{Event, Events};

/// A new id of a completion.
pub(super) fn id() -> String {
    format!("chatcmpl-{}", uuid::Uuid::new_v4().simple())
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map(|time| time.as_secs())
        .unwrap_or_default()
}

/// One text.
pub(super) fn of_text(text: String, chat: &Chat) -> Response {
    sent(
        stream::iter([json!({"role": "assistant", "content": text})]).map(Piece::Delta),
        chat.wants_usage(),
    )
}

/// What happens while a question runs.
pub(super) fn of_events(events: Events, chat: &Chat) -> Response {
    sent(events.map(piece), chat.wants_usage())
}

enum Piece {
    Delta(Value),
    Failed(Value),
}

fn piece(event: Event) -> Piece {
    match event {
        Event::Step(step) => {
            let line = format!("{} ({:.0} ms)\n", step.stage, step.ms);
            Piece::Delta(json!({"role": "assistant", "reasoning_content": line}))
        }
        Event::Answer(row) => match read(&row) {
            Ok(answer) => Piece::Delta(json!({"role": "assistant", "content": answer.readable()})),
            Err(problem) => Piece::Failed(error(&problem)),
        },
        Event::Failed(problem) => Piece::Failed(error(&problem)),
    }
}

fn sent(pieces: impl Stream<Item = Piece> + Send + 'static, wants_usage: bool) -> Response {
    let (id, created) = (id(), now());
    let frame = move |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({"id": id, "object": "chat.completion.chunk", "created": created, "model": MODEL,
            "choices": choices});
        if let (Some(usage), Some(chunk)) = (usage, chunk.as_object_mut()) {
            chunk.insert("usage".to_owned(), usage);
        }
        chunk.to_string()
    };
    let last = frame(
        json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]),
        None,
    );
    let of_usage = wants_usage.then(|| frame(json!([]), Some(usage())));
    let chunks = pieces.map(move |piece| match piece {
        Piece::Delta(delta) => frame(
            json!([{"index": 0, "delta": delta, "finish_reason": null}]),
            None,
        ),
        Piece::Failed(error) => json!({"error": error}).to_string(),
    });
    let end = stream::iter(
        [Some(last), of_usage, Some("[DONE]".to_owned())]
            .into_iter()
            .flatten(),
    );
    let chunks = chunks
        .chain(end)
        .map(|text| Ok::<_, Infallible>(Chunk::default().data(text)));
    event_stream(chunks)
}
