//! The embedder `local`: a sentence model in this process, loaded when it is first needed and kept
//! for the session.
//!
//! Only builds with the feature `local` have it; in others the same calls say so.

use text2sql_core::error::Error;
#[cfg(not(feature = "local"))]
use text2sql_core::error::ErrorKind;
use text2sql_core::retrieve::embed::Embedder;

#[cfg(feature = "local")]
mod loaded;

#[cfg(feature = "local")]
pub(crate) use self::loaded::{embedder, release};

/// The embedder of the directory that is set.
#[cfg(not(feature = "local"))]
pub(crate) fn embedder() -> Result<Box<dyn Embedder>, Error> {
    Err(Error::new(
        ErrorKind::Setup,
        "this build of pg_text2sql has no embedder \"local\"",
    )
    .with_hint("SET text2sql.embedding_model = 'hash', name a server of protocol 'embeddings', or build with: cargo pgrx install --release --features local"))
}

/// Gives the memory of a loaded model back; says whether there was one.
#[cfg(not(feature = "local"))]
pub(crate) fn release() -> bool {
    false
}
