//! Why a question has no answer.

/// Why processing of a question ends without an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    /// Unknown words.
    Missing(Vec<String>),
    /// Several interpretations are equally good; the readings replace the tokens `start..end` of the
    /// question.
    Ambiguous {
        question: String,
        start: usize,
        end: usize,
        replacements: Vec<String>,
    },
    /// Any other reason, in one sentence.
    Unanswerable(String),
}
