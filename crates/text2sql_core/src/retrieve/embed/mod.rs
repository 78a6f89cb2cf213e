//! Turns texts into vectors.

pub mod hash;

use crate::error::Error;

/// Turns texts into vectors of one length and of length 1.
pub trait Embedder {
    /// What made the vectors, with everything that changes them: `hash-1`, `local:minilm`,
    /// `openai:text-embedding-3-small`. Vectors of different names are never compared.
    fn name(&self) -> String;

    /// Length of the vectors; 0 when it is not known before the first call.
    fn dimensions(&self) -> usize;

    /// Whether columns are embedded beside tables. Costs one vector per column.
    fn embeds_columns(&self) -> bool;

    /// What its ranks weigh beside those of BM25, which weigh 1: a sentence model knows what BM25 does
    /// not; `hash` sees the same words again and helps with their pieces alone.
    fn weight(&self) -> f64 {
        1.0
    }

    /// Name of the endpoint that texts are sent to; `None` when they stay in the house.
    fn endpoint(&self) -> Option<&str> {
        None
    }

    /// The vectors of texts, in their order.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error>;
}

/// What a text is for: some models embed a question and what may answer it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Document,
    /// To find with.
    Question,
}
