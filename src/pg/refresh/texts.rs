//! Brings documents and text columns up to date: passages, and the vectors that are missing.

use std::cell::RefCell;
use std::time::Instant;

use text2sql_domain::error::Error;

use super::run::Refresh;
use crate::pg::documents;
use crate::pg::record::audit;

impl Refresh {
    /// Cuts documents that have no passages, makes missing vectors, and reads text columns that have changed.
    pub(super) fn texts(&self) -> Result<usize, Error> {
        let mut commit = || self.commit();
        let cut = documents::rebuild_changed(&mut commit)?;
        let start = RefCell::new(Instant::now());
        let mut record = |endpoint: &str, texts: &[&str]| {
            let took = start.replace(Instant::now()).elapsed();
            match endpoint.is_empty() {
                true => Ok(()),
                false => {
                    self.record_egress(endpoint, texts, Vec::new(), took, self.embedder.usage())
                }
            }
        };
        audit::with_trace(self.trace_id, || {
            documents::embed_waiting(&*self.embedder, &mut commit, &mut record)
        })?;
        let read = documents::update_sources(&*self.embedder, &mut commit)?;
        documents::tidy(&mut commit)?;
        Ok(cut + read)
    }
}
