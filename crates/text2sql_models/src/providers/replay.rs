//! Recorded replies: no network, for tests and repeatable evaluation.

use super::chat_request::{ChatReply, ChatRequest, Speaker};
pub use text2sql_domain::config::Recording;
use text2sql_domain::error::{Error, failure};

/// Reads recordings: one JSON object for each line.
pub fn read_recordings(jsonl: &str) -> Result<Vec<Recording>, Error> {
    jsonl
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|error| {
                failure!(Setting, "line {} of the recordings cannot be read", i + 1)
                    .with_detail(error.to_string())
                    .with_hint(r#"a line is {"question": "…", "replies": ["…"]}"#)
            })
        })
        .collect()
}

/// The recorded reply for the question; the n-th repair gets the n-th further reply.
pub fn complete(
    recordings: &[Recording],
    question: &str,
    request: &ChatRequest,
) -> Result<ChatReply, Error> {
    let calls = request
        .turns
        .iter()
        .filter(|turn| turn.speaker == Speaker::Assistant)
        .count();
    let same = |a: &str, b: &str| a.trim().to_lowercase() == b.trim().to_lowercase();
    let recording = recordings
        .iter()
        .find(|recording| same(&recording.question, question));
    let text = recording.and_then(|recording| recording.replies.get(calls));
    text.map(|text| ChatReply {
        text: text.clone(),
        ..ChatReply::default()
    })
    .ok_or_else(|| {
        failure!(ModelReply, "there is no recorded reply for this call")
            .with_detail(format!("call {} for this question", calls + 1))
            .with_hint("Record one in the file that text2sql.replay_file names.")
    })
}
