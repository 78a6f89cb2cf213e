//! From a question to the stream of what happens.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, watch};

use super::event::{Event, Question, Step};
use super::stream::Events;
use crate::database::{Database, Notice};
use crate::identity::Identity;
use crate::limits::{Place, Running};
use crate::problem::Problem;

const ASK: &str = include_str!("../../sql/ask.sql");
/// SQLSTATE of the notices in which the extension says that a stage begins.
const STEP: &str = "T2S01";
/// Events that wait to be sent. A question has some twenty steps.
const WAITING_EVENTS: usize = 64;
/// Characters of a question. It becomes a part of every prompt.
const LONGEST_QUESTION: usize = 4_000;

/// Runs questions.
#[derive(Clone)]
pub struct Questions {
    database: Arc<Database>,
    running: Arc<Running>,
    /// Whether the server is about to end.
    is_ending: watch::Receiver<bool>,
}

impl Questions {
    /// Runs them on this database, within these limits, until the server ends.
    pub fn new(
        database: Arc<Database>,
        running: Arc<Running>,
        is_ending: watch::Receiver<bool>,
    ) -> Self {
        Self {
            database,
            running,
            is_ending,
        }
    }

    /// The database that is asked.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Asks a question. An error says that it was not even begun.
    pub fn ask(&self, identity: Identity, question: Question) -> Result<Events, Problem> {
        if question.question.trim().is_empty() {
            return Err(Problem::bad_request("the question is empty"));
        }
        let length = question.question.chars().count();
        if length > LONGEST_QUESTION {
            return Err(Problem::bad_request(format!(
                "the question has {length} characters; it may have {LONGEST_QUESTION}"
            )));
        }
        let parameters = vec![
            Some(question.question),
            question.conversation,
            question.options.map(|options| options.get().to_owned()),
        ];
        self.stream(identity, ASK, parameters)
    }

    /// Runs a statement that answers a question with one JSON value, and says what happens meanwhile.
    pub fn stream(
        &self,
        identity: Identity,
        statement: &'static str,
        parameters: Vec<Option<String>>,
    ) -> Result<Events, Problem> {
        let place = self.running.enter(identity.role())?;
        let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
        let mut questions = self.clone();
        tokio::spawn(async move {
            let mut is_ending = questions.is_ending.clone();
            let running = questions.run(place, identity, statement, parameters, &sender);
            let event = tokio::select! {
                event = running => event,
                () = sender.closed() => return,
                _ = is_ending.wait_for(|is_ending| *is_ending) => {
                    Event::Failed(Problem::shutting_down())
                }
            };
            drop(sender.send(event).await);
        });
        Ok(Events::new(receiver))
    }

    async fn run(
        &mut self,
        place: Place,
        identity: Identity,
        statement: &'static str,
        parameters: Vec<Option<String>>,
        sender: &mpsc::Sender<Event>,
    ) -> Event {
        let came = Instant::now();
        let tell = |position| {
            let step = Step::waiting(came.elapsed(), position);
            drop(sender.try_send(Event::Step(Box::new(step))));
        };
        let _turn = place.turn(tell).await;
        let waited = came.elapsed();
        let parameters: Vec<_> = parameters.iter().map(Option::as_deref).collect();
        let steps = sender.clone();
        let listener = move |notice: Notice| {
            if let Some(step) = step_of(&notice) {
                // A client that reads too slowly misses steps, never the answer.
                drop(steps.try_send(Event::Step(Box::new(step.after(waited)))));
            }
        };
        let outcome = self
            .database
            .json_listening(&identity, statement, &parameters, listener)
            .await;
        match outcome {
            Ok(row) => Event::Answer(row),
            Err(problem) => Event::Failed(problem),
        }
    }
}

fn step_of(notice: &Notice) -> Option<Step> {
    if notice.code().code() != STEP {
        return None;
    }
    serde_json::from_str(notice.detail()?)
        .inspect_err(|error| tracing::warn!("a step of a question is not understood: {error}"))
        .ok()
}
