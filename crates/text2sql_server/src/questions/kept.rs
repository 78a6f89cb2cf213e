//! Questions that outlive their connection for a moment: a page that is loaded anew, a laptop that slept, a network that
//! broke. Who asks gives the question a name, under which the same role finds it again, from its first event on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use super::event::Event;
use super::stream::Events;
use crate::problem::Problem;

/// After how long without a listener a question is stopped in the database.
const PATIENCE: Duration = Duration::from_secs(60);
/// Answers of a role that are kept for somebody to come back; the oldest goes first.
const MOST_OF_ROLE: usize = 20;
/// The longest name of a question.
const LONGEST_NAME: usize = 64;

type Name = (String, String);

/// Questions that run or have just ended, by their role and their name.
#[derive(Clone)]
pub struct Kept {
    patience: Duration,
    questions: Arc<Mutex<HashMap<Name, Arc<Question>>>>,
}

/// What one of them has said so far.
struct Question {
    asked: Instant,
    events: Mutex<Vec<Event>>,
    /// How many events there are. Its receivers are the listeners.
    said: watch::Sender<usize>,
    stop: Notify,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            patience: PATIENCE,
            questions: Arc::default(),
        }
    }
}

impl Kept {
    /// Keeps a question, and returns its events.
    pub fn keep(
        &self,
        role: &str,
        name: &str,
        events: Events,
    ) -> Result<impl Stream<Item = Event> + Send + use<>, Problem> {
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(Problem::bad_request(format!(
                "the name of a question has 1 to {LONGEST_NAME} bytes"
            )));
        }
        let name = (role.to_owned(), name.to_owned());
        let question = Arc::new(Question {
            asked: Instant::now(),
            events: Mutex::default(),
            said: watch::Sender::default(),
            stop: Notify::new(),
        });
        self.make_room(role);
        // One of the same name is another one from now on; it has its own listeners.
        lock(&self.questions).insert(name.clone(), Arc::clone(&question));
        let heard = self.listen(name.clone(), Arc::clone(&question));
        tokio::spawn(self.clone().follow(name, question, events));
        Ok(heard)
    }

    /// Forgets the oldest answer of a role that has many.
    fn make_room(&self, role: &str) {
        let mut questions = lock(&self.questions);
        let of_role: Vec<_> = questions
            .iter()
            .filter(|((owner, _), _)| owner == role)
            .collect();
        if of_role.len() < MOST_OF_ROLE {
            return;
        }
        let oldest = of_role
            .into_iter()
            .filter(|(_, question)| question.has_ended())
            .min_by_key(|(_, question)| question.asked)
            .map(|(name, _)| name.clone());
        if let Some(question) = oldest.and_then(|name| questions.remove(&name)) {
            question.stop.notify_one();
        }
    }

    /// The events of a question of this role, from the first one on.
    pub fn find(
        &self,
        role: &str,
        name: &str,
    ) -> Result<impl Stream<Item = Event> + Send + use<>, Problem> {
        let name = (role.to_owned(), name.to_owned());
        let question = self.known(&name)?;
        Ok(self.listen(name, question))
    }

    /// Stops a question of this role in the database.
    pub fn stop(&self, role: &str, name: &str) -> Result<(), Problem> {
        let question = self.known(&(role.to_owned(), name.to_owned()))?;
        question.stop.notify_one();
        Ok(())
    }

    fn known(&self, name: &Name) -> Result<Arc<Question>, Problem> {
        lock(&self.questions)
            .get(name)
            .cloned()
            .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "no such question is running"))
    }

    /// Writes down what it says until it ends, is stopped, or nobody has listened for a while.
    async fn follow(self, name: Name, question: Arc<Question>, mut events: Events) {
        loop {
            let event = tokio::select! {
                event = events.next() => event,
                () = question.stop.notified() => Some(Event::Failed(Problem::cancelled())),
                () = question.is_left(self.patience) => None,
            };
            let Some(event) = event else { break };
            let is_last = !matches!(event, Event::Step(_));
            question.say(event);
            if is_last {
                // Frees the database, where it was stopped.
                drop(events);
                // Whoever was on the way finds it.
                tokio::select! {
                    () = question.is_left(self.patience) => {}
                    () = question.stop.notified() => {}
                }
                break;
            }
        }
        self.forget(&name, &question);
    }

    fn listen(
        &self,
        name: Name,
        question: Arc<Question>,
    ) -> impl Stream<Item = Event> + Send + use<> {
        let listener = Listener {
            kept: self.clone(),
            said: question.said.subscribe(),
            name,
            question,
            heard: 0,
            has_ended: false,
        };
        stream::unfold(listener, |mut listener| async move {
            let event = listener.next().await?;
            Some((event, listener))
        })
    }

    fn forget(&self, name: &Name, question: &Arc<Question>) {
        let mut questions = lock(&self.questions);
        if questions
            .get(name)
            .is_some_and(|known| Arc::ptr_eq(known, question))
        {
            questions.remove(name);
        }
    }
}

