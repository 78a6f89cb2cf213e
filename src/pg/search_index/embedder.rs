//! Selects the embedder named by `text2sql.embedding_model`, and the reranking model.

use text2sql_domain::config::{Endpoint, ModelConfig, Protocol};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::search_index::IndexState;
use text2sql_domain::ports::{Embedder, Reranker};
use text2sql_language::terms::Analyzer;
use text2sql_models::providers::embeddings::EndpointEmbedder;
use text2sql_models::providers::rerank::EndpointReranker;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

use crate::pg::models::http::HelperTransport;
use crate::pg::models::{self, local_model};
use crate::pg::settings;

/// Name of the embedder without dependencies.
const HASH: &str = "hash";

/// Name of the embedder that runs a model in this process.
const LOCAL: &str = "local";

/// Calls endpoints.
static TRANSPORT: HelperTransport = HelperTransport;

/// The configured embedder.
pub(crate) fn for_refresh(analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    let name = settings::embedding_model();
    match name.as_str() {
        HASH => {
            let analyzer = Analyzer::new(analyzer.language());
            Ok(Box::new(HashEmbedder::new(analyzer)))
        }
        LOCAL => local_model::embedder(),
        name => match endpoint(name, Protocol::Embeddings)? {
            Some(endpoint) => Ok(Box::new(EndpointEmbedder::new(endpoint, &TRANSPORT))),
            None => Err(Error::new(
                ErrorKind::Setting,
                unusable(name, "text2sql.embedding_model", "does not embed texts"),
            )
            .with_hint("Add a model of protocol 'embeddings': SELECT text2sql.add_model('minilm', 'embeddings', 'http://…/v1', '…'); or use the built-in embedder: SET text2sql.embedding_model = 'hash';")),
        },
    }
}

/// The configured embedder, if it made the vectors of the index: those of others cannot be compared.
pub(crate) fn for_question(
    state: &IndexState,
    analyzer: &Analyzer,
) -> Result<Option<Box<dyn Embedder>>, Error> {
    // A caller without USAGE on the endpoint, or without a key, gets an answer without vectors, and a warning.
    let embedder = for_refresh(analyzer).ok();
    Ok(embedder.filter(|embedder| embedder.name() == state.embedder))
}

/// Why a question does not use vectors, where [`for_question`] returns no embedder.
pub(crate) fn why_no_vectors(made_by: &str, language: &str) -> Option<String> {
    let set = settings::embedding_model();
    match for_refresh(&Analyzer::new(language)) {
        Err(error) => Some(format!(
            "the tables were found without vectors: {}",
            error.message()
        )),
        Ok(embedder) if embedder.name() != made_by => Some(format!(
            "the tables were found without vectors: text2sql.embedding_model is '{set}' and those of the search index are of \"{made_by}\"; CALL text2sql.refresh()"
        )),
        Ok(_) => None,
    }
}

/// The reranking model, if one is set.
pub(crate) fn reranker() -> Result<Option<Box<dyn Reranker>>, Error> {
    let Some(name) = settings::rerank_model() else {
        return Ok(None);
    };
    match endpoint(&name, Protocol::Rerank)? {
        Some(endpoint) => Ok(Some(Box::new(EndpointReranker::new(endpoint, &TRANSPORT)))),
        None => Err(Error::new(
            ErrorKind::Setting,
            unusable(&name, "text2sql.rerank_model", "does not rerank"),
        )
        .with_hint("Add a model of protocol 'rerank': SELECT text2sql.add_model('reranker', 'rerank', 'http://…/v1', '…'); or use none: RESET text2sql.rerank_model;")),
    }
}

/// Why a server named by a setting cannot be used for it.
fn unusable(name: &str, setting: &str, lack: &str) -> String {
    match models::exists(name) {
        true => format!("\"{name}\" of {setting} {lack}"),
        false => format!("server \"{name}\" does not exist"),
    }
}

/// The endpoint of that name, ready to use; `None` when it does not exist or has another protocol.
fn endpoint(name: &str, protocol: Protocol) -> Result<Option<Endpoint>, Error> {
    if !models::exists(name) {
        return Ok(None);
    }
    match models::model(name)? {
        ModelConfig::Endpoint(endpoint) if endpoint.protocol == protocol => Ok(Some(*endpoint)),
        _ => Ok(None),
    }
}

/// Whether the configured embedder is remote.
pub(crate) fn waits() -> bool {
    !matches!(settings::embedding_model().as_str(), HASH | LOCAL)
}

/// Whether a question may wait for an endpoint before a model is called for SQL.
pub(crate) fn question_waits() -> bool {
    waits() || settings::rerank_model().is_some()
}
