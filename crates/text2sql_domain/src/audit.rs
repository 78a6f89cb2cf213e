//! Server log lines that record what was sent to endpoints, and by which role.
//!
//! When a transaction is rolled back, its rows of `history` and `egress_log` are lost; these lines remain. They are
//! `key=value` pairs on one line, with texts in double quotes, so that a program can parse them and no name can
//! inject a line break. They contain no question, SQL, secret or row value.

use std::fmt;

use crate::trace::Trace;

/// The roles and the question behind a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// The trace id of the question, as in `history`.
    pub trace_id: Option<String>,
    /// The current role, whose privileges apply.
    pub role: String,
    /// The session role.
    pub session_role: String,
    /// The database.
    pub database: String,
}

/// A request to an endpoint, before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestLine<'a> {
    /// The roles and the question behind it.
    pub sender: &'a Sender,
    /// The purpose, as in `egress_log`.
    pub purpose: &'a str,
    /// Name of the foreign server.
    pub endpoint: &'a str,
    /// The host it goes to.
    pub host: &'a str,
    /// Characters of text in it.
    pub characters: usize,
    /// Bytes of its body.
    pub bytes: usize,
    /// The SHA-256 of the text, as in `egress_log`.
    pub sha256: &'a str,
}

impl fmt::Display for RequestLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "text2sql: request {} purpose={} endpoint={} host={} characters={} bytes={} sha256={}",
            self.sender,
            self.purpose,
            Quoted(self.endpoint),
            Quoted(self.host),
            self.characters,
            self.bytes,
            self.sha256
        )
    }
}

/// A finished question that was sent to an endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionLine<'a> {
    /// The roles and the question.
    pub sender: &'a Sender,
    /// Name of the model.
    pub model: &'a str,
    /// Its status, or the error that ended it or a part of it.
    pub outcome: &'a str,
    /// Its model calls and tokens.
    pub trace: &'a Trace,
}

impl fmt::Display for QuestionLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.trace;
        let stages = trace.stages.iter().map(|stage| stage.milliseconds);
        let milliseconds = stages.fold(0.0, |sum, stage| sum + stage);
        write!(
            f,
            "text2sql: question {} model={} outcome={} calls={} input_tokens={} output_tokens={} \
             characters={} milliseconds={milliseconds:.0}",
            self.sender,
            Quoted(self.model),
            Quoted(self.outcome),
            trace.model_calls,
            trace.input_tokens,
            trace.output_tokens,
            trace.prompt_chars
        )
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "trace_id={} role={} session_role={} database={}",
            self.trace_id.as_deref().unwrap_or("-"),
            Quoted(&self.role),
            Quoted(&self.session_role),
            Quoted(&self.database)
        )
    }
}

/// A text in double quotes, escaped as in JSON. Characters that could end a line or change the
/// writing direction are escaped as well.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                c if is_invisible(c) => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender() -> Sender {
        Sender {
            trace_id: Some("0b5e6f9c-0000-4000-8000-000000000000".to_owned()),
            role: "ana".to_owned(),
            session_role: "web".to_owned(),
            database: "shop".to_owned(),
        }
    }

    #[test]
    fn a_line_is_made_of_pairs() {
        let line = RequestLine {
            sender: &sender(),
            purpose: "generate",
            endpoint: "gpt",
            host: "api.example.com",
            characters: 12,
            bytes: 345,
            sha256: "ab",
        };
        assert_eq!(
            line.to_string(),
            "text2sql: request trace_id=0b5e6f9c-0000-4000-8000-000000000000 role=\"ana\" \
             session_role=\"web\" database=\"shop\" purpose=generate endpoint=\"gpt\" \
             host=\"api.example.com\" characters=12 bytes=345 sha256=ab"
        );
        let line = QuestionLine {
            sender: &Sender {
                trace_id: None,
                ..sender()
            },
            model: "gpt",
            outcome: "ok",
            trace: &Trace::default(),
        };
        assert_eq!(
            line.to_string(),
            "text2sql: question trace_id=- role=\"ana\" session_role=\"web\" database=\"shop\" \
             model=\"gpt\" outcome=\"ok\" calls=0 input_tokens=0 output_tokens=0 characters=0 milliseconds=0"
        );
    }

    #[test]
    fn no_name_forges_a_line_or_a_pair() {
        let forged = Sender {
            role: "ana\" sha256=00\ntext2sql: request role=\"bob".to_owned(),
            session_role: "\u{85}\u{2028}\u{202e}\r\\".to_owned(),
            database: "a b".to_owned(),
            trace_id: None,
        };
        assert_eq!(
            forged.to_string(),
            "trace_id=- role=\"ana\\\" sha256=00\\u000atext2sql: request role=\\\"bob\" \
             session_role=\"\\u0085\\u2028\\u202e\\u000d\\\\\" database=\"a b\""
        );
    }
}
