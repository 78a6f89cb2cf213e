//! Turns texts into vectors.

use super::collection::{Collection, NAME};
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

    /// Whether texts of one meaning in other words are near each other. Where not, a vector of a definition
    /// tells nothing that its words do not.
    fn knows_meaning(&self) -> bool {
        true
    }

    /// Cosine similarity below which a text has nothing to do with a question. Each model has a scale of
    /// its own; the default is that of most sentence models.
    fn least_similarity(&self) -> f32 {
        MIN_SIMILARITY
    }

    /// Name of the endpoint that texts are sent to; `None` when they do not leave the server.
    fn endpoint(&self) -> Option<&str> {
        None
    }

    /// The vectors of texts, in their order.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error>;
}

/// What most sentence models give at least for a question and a text that is about it, and hardly ever for
/// two that have nothing in common: of published measurements, 0.44 and 0.08 with OpenAI's
/// text-embedding-3-large, 0.38 and 0.02 with Amazon's Titan v2. Some models give 0.7 and more for any two
/// texts (text-embedding-ada-002, the E5 family): option `least_similarity` of their server says so.
pub const MIN_SIMILARITY: f32 = 0.3;

/// Whether a text of an item becomes a vector: the one rule for every index. A vector of each column is a
/// matter of cost, so the embedder decides; of an example both texts are searched, the question and the
/// shape of its SQL; a definition only by an embedder that knows what words mean.
pub fn is_embedded(embedder: &dyn Embedder, collection: Collection, unit: i16) -> bool {
    match collection {
        Collection::Schema => unit == NAME || embedder.embeds_columns(),
        Collection::Definitions => embedder.knows_meaning(),
        Collection::Examples => true,
    }
}

/// What a text is for: some models embed a question and what may answer it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Document,
    /// To find with.
    Question,
}
