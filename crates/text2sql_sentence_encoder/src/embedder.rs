//! The encoder as the embedder `multilingual`.

use text2sql_domain::error::Error;
use text2sql_domain::ports::{Embedder, Purpose};

use crate::{DIMENSIONS, SentenceEncoder};

/// Name of the vectors in the index: a change of the model, of the file or of what [`MultilingualEmbedder`] does
/// with a text before it is encoded needs a new one.
pub const NAME: &str = "multilingual-1";

/// Name of the file.
pub const FILE_NAME: &str = "multilingual-1.encoder";

/// The embedder over an encoder.
pub struct MultilingualEmbedder<Encoder>(pub Encoder);

impl<Encoder, Bytes> Embedder for MultilingualEmbedder<Encoder>
where
    Encoder: std::ops::Deref<Target = SentenceEncoder<Bytes>>,
    Bytes: AsRef<[u8]>,
{
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embeds_columns(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        Ok(texts
            .iter()
            .map(|text| self.0.encode(text).to_vec())
            .collect())
    }
}
