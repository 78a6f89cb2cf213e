//! Which embedder makes the vectors: the one that `text2sql.embedding_model` names.

use text2sql_core::config::{ModelConfig, Protocol};
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::providers::embeddings::EndpointEmbedder;
use text2sql_core::retrieve::embed::Embedder;
use text2sql_core::retrieve::embed::hash::HashEmbedder;
use text2sql_core::retrieve::index::IndexState;
use text2sql_core::retrieve::words::Analyzer;

use crate::pg::http::HelperTransport;
use crate::pg::models;
use crate::settings;

/// Name of the embedder that needs nothing.
const HASH: &str = "hash";

/// Speaks to endpoints.
static TRANSPORT: HelperTransport = HelperTransport;

/// The embedder that is set.
pub(crate) fn for_refresh(analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    let name = settings::embedding_model();
    if name == HASH {
        let analyzer = Analyzer::new(analyzer.language());
        return Ok(Box::new(HashEmbedder::new(analyzer)));
    }
    match models::model(&name) {
        Ok(ModelConfig::Endpoint(endpoint)) if endpoint.protocol == Protocol::Embeddings => {
            Ok(Box::new(EndpointEmbedder::new(*endpoint, &TRANSPORT)))
        }
        Ok(_) => Err(Error::new(
            ErrorKind::Setting,
            format!("\"{name}\" of text2sql.embedding_model makes no vectors"),
        )
        .with_hint("name a server of protocol 'embeddings': SELECT text2sql.add_model('minilm', 'embeddings', 'http://…/v1', '…'), or SET text2sql.embedding_model = 'hash'")),
        Err(error) => Err(error),
    }
}

/// The embedder that is set, if it made the vectors of the index: others cannot be compared.
pub(crate) fn for_question(
    state: &IndexState,
    analyzer: &Analyzer,
) -> Result<Option<Box<dyn Embedder>>, Error> {
    // Who may not use the endpoint, or has no key, still asks: without vectors. status() says so.
    let embedder = for_refresh(analyzer).ok();
    Ok(embedder.filter(|embedder| embedder.name() == state.embedder))
}

/// Whether the embedder that is set waits for another process.
pub(crate) fn waits() -> bool {
    settings::embedding_model() != HASH
}
