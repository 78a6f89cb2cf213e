//! Selects the embedder named by `text2sql.embedding_model`, and the reranking model.

use text2sql_domain::config::{Config, Endpoint, ModelConfig, Protocol};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::search_index::IndexState;
use text2sql_domain::ports::{Embedder, Reranker};
use text2sql_domain::schema::quote_literal;
use text2sql_language::terms::Analyzer;
use text2sql_models::providers::embeddings::EndpointEmbedder;
use text2sql_models::providers::rerank::EndpointReranker;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

use crate::pg::server::settings;
use crate::pg::stored::models::http::HelperTransport;
use crate::pg::stored::models::{self, local_model, sentence_encoder};

use super::known_words::KnownWords;
use super::storage::{owner, read_state_row};
use super::vector_set::{VectorSet, second_embedder};
use crate::pg::server::spi::role::with_role;
use crate::pg::server::spi::sandbox::keep_no_locks;

/// The best embedder of this server: [`MULTILINGUAL`] where its file is installed, else [`HASH`].
const AUTO: &str = "auto";

/// Name of the embedder that reads its model from a file of the installation.
const MULTILINGUAL: &str = "multilingual";

/// Name of the embedder without dependencies.
const HASH: &str = "hash";

/// Name of the embedder that runs a model in this process.
const LOCAL: &str = "local";

/// Calls endpoints.
static TRANSPORT: HelperTransport = HelperTransport;

/// The configured embedder.
pub(crate) fn for_refresh(analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    named(&settings::embedding_model(), analyzer)
}

/// The embedder that `text2sql.embedding_model` would name so.
pub(crate) fn named(name: &str, analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    named_or_else(name, analyzer, || {
        Error::new(
            ErrorKind::Setting,
            unusable(name, "text2sql.embedding_model", "does not embed texts"),
        )
        .with_hint("Add a model of protocol 'embeddings': SELECT text2sql.add_model('minilm', 'embeddings', 'http://…/v1', '…'); or use an embedder of this server: RESET text2sql.embedding_model;")
    })
}

/// The embedder that a call of `refresh()` names as the second one.
pub(crate) fn named_by_call(name: &str, analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    named_or_else(name, analyzer, || {
        let message = match models::exists(name) {
            true => format!("server \"{name}\" does not embed texts"),
            false => format!("server \"{name}\" does not exist"),
        };
        Error::new(ErrorKind::Setting, message).with_hint("Name 'hash', 'multilingual', 'local' or a model of protocol 'embeddings', which is added so: SELECT text2sql.add_model('minilm', 'embeddings', 'http://…/v1', '…');")
    })
}

fn named_or_else(
    name: &str,
    analyzer: &Analyzer,
    unusable: impl FnOnce() -> Error,
) -> Result<Box<dyn Embedder>, Error> {
    match name {
        AUTO => Ok(sentence_encoder::embedder().unwrap_or_else(|_| hash(analyzer))),
        MULTILINGUAL => sentence_encoder::embedder(),
        HASH => Ok(hash(analyzer)),
        LOCAL => local_model::embedder(),
        name => match endpoint(name, Protocol::Embeddings)? {
            Some(endpoint) => Ok(Box::new(EndpointEmbedder::new(endpoint, &TRANSPORT))),
            None => Err(unusable()),
        },
    }
}

fn hash(analyzer: &Analyzer) -> Box<dyn Embedder> {
    let analyzer = Analyzer::new(analyzer.language());
    Box::new(HashEmbedder::new(analyzer))
}

/// The configured embedder for vectors that `made_by` made. With `auto` an index from the time before the file was
/// installed is used as it is, until a refresh makes the better vectors.
pub(crate) fn for_vectors(made_by: &str, analyzer: &Analyzer) -> Result<Box<dyn Embedder>, Error> {
    named_for_vectors(&settings::embedding_model(), made_by, analyzer)
}

/// The same for what `text2sql.embedding_model` would name so.
fn named_for_vectors(
    name: &str,
    made_by: &str,
    analyzer: &Analyzer,
) -> Result<Box<dyn Embedder>, Error> {
    if name == AUTO {
        let hash = hash(analyzer);
        if hash.name() == made_by {
            return Ok(hash);
        }
    }
    named(name, analyzer)
}

/// Which vectors a session uses whose `text2sql.embedding_model` is `name`; `None`: none.
pub(crate) fn vectors_of(name: &str) -> Result<Option<VectorSet>, Error> {
    let Some(owner) = owner() else {
        return Ok(None);
    };
    let (state, second) =
        keep_no_locks(|| with_role(&owner, || Ok((read_state_row()?, second_embedder()?))))?;
    let Some(state) = state.filter(|state| state.has_form) else {
        return Ok(None);
    };
    let embedder = named_for_vectors(name, &state.embedder, &Analyzer::new(&state.language))?;
    if embedder.name() == state.embedder {
        return Ok(Some(VectorSet::Index));
    }
    let second = second.filter(|second| {
        second.is_built && second.model == name && second.embedder == embedder.name()
    });
    Ok(second.map(|_| VectorSet::Second))
}

