//! What may be looked up outside the question and the tables.

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{NearWord, ValueHit};

/// What may be looked up outside the question and the tables. Everything returns nothing by default.
pub trait Help {
    /// For each of the words, words of the catalog with similar meaning, best first. `known` are those of the tables
    /// that the engine was given; others are ignored.
    fn near_words(&self, words: &[String], _known: &[String]) -> Result<Vec<Vec<NearWord>>, Error> {
        Ok(vec![Vec::new(); words.len()])
    }

    /// Values of the search index that phrases of the question mean, each with its phrase.
    fn indexed_values(&self) -> &[(String, ValueHit)] {
        &[]
    }

    /// The rows of a query for stored values: a number and a text each. Asked only where the index knows none.
    fn stored_values(&self, _sql: &str) -> Result<Vec<(usize, String)>, Error> {
        Ok(Vec::new())
    }

    /// Whether any of the words names a table that the caller may not read: then it is not read as another one.
    fn is_forbidden(&self, _words: &[String]) -> Result<bool, Error> {
        Ok(false)
    }
}

/// No help.
#[derive(Debug, Clone, Copy)]
pub struct NoHelp;

impl Help for NoHelp {}