/// Somebody who hears a question from its beginning.
struct Listener {
    kept: Kept,
    name: Name,
    question: Arc<Question>,
    said: watch::Receiver<usize>,
    heard: usize,
    has_ended: bool,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        if self.has_ended {
            // Whoever asked has heard the answer: nobody looks for it any more.
            self.kept.forget(&self.name, &self.question);
            self.question.stop.notify_one();
            return None;
        }
        loop {
            let event = lock(&self.question.events).get(self.heard).cloned();
            if let Some(event) = event {
                self.heard += 1;
                self.has_ended = !matches!(event, Event::Step(_));
                return Some(event);
            }
            // The sender lives as long as the question, which is held here.
            self.said.changed().await.ok()?;
        }
    }
}

impl Question {
    fn has_ended(&self) -> bool {
        lock(&self.events)
            .last()
            .is_some_and(|event| !matches!(event, Event::Step(_)))
    }

    fn say(&self, event: Event) {
        lock(&self.events).push(event);
        self.said.send_modify(|said| *said += 1);
    }

    /// Returns when nobody has listened for a while.
    async fn is_left(&self, patience: Duration) {
        loop {
            self.said.closed().await;
            sleep(patience).await;
            if self.said.receiver_count() == 0 {
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;
    use tokio::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::questions::Step;

    fn asked(kept: &Kept) -> (Sender<Event>, impl Stream<Item = Event> + Send + use<>) {
        let (sender, receiver) = channel(8);
        let heard = kept.keep("ana", "one", Events::new(receiver)).unwrap();
        (sender, heard)
    }

    fn step() -> Event {
        Event::Step(Box::new(Step::waiting(Duration::ZERO, 1)))
    }

    fn answer() -> Event {
        Event::Answer(RawValue::from_string("1".to_owned()).unwrap())
    }

    fn kind(event: Event) -> String {
        match event {
            Event::Step(_) => "step".to_owned(),
            Event::Answer(_) => "answer".to_owned(),
            Event::Failed(problem) => problem.status.to_string(),
        }
    }

    async fn rest(heard: impl Stream<Item = Event>) -> Vec<String> {
        heard.map(kind).collect().await
    }

    fn patient_for(milliseconds: u64) -> Kept {
        Kept {
            patience: Duration::from_millis(milliseconds),
            questions: Arc::default(),
        }
    }

    #[tokio::test]
    async fn who_comes_back_hears_it_from_the_beginning() {
        let kept = patient_for(600_000);
        let (sender, heard) = asked(&kept);
        sender.send(step()).await.unwrap();
        drop(heard);
        assert!(kept.find("bob", "one").is_err());
        let again = kept.find("ana", "one").unwrap();
        sender.send(answer()).await.unwrap();
        assert_eq!(rest(again).await, ["step", "answer"]);
        assert!(kept.find("ana", "one").is_err());
    }

    #[tokio::test]
    async fn what_nobody_hears_is_stopped_after_a_while() {
        let kept = patient_for(1);
        let (sender, heard) = asked(&kept);
        sleep(Duration::from_millis(50)).await;
        assert!(!sender.is_closed(), "somebody hears it");
        drop(heard);
        sender.closed().await;
    }

    #[tokio::test]
    async fn an_answer_waits_for_who_is_on_the_way_and_no_longer() {
        let kept = patient_for(600_000);
        let (sender, heard) = asked(&kept);
        drop(heard);
        sender.send(answer()).await.unwrap();
        assert_eq!(rest(kept.find("ana", "one").unwrap()).await, ["answer"]);
        let kept = patient_for(1);
        let (sender, heard) = asked(&kept);
        drop(heard);
        sender.send(answer()).await.unwrap();
        while kept.find("ana", "one").is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    }

    #[tokio::test]
    async fn a_role_keeps_so_many_answers_and_its_newest() {
        let kept = patient_for(600_000);
        for number in 0..3 * MOST_OF_ROLE {
            let (sender, receiver) = channel(8);
            let name = number.to_string();
            let heard = kept.keep("ana", &name, Events::new(receiver)).unwrap();
            drop(heard);
            sender.send(answer()).await.unwrap();
            let question = kept.known(&("ana".to_owned(), name)).unwrap();
            while !question.has_ended() {
                sleep(Duration::from_millis(1)).await;
            }
        }
        let mut names: Vec<usize> = lock(&kept.questions)
            .keys()
            .map(|(_, name)| name.parse().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            (2 * MOST_OF_ROLE..3 * MOST_OF_ROLE).collect::<Vec<_>>()
        );
    }

    #[tokio::test]
    async fn who_stops_it_hears_so() {
        let kept = patient_for(600_000);
        let (sender, heard) = asked(&kept);
        assert!(kept.stop("bob", "one").is_err());
        kept.stop("ana", "one").unwrap();
        assert_eq!(rest(heard).await, ["499"]);
        sender.closed().await;
    }
}
