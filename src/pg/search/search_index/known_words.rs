//! Keeps the vectors of words in the session: each question over a schema without an index compares its unknown
//! words with the same names.

use std::cell::RefCell;
use std::collections::HashMap;

use text2sql_domain::error::Error;
use text2sql_domain::ports::{Embedder, Purpose};

/// Maximum number of words that are kept: 512 numbers each, so 2 MB in all.
const MAX_WORDS: usize = 1_000;

thread_local! {
    static KEPT: RefCell<HashMap<String, Vec<f32>>> = RefCell::new(HashMap::new());
}

/// The embedder of this server, which has the same vector for a word whatever it is for.
pub(super) struct KnownWords(pub(super) Box<dyn Embedder>);

impl Embedder for KnownWords {
    fn name(&self) -> String {
        self.0.name()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embeds_columns(&self) -> bool {
        self.0.embeds_columns()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let is_new = |text: &&str| KEPT.with_borrow(|kept| !kept.contains_key(*text));
        let new: Vec<&str> = texts.iter().copied().filter(is_new).collect();
        let vectors = self.0.embed(&new, purpose)?;
        KEPT.with_borrow_mut(|kept| {
            if kept.len() + new.len() > MAX_WORDS {
                kept.clear();
            }
            kept.extend(new.iter().map(|text| (*text).to_owned()).zip(vectors));
        });
        let is_lost = |text: &&str| KEPT.with_borrow(|kept| !kept.contains_key(*text));
        if texts.iter().any(is_lost) {
            return self.0.embed(texts, purpose);
        }
        let vector = |text: &&str| KEPT.with_borrow(|kept| kept.get(*text).cloned());
        Ok(texts.iter().filter_map(vector).collect())
    }
}
