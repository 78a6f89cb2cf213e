//! A question, the SQL that answers it, and the script by which the model double knows both.

use model_double::Script;
use serde_json::json;

/// Longest pattern that the double looks for quickly: the standard library searches needles of at
/// most this size with vector instructions. A slow search would be paid by the baseline too and
/// flatter us.
const PATTERN_BYTES: usize = 32;

/// A question with the SQL that the double answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) sql: String,
    /// A sentence with placeholders, such as a model sends along.
    pub(crate) sentence: String,
}

impl Question {
    pub(crate) fn new(text: &str, sql: &str, sentence: &str) -> Self {
        Self {
            text: text.to_owned(),
            sql: sql.to_owned(),
            sentence: sentence.to_owned(),
        }
    }

    /// The end of the question, by which the double recognises it.
    fn pattern(&self) -> &str {
        let mut start = self.text.len().saturating_sub(PATTERN_BYTES);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        self.text.get(start..).unwrap_or(&self.text)
    }

    /// The reply of a model that does as the prompt says.
    fn reply(&self) -> String {
        json!({
            "plan": "Find the table. Filter and count. Order the result.",
            "status": "ok",
            "sql": self.sql,
            "sentence": self.sentence,
            "assumptions": [],
            "clarification": null,
            "readings": [],
            "missing": [],
        })
        .to_string()
    }

    /// The statement that asks it.
    pub(crate) fn ask(&self) -> String {
        call("ask", &self.text)
    }

    /// The statement that only renders the prompt: retrieval without model and execution.
    pub(crate) fn preview(&self) -> String {
        call("preview_prompt", &self.text)
    }
}

/// `SELECT * FROM text2sql.<function>('<text>')`.
pub(crate) fn call(function: &str, text: &str) -> String {
    format!("SELECT * FROM text2sql.{function}({})", literal(text))
}

/// A text as an SQL literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The script of a double that answers these questions.
pub(crate) fn script(questions: &[Question]) -> Script {
    questions.iter().fold(Script::new(), |script, question| {
        script.on(question.pattern(), [question.reply()])
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every question must be recognised as itself.
    pub(crate) fn check_patterns(questions: &[Question]) {
        for question in questions {
            let pattern = question.pattern();
            assert!(pattern.len() <= PATTERN_BYTES);
            let hits = questions.iter().filter(|q| q.text.contains(pattern));
            assert_eq!(hits.count(), 1, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_starts_at_a_character() {
        let question = Question::new(&"é".repeat(40), "SELECT 1", "");
        assert_eq!(question.pattern().len(), 32);
        let question = Question::new(&format!("x{}y", "é".repeat(40)), "SELECT 1", "");
        assert_eq!(question.pattern().len(), 31);
    }

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(call("ask", "it's"), "SELECT * FROM text2sql.ask('it''s')");
    }
}
