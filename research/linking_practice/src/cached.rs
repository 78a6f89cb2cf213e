//! An embedder that remembers: every variant asks the same questions.

use std::cell::RefCell;
use std::collections::HashMap;

use text2sql_domain::error::Error;
use text2sql_domain::ports::{Embedder, Purpose};

/// Remembers what another embedder said.
pub(crate) struct CachedEmbedder {
    inner: Box<dyn Embedder>,
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl CachedEmbedder {
    /// Remembers what `inner` says.
    pub(crate) fn new(inner: Box<dyn Embedder>) -> Self {
        Self {
            inner,
            known: RefCell::default(),
        }
    }
}

impl Embedder for CachedEmbedder {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embeds_columns(&self) -> bool {
        self.inner.embeds_columns()
    }

    fn weight(&self) -> f64 {
        self.inner.weight()
    }

    fn knows_meaning(&self) -> bool {
        self.inner.knows_meaning()
    }

    fn least_similarity(&self) -> f32 {
        self.inner.least_similarity()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::new();
        for text in texts {
            let key = format!("{purpose:?} {text}");
            let known = self.known.borrow().get(&key).cloned();
            let vector = match known {
                Some(vector) => vector,
                None => {
                    let vector = self
                        .inner
                        .embed(&[text], purpose)?
                        .pop()
                        .unwrap_or_default();
                    self.known.borrow_mut().insert(key, vector.clone());
                    vector
                }
            };
            vectors.push(vector);
        }
        Ok(vectors)
    }
}
