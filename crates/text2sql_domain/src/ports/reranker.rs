//! A model that puts found tables in order.

use crate::error::Error;

/// A model that scores documents for a question, when one is configured: it has the last word over the
/// best tables.
pub trait Reranker {
    /// Name of the endpoint that the documents are sent to.
    fn endpoint(&self) -> &str;

    /// The score of each document; `None` where there is none. Only their order counts.
    fn rerank(&self, question: &str, documents: &[&str]) -> Result<Vec<Option<f64>>, Error>;
}

/// All text that is sent.
pub fn sent_text(question: &str, documents: &[&str]) -> String {
    format!("{question}\n{}", documents.join("\n"))
}
