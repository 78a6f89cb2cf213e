//! Recorded replies: no network, for tests and repeatable evaluation.

/// One recorded exchange.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct Recording {
    /// The question, compared without regard to case and outer white space.
    pub question: String,
    /// The replies, in order: the first for the first call, the next for a repair.
    pub replies: Vec<String>,
}