/// The embedder for `text2sql.status()`: its name with the reason, and what can be done about it.
pub(crate) fn report() -> (String, Option<String>) {
    let set = settings::embedding_model();
    match (set.as_str(), sentence_encoder::problem()) {
        (AUTO, None) => (
            format!("{MULTILINGUAL} ({AUTO}: its file is installed)"),
            None,
        ),
        (AUTO, Some(problem)) => {
            let note = format!(
                "{HASH} knows words, not what they mean; {MULTILINGUAL} comes with make setup install, or the package postgresql-text2sql-encoder"
            );
            (format!("{HASH} ({AUTO}: {})", problem.reason()), Some(note))
        }
        (MULTILINGUAL, Some(problem)) => (
            format!("{MULTILINGUAL}, not usable: {}", problem.reason()),
            Some(sentence_encoder::HINT.to_owned()),
        ),
        (name, _) => match for_refresh(&Analyzer::default()) {
            Ok(_) => (name.to_owned(), None),
            Err(error) => {
                let hint = error.hint().map(str::to_owned);
                (format!("{name}, not usable: {}", error.message()), hint)
            }
        },
    }
}

/// The configured embedder, if it made the vectors of the index: those of others cannot be compared.
pub(crate) fn for_question(
    state: &IndexState,
    analyzer: &Analyzer,
) -> Result<Option<Box<dyn Embedder>>, Error> {
    // A caller without USAGE on the endpoint, or without a key, gets an answer without vectors, and a warning.
    let embedder = for_vectors(&state.embedder, analyzer).ok();
    Ok(embedder.filter(|embedder| embedder.name() == state.embedder))
}

/// The embedder of this server for words of a schema without an index, if it is the one that knows meaning.
pub(crate) fn for_words() -> Option<Box<dyn Embedder>> {
    let set = settings::embedding_model();
    let embedder = matches!(set.as_str(), AUTO | MULTILINGUAL).then(sentence_encoder::embedder)?;
    Some(Box::new(KnownWords(embedder.ok()?)))
}

/// Why a question cannot use vectors that `made_by` made, where [`for_question`] returns no embedder.
pub(crate) fn why_no_vectors(made_by: &str, language: &str) -> Option<String> {
    match for_vectors(made_by, &Analyzer::new(language)) {
        Err(error) => Some(error.message().to_owned()),
        Ok(embedder) if embedder.name() != made_by => Some(other_embedder(made_by)),
        Ok(_) => None,
    }
}

/// Says that the vectors were made by `made_by`, not by the configured embedder.
pub(crate) fn other_embedder(made_by: &str) -> String {
    let set = settings::embedding_model();
    let second = match can_be_second(&set) {
        true => format!(
            ", or for sessions with this setting alone {}",
            build_vectors(&set)
        ),
        false => String::new(),
    };
    format!(
        "text2sql.embedding_model is '{set}' and those of the search index are of \"{made_by}\"; CALL text2sql.refresh(){second}"
    )
}

/// Whether a second embedder can be named so: what [`AUTO`] means may change.
pub(crate) fn can_be_second(name: &str) -> bool {
    name != AUTO
}

/// The call that makes the vectors of a second embedder.
pub(crate) fn build_vectors(name: &str) -> String {
    format!(
        "CALL text2sql.refresh(second_embedder => {})",
        quote_literal(name)
    )
}

/// The reranking model, if one is set.
pub(crate) fn reranker(name: Option<&str>) -> Result<Option<Box<dyn Reranker>>, Error> {
    let Some(name) = name else {
        return Ok(None);
    };
    match endpoint(name, Protocol::Rerank)? {
        Some(endpoint) => Ok(Some(Box::new(EndpointReranker::new(endpoint, &TRANSPORT)))),
        None => Err(Error::new(
            ErrorKind::Setting,
            unusable(name, "rerank_model", "does not rerank"),
        )
        .with_hint("Add a model of protocol 'rerank': SELECT text2sql.add_model('reranker', 'rerank', 'http://…/v1', '…'); or leave out the key rerank_model of text2sql.tuning.")),
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
    !matches!(
        settings::embedding_model().as_str(),
        AUTO | MULTILINGUAL | HASH | LOCAL
    )
}

/// Whether a question may wait for an endpoint before a model is called for SQL.
pub(crate) fn question_waits(config: &Config) -> bool {
    waits() || config.rerank_model.is_some()
}
