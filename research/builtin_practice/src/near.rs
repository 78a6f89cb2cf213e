//! The built-in engine with what it may look up: stored values, and words of the tables for words that they do not
//! have.

use std::cell::RefCell;
use std::error::Error as StdError;
use std::sync::Arc;

use port_contracts::memory_index::MemoryIndex;
use postgres::Client;
use text2sql_builtin::{Help, Helped, propose_with_help};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{NearWord, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_sentence_encoder::SentenceEncoder;
use text2sql_sentence_encoder::embedder::MultilingualEmbedder;

use crate::questions;

/// What the engine may look up in a database.
pub(crate) struct NearWords {
    client: RefCell<Client>,
    /// The index of the tables with its embedder, or nothing.
    index: Option<(MemoryIndex, Box<dyn Embedder>)>,
}

impl NearWords {
    /// Connects to the database, and indexes its tables with the encoder of that file.
    pub(crate) fn of(
        database: &str,
        tables: &[Arc<Table>],
        file: Option<&str>,
    ) -> Result<Self, Box<dyn StdError>> {
        let client = RefCell::new(questions::connect(database)?);
        let Some(file) = file else {
            return Ok(Self {
                client,
                index: None,
            });
        };
        let encoder = SentenceEncoder::open(std::fs::read(file)?)?;
        let embedder = MultilingualEmbedder(Box::new(encoder));
        let mut index = MemoryIndex::new(Analyzer::default());
        let tables: Vec<Table> = tables.iter().map(|table| (**table).clone()).collect();
        index.add_tables(&tables, Some(&embedder))?;
        Ok(Self {
            client,
            index: Some((index, Box::new(embedder))),
        })
    }

    /// What the engine proposes.
    pub(crate) fn propose(
        &self,
        understanding: &Understanding,
        tables: &[Arc<Table>],
    ) -> Result<Proposal, Error> {
        Ok(self.propose_or_offer(understanding, tables)?.proposal)
    }

    /// What the engine proposes, and offers where it declines.
    pub(crate) fn propose_or_offer(
        &self,
        understanding: &Understanding,
        tables: &[Arc<Table>],
    ) -> Result<Helped, Error> {
        propose_with_help(understanding, tables, &[], self)
    }
}

impl Help for NearWords {
    fn near_words(&self, words: &[String], _: &[String]) -> Result<Vec<Vec<NearWord>>, Error> {
        let Some((index, embedder)) = &self.index else {
            return Ok(vec![Vec::new(); words.len()]);
        };
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        index.near_words(&embedder.embed(&texts, Purpose::Question)?, 20)
    }

    fn stored_values(&self, sql: &str) -> Result<Vec<(usize, String)>, Error> {
        let rows = self.client.borrow_mut().query(sql, &[]);
        let rows = rows.unwrap_or_default().into_iter().filter_map(|row| {
            let place: i32 = row.try_get(0).ok()?;
            Some((usize::try_from(place).ok()?, row.try_get(1).ok()?))
        });
        Ok(rows.collect())
    }
}
