//! Computes embeddings of texts.

use super::collection::{Collection, NAME};
use crate::config::TextEgress;
use crate::error::Error;
use crate::prices::Usage;

/// Computes normalised vectors of equal dimension for texts.
pub trait Embedder {
    /// The source of the vectors, including everything that affects them: `hash-1`, `local:minilm`,
    /// `openai:text-embedding-3-small`. Vectors with different names are never compared.
    fn name(&self) -> String;

    /// Number of dimensions; 0 if not known before the first call.
    fn dimensions(&self) -> usize;

    /// Whether columns are embedded in addition to tables, at the cost of one vector per column.
    fn embeds_columns(&self) -> bool;

    /// The weight of its ranks relative to BM25, which has weight 1: a sentence model adds information;
    /// `hash` sees the same words again and only adds partial word matches.
    fn weight(&self) -> f64 {
        1.0
    }

    /// Whether texts with the same meaning but different words have similar vectors. If not, a definition's
    /// vector adds nothing to its words.
    fn knows_meaning(&self) -> bool {
        true
    }

    /// Cosine similarity below which a text is unrelated to a question. The scale depends on the
    /// model; the default fits most sentence models.
    fn least_similarity(&self) -> f32 {
        MIN_SIMILARITY
    }

    /// Name of the endpoint that receives the texts; `None` if they stay on the server.
    fn endpoint(&self) -> Option<&str> {
        None
    }

    /// Whether passages of texts may be sent to the endpoint.
    fn text_egress(&self) -> TextEgress {
        TextEgress::Passages
    }

    /// What the last call of `embed` used of an endpoint.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// The vectors of the texts, in the same order.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error>;

    /// Hands the vectors of the texts to `take`, in the same order, some at a time. The next may be made while `take`
    /// runs, which is always on the calling thread.
    fn embed_each(
        &self,
        texts: &[&str],
        purpose: Purpose,
        take: &mut TakeVectors<'_>,
    ) -> Result<(), Error> {
        for texts in texts.chunks(AT_ONCE) {
            take(self.embed(texts, purpose)?)?;
        }
        Ok(())
    }
}

/// Gets the vectors of some texts, in their order.
pub type TakeVectors<'t> = dyn FnMut(Vec<Vec<f32>>) -> Result<(), Error> + 't;

/// How many texts an embedder gets at once that does nothing beside.
const AT_ONCE: usize = 32;

/// Most sentence models exceed this similarity for a question and a relevant text, and rarely for unrelated
/// texts. Published measurements: 0.44 and 0.08 with OpenAI's
/// text-embedding-3-large, 0.38 and 0.02 with Amazon's Titan v2. Some models give 0.7 and more for any two
/// texts (text-embedding-ada-002, the E5 family): set the option `least_similarity` of their server.
pub const MIN_SIMILARITY: f32 = 0.3;

/// Whether a text of an item is embedded; the same rule for every index. Embedding columns costs one vector
/// each, so the embedder decides. For examples, both the question and the shape of the SQL are embedded;
/// definitions only by an embedder that captures meaning.
pub fn is_embedded(embedder: &dyn Embedder, collection: Collection, unit: i16) -> bool {
    match collection {
        Collection::Schema => unit == NAME || embedder.embeds_columns(),
        Collection::Definitions => embedder.knows_meaning(),
        Collection::Examples => true,
    }
}

/// The purpose of a text: some models embed questions and documents differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A text to be searched.
    Document,
    /// A search query.
    Question,
}
