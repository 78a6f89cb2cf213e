//! The built-in engine with words of the tables for words that they do not have.

use std::error::Error as StdError;
use std::sync::Arc;

use text2sql_builtin::{propose, propose_by_near_words};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{NearWord, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::memory_index::MemoryIndex;
use text2sql_sentence_encoder::SentenceEncoder;
use text2sql_sentence_encoder::embedder::MultilingualEmbedder;

/// The index of a database's tables with its embedder, or nothing.
pub(crate) struct NearWords(Option<(MemoryIndex, Box<dyn Embedder>)>);

impl NearWords {
    /// Indexes the tables with the encoder of that file.
    pub(crate) fn of(tables: &[Arc<Table>], file: Option<&str>) -> Result<Self, Box<dyn StdError>> {
        let Some(file) = file else {
            return Ok(Self(None));
        };
        let encoder = SentenceEncoder::open(std::fs::read(file)?)?;
        let embedder = MultilingualEmbedder(Box::new(encoder));
        let mut index = MemoryIndex::new(Analyzer::default());
        let tables: Vec<Table> = tables.iter().map(|table| (**table).clone()).collect();
        index.add_tables(&tables, Some(&embedder))?;
        Ok(Self(Some((index, Box::new(embedder)))))
    }

    /// What the engine proposes.
    pub(crate) fn propose(
        &self,
        understanding: &Understanding,
        tables: &[Arc<Table>],
    ) -> Result<Proposal, Error> {
        let Some((index, embedder)) = &self.0 else {
            return Ok(propose(understanding, tables, &[]));
        };
        let near = |words: &[String]| -> Result<Vec<Vec<NearWord>>, Error> {
            let texts: Vec<&str> = words.iter().map(String::as_str).collect();
            index.near_words(&embedder.embed(&texts, Purpose::Question)?, 20)
        };
        propose_by_near_words(understanding, tables, &[], near)
    }
}
