//! A model that re-ranks the tables found.

use crate::error::Error;
use crate::prices::Usage;

/// A model that scores documents for a question, if one is configured: it decides the final order of
/// the best tables.
pub trait Reranker {
    /// Name of the endpoint that receives the documents.
    fn endpoint(&self) -> &str;

    /// What the last call of `rerank` used.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// The score of each document; `None` if there is none. Only the order of scores matters.
    fn rerank(&self, question: &str, documents: &[&str]) -> Result<Vec<Option<f64>>, Error>;
}

/// The complete text sent.
pub fn sent_text(question: &str, documents: &[&str]) -> String {
    format!("{question}\n{}", documents.join("\n"))
}
