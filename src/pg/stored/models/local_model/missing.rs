//! The embedder `local` in a build without the feature `local`.

use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::Embedder;

/// The embedder of the configured directory.
pub(crate) fn embedder() -> Result<Box<dyn Embedder>, Error> {
    Err(failure!(Setup, "this build of pg_text2sql has no embedder \"local\"")
    .with_hint("Use another embedder: SET text2sql.embedding_model = 'hash'; or build with: make install FEATURES=local"))
}

/// Frees the memory of a loaded model; returns whether there was one.
pub(crate) fn release() -> bool {
    false
}
