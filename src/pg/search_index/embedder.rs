//! Which embedder makes the vectors: the one that `text2sql.embedding_model` names.

use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::retrieve::embed::Embedder;
use text2sql_core::retrieve::embed::hash::HashEmbedder;
use text2sql_core::retrieve::words::Analyzer;

use crate::settings;

/// Name of the embedder that needs nothing.
const HASH: &str = "hash";

/// The embedder that is set.
pub(crate) fn for_refresh(analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    match settings::embedding_model().as_str() {
        HASH => Ok(Box::new(HashEmbedder::new(Analyzer::new(
            analyzer.language(),
        )))),
        name => Err(Error::new(
            ErrorKind::Setup,
            format!("embedding model \"{name}\" does not exist"),
        )
        .with_hint("SET text2sql.embedding_model = 'hash'")),
    }
}

/// Whether the embedder that is set waits for another process.
pub(crate) fn waits() -> bool {
    settings::embedding_model() != HASH
}
