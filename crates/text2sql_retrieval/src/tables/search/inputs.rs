//! What a search works with.

use crate::lexical::term_matches::Overlay;
use text2sql_domain::config::RetrievalConfig;
use text2sql_domain::ports::Embedder;
use text2sql_domain::ports::search_index::{IndexState, SearchIndex};
use text2sql_language::terms::Analyzer;

/// The inputs of a search.
pub struct Search<'a> {
    /// The index.
    pub index: &'a dyn SearchIndex,
    /// What the index holds.
    pub state: &'a IndexState,
    /// The embedder of the index, for the vector of the question.
    pub embedder: Option<&'a dyn Embedder>,
    /// Documents that are newer than the index.
    pub overlay: &'a Overlay,
    /// Splits and stems as the index does.
    pub analyzer: &'a Analyzer,
    /// Which legs take part, and what they count.
    pub config: &'a RetrievalConfig,
}
