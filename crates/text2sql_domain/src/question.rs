//! The question text, with its length limit.

use crate::error::{Error, failure};

/// Maximum length of a question, in bytes. 16 KiB is several pages of text: more is a mistake or an attack,
/// and would displace the schema from the prompt.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

const EXAMPLE: &str = "SELECT * FROM text2sql.show('How many orders are there?')";

/// A question that is not empty and not longer than `MAX_QUESTION_BYTES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question(String);

impl Question {
    /// Reads a function argument, which may be NULL.
    pub fn required(text: Option<&str>) -> Result<Self, Error> {
        match text {
            Some(text) => Self::new(text),
            None => Err(failure!(Missing, "question must not be null").with_hint(EXAMPLE)),
        }
    }

    /// Reads the text, without outer white space and control characters.
    pub fn new(text: &str) -> Result<Self, Error> {
        if text.len() > MAX_QUESTION_BYTES {
            return Err(failure!(
                Limit,
                "the question has {} bytes, more than {MAX_QUESTION_BYTES}",
                text.len()
            )
            .with_hint("Ask a shorter question. Data to look up belongs in a table."));
        }
        let text: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect::<String>();
        let text = text.trim();
        if !text.chars().any(char::is_alphanumeric) {
            return Err(failure!(Setting, "question must not be empty").with_hint(EXAMPLE));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An earlier question of the conversation, as shown in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The question.
    pub question: String,
    /// Its SQL; `None` if it had several readings.
    pub sql: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn refuses_what_is_no_question() {
        for empty in ["", "  \n", "?!", "\u{0}"] {
            let error = Question::new(empty).unwrap_err();
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::Setting, "question must not be empty")
            );
        }
        let error = Question::required(None).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Missing, "question must not be null")
        );
        let error = Question::new(&"x".repeat(1 << 20)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert_eq!(
            error.message(),
            "the question has 1048576 bytes, more than 16384"
        );
    }

    #[test]
    fn keeps_any_language_and_drops_control_characters() {
        assert_eq!(
            Question::new(" Wie viele\tKunden?\n").unwrap().as_str(),
            "Wie viele Kunden?"
        );
        assert_eq!(
            Question::new("顧客は何人？").unwrap().as_str(),
            "顧客は何人？"
        );
    }
}
