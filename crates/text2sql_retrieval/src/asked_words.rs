//! The words of a question for stages after the search.

/// The words of the question, as they are compared with the names of columns.
#[derive(Debug, Clone, Default)]
pub struct AskedWords {
    /// The language that they are stemmed in, by its English name.
    pub language: String,
    /// Their terms.
    pub terms: Vec<String>,
}
