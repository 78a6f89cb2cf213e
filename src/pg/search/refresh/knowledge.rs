//! Indexes definitions and verified examples.

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::Collection;
use text2sql_domain::schema::Definition;
use text2sql_retrieval::index::document::{self, Document};

use super::run::Refresh;
use super::store::Item;
use crate::pg::search::search_index::{DEFINITIONS, EXAMPLES, SCHEMA};
use crate::pg::server::spi;

const CHANGED: &str = include_str!("../../../../sql/queries/changed_knowledge.sql");

const DEFINITIONS_OF: &str = "SELECT d.id::oid, 0::int8, d.term, d.meaning, d.synonyms FROM text2sql._definitions d WHERE d.id = ANY ($1)";
const EXAMPLES_OF: &str =
    "SELECT e.id::oid, 0::int8, e.question, e.sql, '{}'::text[] FROM text2sql._examples e
     WHERE e.id = ANY ($1) AND e.verified_at IS NOT NULL";

/// Items stored between two commits.
pub(super) const PER_BATCH: usize = 250;

/// A row that differs from what the index holds.
struct Changed {
    id: u32,
    /// `None` when it was removed.
    fingerprint: Option<i64>,
    first: String,
    second: String,
    others: Vec<String>,
}

impl Refresh {
    /// Stores every definition or example that changed, or only the one of that id; returns their number.
    pub(super) fn knowledge(&self, collection: char, only: Option<i64>) -> Result<usize, Error> {
        let arguments = [collection.to_string().into(), only.into()];
        let changed = self.as_owner(|| spi::execute(CHANGED, &arguments, read_changed))?;
        if !changed.is_empty() {
            self.start()?;
        }
        let mut stored = 0;
        for batch in changed.chunks(PER_BATCH) {
            let mut items: Vec<Item> = batch
                .iter()
                .map(|row| Item {
                    item: row.id,
                    fingerprint: row.fingerprint.unwrap_or_default(),
                    is_public: false,
                    document: row.fingerprint.map(|_| self.document(collection, row)),
                    vectors: Vec::new(),
                })
                .collect();
            stored += items.iter().filter(|item| item.document.is_some()).count();
            self.embed(collection_of(collection), &mut items, Vec::new())?;
            self.as_owner(|| self.store(collection, items))?;
            self.commit()?;
            self.progress.tell(
                stored,
                changed.len(),
                match collection {
                    DEFINITIONS => "definitions indexed",
                    _ => "examples indexed",
                },
            );
        }
        Ok(stored)
    }

    /// The documents of definitions or examples, by id.
    pub(super) fn documents_of(
        &self,
        collection: char,
        ids: &[u32],
    ) -> Result<Vec<(u32, Document)>, Error> {
        let sql = match collection {
            DEFINITIONS => DEFINITIONS_OF,
            _ => EXAMPLES_OF,
        };
        let ids: Vec<i64> = ids.iter().map(|id| i64::from(*id)).collect();
        let rows = self.as_owner(|| spi::read_rows(sql, &[ids.into()], 0, read_changed))?;
        let documents = rows.iter();
        Ok(documents
            .map(|row| (row.id, self.document(collection, row)))
            .collect())
    }

    fn document(&self, collection: char, row: &Changed) -> Document {
        if collection == EXAMPLES {
            return document::of_example(&row.first, &row.second, &self.analyzer);
        }
        let definition = Definition {
            term: row.first.clone(),
            meaning: row.second.clone(),
            synonyms: row.others.clone(),
            ..Definition::default()
        };
        document::of_definition(&definition, &self.analyzer)
    }
}

/// The collection of that name.
pub(super) fn collection_of(name: char) -> Collection {
    match name {
        SCHEMA => Collection::Schema,
        DEFINITIONS => Collection::Definitions,
        _ => Collection::Examples,
    }
}

fn read_changed(row: &spi::Row) -> Result<Changed, Error> {
    Ok(Changed {
        id: row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
        fingerprint: row.read(2)?,
        first: row.read(3)?.unwrap_or_default(),
        second: row.read(4)?.unwrap_or_default(),
        others: row.read(5)?.unwrap_or_default(),
    })
}
