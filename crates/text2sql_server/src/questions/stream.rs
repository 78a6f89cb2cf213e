//! The stream of events of one question.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::mpsc::{Receiver, channel};

use super::event::Event;
use crate::problem::Problem;

/// The events of one question. The last is an answer or a failure, whatever happens to what produces them. Dropping
/// the stream cancels the question.
pub struct Events {
    receiver: Receiver<Event>,
    has_ended: bool,
}

impl Events {
    /// A question that was not even begun.
    pub fn failed(problem: Problem) -> Self {
        let (sender, receiver) = channel(1);
        drop(sender.try_send(Event::Failed(problem)));
        Self::new(receiver)
    }

    pub(super) fn new(receiver: Receiver<Event>) -> Self {
        Self {
            receiver,
            has_ended: false,
        }
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let event = match self.receiver.poll_recv(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(event)) => event,
            // The task panicked.
            Poll::Ready(None) => Event::Failed(Problem::internal()),
        };
        self.has_ended = !matches!(event, Event::Step(_));
        Poll::Ready(Some(event))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};
    use serde_json::value::RawValue;

    use super::*;

    fn kinds(events: Vec<Event>) -> Vec<String> {
        let (sender, receiver) = channel(8);
        for event in events {
            assert!(sender.try_send(event).is_ok());
        }
        drop(sender);
        let kind = |event: &Event| match event {
            Event::Step(_) => "step".to_owned(),
            Event::Answer(_) => "answer".to_owned(),
            Event::Failed(problem) => problem.status.to_string(),
        };
        let events: Vec<Event> = Events::new(receiver).collect().now_or_never().unwrap();
        events.iter().map(kind).collect()
    }

    #[test]
    fn a_stream_ends_with_exactly_one_outcome() {
        let answer = || Event::Answer(RawValue::from_string("1".to_owned()).unwrap());
        assert_eq!(kinds(vec![answer()]), ["answer"]);
        assert_eq!(kinds(vec![]), ["500"]);
        assert_eq!(kinds(vec![answer(), answer()]), ["answer"]);
        let failed = Event::Failed(Problem::cancelled());
        assert_eq!(kinds(vec![failed, answer()]), ["499"]);
    }
}
