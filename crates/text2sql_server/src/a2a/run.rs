//! A question as a task: what happens to it becomes its status and its artifact.

use std::sync::Arc;
use std::time::Duration;

use a2a::{Artifact, Message, Part, Role, TaskState};
use futures_util::StreamExt;
use serde_json::Value;
use serde_json::value::RawValue;

use super::asked::Asked;
use super::tasks::Running;
use crate::answer::Answer;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::questions::{Event, Events, Question, Questions};

const GENERATE_SQL: &str = include_str!("../../sql/generate_sql.sql");
/// Rows of an artifact. The caps of the extension are lower as a rule.
const MOST_ROWS: usize = 10_000;
/// A client that lost its stream may subscribe again for so long; then the query is cancelled.
const GRACE: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(500);

/// What listens to a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// The request that began it waits or listens: without it the work is for nobody.
    Needed,
    /// The client asked not to wait, and looks later.
    Later,
}

/// Runs the question of a task to its end, in the background.
pub(super) fn start(
    questions: &Questions,
    identity: Identity,
    asked: Asked,
    running: Arc<Running>,
    audience: Audience,
) {
    let is_generated = asked.schema.is_some();
    let events = match asked.schema {
        None => questions.ask(
            identity,
            Question {
                question: asked.question,
                conversation: Some(running.task().context_id),
                options: None,
            },
        ),
        Some(schema) => {
            let parameters = vec![
                Some(asked.question),
                Some(schema.schema_ddl),
                schema.dialect,
                schema.task_id,
            ];
            questions.stream(identity, GENERATE_SQL, parameters)
        }
    };
    let mut events = events.unwrap_or_else(Events::failed);
    tokio::spawn(async move {
        let outcome = tokio::select! {
            outcome = follow(&running, &mut events) => outcome,
            () = running.cancelled.notified() => Err(Problem::cancelled()),
            () = abandoned(&running), if audience == Audience::Needed => Err(Problem::cancelled()),
        };
        // Dropped before the status is set: whoever sees CANCELED may trust that the query is being cancelled.
        drop(events);
        match outcome {
            Ok(row) => finish(&running, &row, is_generated),
            Err(problem) => running.set_status(
                state_of(&problem),
                Some(said(&running, &in_words(&problem))),
            ),
        }
    });
}

async fn follow(
    running: &Running,
    events: &mut (impl StreamExt<Item = Event> + Unpin),
) -> Result<Box<RawValue>, Problem> {
    while let Some(event) = events.next().await {
        match event {
            Event::Step(step) => {
                running.set_status(TaskState::Working, Some(said(running, &step.stage)))
            }
            Event::Answer(row) => return Ok(row),
            Event::Failed(problem) => return Err(problem),
        }
    }
    Err(Problem::unavailable("the question ended without an answer"))
}

/// Returns when nobody has listened for some time.
async fn abandoned(running: &Running) {
    let mut alone = Duration::ZERO;
    while alone < GRACE {
        tokio::time::sleep(GLANCE).await;
        alone = if running.is_alone() {
            alone + GLANCE
        } else {
            Duration::ZERO
        };
    }
}

fn finish(running: &Running, row: &RawValue, is_generated: bool) {
    let read = Answer::read(row).and_then(|answer| {
        let content = match is_generated {
            true => serde_json::from_str(row.get())?,
            false => answer.structured(MOST_ROWS),
        };
        Ok((answer, content))
    });
    let (answer, content) = match read {
        Ok(read) => read,
        Err(error) => {
            let problem = Problem::unavailable(format!("unexpected result: {error}"));
            let message = said(running, &in_words(&problem));
            return running.set_status(TaskState::Failed, Some(message));
        }
    };
    let status = answer.status.as_deref().unwrap_or("ok");
    let state = match status {
        "ok" => TaskState::Completed,
        "ambiguous" => TaskState::InputRequired,
        // A query that waits until somebody approves it: ask again then, with the same task.
        "waiting" => TaskState::AuthRequired,
        "not_permitted" => TaskState::Rejected,
        _ => TaskState::Failed,
    };
    let mut message = said(running, answer.answer.as_deref().unwrap_or(status));
    if state == TaskState::Completed {
        running.add_artifact(artifact(&answer, content, is_generated));
    } else {
        message.parts.push(data(content));
    }
    running.set_status(state, Some(message));
}

/// The sentence or the reasoning, the row of `ask` or of `generate_sql`, and the SQL by itself.
fn artifact(answer: &Answer, content: Value, is_generated: bool) -> Artifact {
    let mut parts = Vec::new();
    let reasoning = content.get("reasoning").and_then(Value::as_str);
    if let Some(sentence) = answer.answer.as_deref().or(reasoning) {
        parts.push(typed(Part::text(sentence), "text/plain"));
    }
    parts.push(data(content));
    if let Some(sql) = &answer.sql {
        parts.push(typed(Part::text(sql), "application/sql"));
    }
    Artifact {
        artifact_id: a2a::new_artifact_id(),
        name: Some(if is_generated { "sql" } else { "answer" }.to_owned()),
        description: None,
        parts,
        metadata: None,
        extensions: None,
    }
}

fn data(value: Value) -> Part {
    typed(Part::data(value), "application/json")
}

fn typed(mut part: Part, media_type: &str) -> Part {
    part.media_type = Some(media_type.to_owned());
    part
}

fn said(running: &Running, text: &str) -> Message {
    let task = running.task();
    let mut message = Message::new(Role::Agent, vec![typed(Part::text(text), "text/plain")]);
    message.task_id = Some(task.id);
    message.context_id = Some(task.context_id);
    message
}

fn state_of(problem: &Problem) -> TaskState {
    match problem.status {
        499 => TaskState::Canceled,
        401 | 403 => TaskState::Rejected,
        _ => TaskState::Failed,
    }
}

fn in_words(problem: &Problem) -> String {
    let mut words = problem.title.clone();
    for part in [&problem.detail, &problem.hint].into_iter().flatten() {
        words.push_str(&format!("\n{part}"));
    }
    words
}
