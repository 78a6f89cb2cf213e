//! Which embedder makes the vectors: the one that `text2sql.embedding_model` names.

use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::retrieve::embed::Embedder;
use text2sql_core::retrieve::embed::hash::HashEmbedder;
use text2sql_core::retrieve::index::IndexState;
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

/// The embedder that is set, if it made the vectors of the index: others cannot be compared.
pub(crate) fn for_question(
    state: &IndexState,
    analyzer: &Analyzer,
) -> Result<Option<Box<dyn Embedder>>, Error> {
    let embedder = for_refresh(analyzer)?;
    Ok(Some(embedder).filter(|embedder| embedder.name() == state.embedder))
}

/// Whether the embedder that is set waits for another process.
pub(crate) fn waits() -> bool {
    settings::embedding_model() != HASH
}
