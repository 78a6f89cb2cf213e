//! What a build without the feature `local` says.

use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::Embedder;

/// The embedder of the directory that is set.
pub(crate) fn embedder() -> Result<Box<dyn Embedder>, Error> {
    Err(Error::new(
        ErrorKind::Setup,
        "this build of pg_text2sql has no embedder \"local\"",
    )
    .with_hint("SET text2sql.embedding_model = 'hash', name a server of protocol 'embeddings', or build with: cargo pgrx install --release --features local"))
}

/// Gives the memory of a loaded model back; says whether there was one.
pub(crate) fn release() -> bool {
    false
}
