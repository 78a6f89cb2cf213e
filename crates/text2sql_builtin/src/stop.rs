//! Why a question has no answer.

/// Why there is no request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    /// The grammar has no place for this token.
    Unplaced(usize),
    /// Words that name nothing.
    Missing(Vec<String>),
    /// Two links are as good; the readings replace the words `start..end` of the question.
    Ambiguous {
        question: String,
        start: usize,
        end: usize,
        replacements: Vec<String>,
    },
    /// Anything else, in one sentence.
    Unanswerable(String),
}
