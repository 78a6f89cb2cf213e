//! Brings documents and text columns up to date: passages, and the vectors that are missing.

use std::cell::RefCell;
use std::time::Instant;

use text2sql_domain::error::Error;

use super::run::Refresh;
use crate::pg::search::documents;
use crate::pg::search::search_index::VectorSet;
use crate::pg::stored::record::audit;

impl Refresh {
    /// Cuts documents that have no passages, makes missing vectors, and reads text columns that have changed.
    pub(super) fn texts(&self) -> Result<usize, Error> {
        let mut commit = || self.commit();
        let cut = documents::rebuild_changed(&mut commit)?;
        self.embed_documents(VectorSet::Index)?;
        let read = documents::update_sources(&*self.embedder, &mut commit)?;
        documents::tidy(&mut commit)?;
        Ok(cut + read)
    }

    /// Makes the vectors that passages of documents do not have yet; returns how many.
    pub(super) fn embed_documents(&self, set: VectorSet) -> Result<usize, Error> {
        let mut commit = || self.commit();
        let start = RefCell::new(Instant::now());
        let mut record = |endpoint: &str, texts: &[&str], vectors: &[Vec<f32>]| {
            let took = start.replace(Instant::now()).elapsed();
            if set == VectorSet::Second {
                self.refuse_other_length(vectors)?;
            }
            match endpoint.is_empty() {
                true => Ok(()),
                false => {
                    self.record_egress(endpoint, texts, Vec::new(), took, self.embedder.usage())
                }
            }
        };
        audit::with_trace(self.trace_id, || {
            documents::embed_waiting(set, &*self.embedder, &mut commit, &mut record)
        })
    }
}
