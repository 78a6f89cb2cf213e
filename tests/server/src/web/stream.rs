//! A stream of server-sent events.

use std::io::BufReader;
use std::net::TcpStream;

use serde_json::Value;

use super::response::{Response, read_chunk};

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// `step`, `answer` or `error`.
    pub name: String,
    /// Its text, JSON.
    pub text: String,
}

impl Event {
    /// Its text as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The events of one answer, as they come. Dropping it closes the connection.
pub struct EventStream {
    /// The answer, whose body the events are.
    pub response: Response,
    reader: BufReader<TcpStream>,
    text: String,
}

impl EventStream {
    pub(super) fn new(response: Response, reader: BufReader<TcpStream>) -> Self {
        Self {
            response,
            reader,
            text: String::new(),
        }
    }

    /// The next event; `None` where the stream ended as it should.
    ///
    /// # Panics
    /// If the connection ends before the stream does.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event_of(block), rest.to_owned());
                self.text = rest;
                if event.is_some() {
                    return event;
                }
            }
            match read_chunk(&mut self.reader) {
                Ok(Some(chunk)) => self.text.push_str(&String::from_utf8_lossy(&chunk)),
                Ok(None) => return None,
                Err(error) => panic!("a stream that was cut off: {error}"),
            }
        }
    }

    /// The next line that is not part of an event: a heartbeat.
    ///
    /// # Panics
    /// If there is an event first, or the connection ends.
    pub fn next_comment(&mut self) -> String {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.trim().to_owned(), rest.to_owned());
                self.text = rest;
                if block.starts_with(':') {
                    return block;
                }
                assert!(event_of(&block).is_none(), "{block}");
            }
            let chunk = read_chunk(&mut self.reader)
                .expect("a stream")
                .expect("no end");
            self.text.push_str(&String::from_utf8_lossy(&chunk));
        }
    }

    /// Reads until this stage begins.
    ///
    /// # Panics
    /// If it does not.
    pub fn wait_for_stage(&mut self, stage: &str) {
        let mut seen = Vec::new();
        while let Some(event) = self.next_event() {
            if event.name == "step" && event.json()["stage"] == stage {
                return;
            }
            seen.push(event);
        }
        panic!("no stage {stage}: {seen:?}");
    }

    /// All events to the end; only the last one is an ending.
    ///
    /// # Panics
    /// If there is no ending, or more than one.
    pub fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next_event() {
            events.push(event);
        }
        let is_ending = |event: &Event| matches!(event.name.as_str(), "answer" | "error");
        assert_eq!(
            events.iter().position(is_ending),
            Some(events.len().wrapping_sub(1)),
            "{events:?}"
        );
        events
    }

    /// How the stream ends.
    ///
    /// # Panics
    /// If it does not end as it should.
    pub fn ending(self) -> Event {
        self.rest().pop().expect("an ending")
    }
}

/// A block without a name is a comment or a setting of the stream.
fn event_of(block: &str) -> Option<Event> {
    // A text of several lines is a field for each.
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.strip_prefix(name));
        let values: Vec<&str> = lines.map(|value| value.trim_start()).collect();
        (!values.is_empty()).then(|| values.join("\n"))
    };
    Some(Event {
        name: field("event:")?,
        text: field("data:")?,
    })
}
