//! The catalog as the role sees it that will run the query.

use std::sync::Arc;

use text2sql_core::error::Error;
use text2sql_core::ports::Catalog;
use text2sql_core::schema::{Definition, Table};

use super::SpiCatalog;
use crate::pg::database::GuardedDatabase;
use crate::pg::role::{Reader, as_reader};
use crate::pg::spi;
use crate::pg::teaching::glossary;

const NAMED_TABLES: &str = include_str!("../../../sql/named_tables.sql");

/// Most relations of the same few names that are looked at.
const MOST_NAMED: i64 = 100;

/// Reads the catalog with the privileges of the reader, who differs from the caller only when that
/// is a superuser.
pub(crate) struct ReaderCatalog {
    reader: Reader,
}

impl ReaderCatalog {
    /// The catalog as `reader` sees it.
    pub(crate) fn new(reader: Reader) -> Self {
        Self { reader }
    }

    /// Relations that have one of these names, in any schema.
    pub(crate) fn find_named(&self, names: Vec<String>) -> Result<Vec<u32>, Error> {
        as_reader(&self.reader, || {
            spi::read_json(NAMED_TABLES, &[names.into(), MOST_NAMED.into()])
        })
    }
}

impl Catalog for ReaderCatalog {
    fn count(&self, at_most: usize) -> Result<usize, Error> {
        as_reader(&self.reader, || SpiCatalog.count(at_most))
    }

    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error> {
        as_reader(&self.reader, || SpiCatalog.find(words, limit))
    }

    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        as_reader(&self.reader, || SpiCatalog.describe(oids))
    }

    fn definitions(&self, question: &str) -> Result<Vec<Definition>, Error> {
        glossary::definitions_for(question, &GuardedDatabase::new(false)?)
    }

    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error> {
        as_reader(&self.reader, || SpiCatalog.find_forbidden(words, limit))
    }
}
