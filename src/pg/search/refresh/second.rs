//! The vectors of a second embedder, beside those of the index: made of the same texts by `refresh()`, kept up
//! to date by `refresh()` and by the background worker, removed by `forget('vectors', …)`.
//!
//! The transaction that stores an item of the index anew also removes its vectors here, so that an item has
//! vectors of its present text or none. What is missing is found by comparing the tables, so that an interrupted call
//! is continued by the next one. Sessions use the vectors from the end of the first complete call on.

use std::fmt;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::object_name;
use text2sql_domain::schema::quote_literal;
use text2sql_language::english::counted;
use text2sql_language::names::name_reader::NameReader;
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::index::document::Document;

use super::knowledge::{self, collection_of};
use super::locks::Lock;
use super::run::{Refresh, Way};
use super::store::Item;
use super::vectors::create_index_if_due;
use super::writing::{drop_second, owner_of_index, refuse_where_nothing_can_be_written};
use super::{tables, words};
use crate::pg::search::documents;
use crate::pg::search::search_index::embedder::{self, build_vectors};
use crate::pg::search::search_index::{
    self, DEFINITIONS, EXAMPLES, SCHEMA, VectorSet, second_embedder,
};
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;

const START: &str =
    "INSERT INTO text2sql._second_embedder (model, embedder, dimensions, started_at)
     VALUES ($1, $2, $3, clock_timestamp())";
/// Also notifies the sessions, which cache what they found.
const FINISH: &str =
    "UPDATE text2sql._second_embedder SET built_at = coalesce(built_at, clock_timestamp())";
const TOUCH: &str = "UPDATE text2sql._second_embedder SET model = model WHERE built_at IS NOT NULL";
const WAITING: &str = "SELECT d.item, d.fingerprint FROM text2sql._index_documents d
     WHERE d.collection = $1::\"char\" AND d.item > coalesce($2, 0::oid) AND d.is_embedded
       AND NOT EXISTS (SELECT FROM text2sql._second_documents s WHERE s.collection = d.collection AND s.item = d.item)
     ORDER BY d.item LIMIT $3";
const COUNT_TABLES: &str = "SELECT count(*) FROM text2sql._index_documents d
     WHERE d.collection = 's' AND d.is_embedded
       AND NOT EXISTS (SELECT FROM text2sql._second_documents s WHERE s.collection = d.collection AND s.item = d.item)";
/// No row where the item has changed since its text was read.
const MARK: &str = "INSERT INTO text2sql._second_documents (collection, item)
     SELECT d.collection, d.item FROM text2sql._index_documents d
     WHERE d.collection = $1::\"char\" AND d.item = $2 AND d.fingerprint = $3
     ON CONFLICT DO NOTHING RETURNING true";
const ADD_VECTOR: &str = "INSERT INTO text2sql._second_vectors (collection, item, unit, embedding)
     VALUES ($1::\"char\", $2, $3, $4)";
const WAITING_WORDS: &str = "SELECT w.word, w.written FROM text2sql._index_words w
     WHERE w.word > $1 AND NOT EXISTS (SELECT FROM text2sql._second_words s WHERE s.word = w.word)
     ORDER BY w.word LIMIT $2";
const ADD_WORD: &str = "INSERT INTO text2sql._second_words (word, embedding)
     SELECT w.word, $2 FROM text2sql._index_words w WHERE w.word = $1 ON CONFLICT (word) DO NOTHING";
const FORGET_LOST_WORDS: &str = "DELETE FROM text2sql._second_words s
     WHERE NOT EXISTS (SELECT FROM text2sql._index_words w WHERE w.word = s.word)";
const COUNT_WORDS: &str = "SELECT count(*) FROM text2sql._second_words";

/// How an embedder is named.
const NAMES: &str = "Name 'hash', 'multilingual', 'local' or a model of protocol 'embeddings': another one than the index has.";

/// What a run has made vectors of.
#[derive(Default)]
struct Made {
    tables: usize,
    definitions: usize,
    examples: usize,
    words: usize,
    passages: usize,
}

impl Made {
    fn is_any(&self) -> bool {
        self.tables + self.definitions + self.examples + self.words + self.passages > 0
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            counted(self.tables, "table", "tables"),
            counted(self.definitions, "definition", "definitions"),
            counted(self.examples, "example", "examples"),
            counted(self.words, "word", "words"),
            counted(self.passages, "passage", "passages"),
        ];
        f.write_str(&parts.join(", "))
    }
}

/// Makes the vectors of a second embedder, or those that are missing.
pub(crate) fn build(model: &str) -> Result<(), Error> {
    refuse_where_nothing_can_be_written("refresh()")?;
    if !embedder::can_be_second(model) {
        return Err(
            failure!(Setting, "\"{model}\" is not the name of an embedder").with_hint(NAMES),
        );
    }
    let owner = owner_of_index()?;
    spi::with_commits(|| {
        let _only_caller = Lock::Caller.hold();
        let _no_worker = Lock::Workers.hold();
        let state = with_role(&owner, search_index::read_state_row)?;
        let Some(state) = state.filter(|state| state.has_form) else {
            return Err(failure!(Setup, "there is no search index for the vectors")
                .with_hint("Build it first: CALL text2sql.refresh();"));
        };
        let analyzer = Analyzer::new(&state.language);
        let embedder = embedder::named_by_call(model, &analyzer)?;
        let run = Refresh::with(Way::Called, owner, owner, analyzer, embedder);
        run.lock()?;
        run.begin_second(model, &state.embedder)?;
        let made = run.make_second()?;
        pgrx::notice!("text2sql: vectors of \"{model}\" made: {made}");
        Ok(())
    })
}

/// Removes the vectors of the second embedder.
pub(crate) fn drop_vectors(model: &str) -> Result<(), Error> {
    refuse_where_nothing_can_be_written("forget('vectors', …)")?;
    let owner = owner_of_index()?;
    // The locks keep others from making vectors meanwhile; a worker gives way.
    Lock::Caller.take();
    Lock::Writer.take();
    with_role(&owner, || {
        let stored = second_embedder()?;
        match stored {
            Some(stored) if stored.model == model => drop_second(),
            stored => {
                let error = failure!(
                    Undefined,
                    "there are no vectors of a second embedder \"{model}\""
                );
                Err(match stored {
                    Some(stored) => {
                        let name = quote_literal(&stored.model);
                        error.with_hint(format!("There are those of another one: SELECT text2sql.forget('vectors', {name});"))
                    }
                    None => error.with_hint("SELECT * FROM text2sql.status() shows whether there are any, as second embedder."),
                })
            }
        }
    })
}

impl Refresh {
    /// Brings the vectors of the second embedder up to date, if there is one. A worker sends nothing to an endpoint for
    /// it, and what the second embedder cannot do is no failure of the index: `status()` says how many are missing.
    pub(super) fn update_second(&self) -> Result<(), Error> {
        let stored = self.as_owner(second_embedder)?;
        let Some(stored) = stored.filter(|stored| stored.is_built) else {
            return Ok(());
        };
        let tell = |reason: &str| {
            if self.has_caller() {
                pgrx::warning!(
                    "text2sql: the vectors of \"{}\" are not up to date: {reason}",
                    stored.model
                );
            }
        };
        let embedder = match embedder::named(&stored.model, &self.analyzer) {
            Ok(embedder) if embedder.name() == stored.embedder => embedder,
            Ok(_) => {
                tell(&format!(
                    "it makes other vectors now; {}",
                    build_vectors(&stored.model)
                ));
                return Ok(());
            }
            Err(error) => {
                tell(error.message());
                return Ok(());
            }
        };
        if self.way == Way::Worker && embedder.endpoint().is_some() {
            return Ok(());
        }
        let analyzer = Analyzer::new(self.analyzer.language());
        let second = Self::with(self.way, self.owner, self.reader, analyzer, embedder);
        second
            .dimensions
            .set(usize::try_from(stored.dimensions).unwrap_or(0));
        match second.make_second() {
            Err(error) if self.has_caller() && error.kind() != ErrorKind::Cancelled => {
                tell(error.message());
                Ok(())
            }
            outcome => outcome.map(drop),
        }
    }

    /// Compares what is stored with this embedder, and stores it. `of_index` made the vectors of the index.
    fn begin_second(&self, model: &str, of_index: &str) -> Result<(), Error> {
        let name = self.embedder.name();
        if name == of_index {
            return Err(failure!(
                Setting,
                "the vectors of the search index are those of \"{model}\" already"
            )
            .with_hint(NAMES));
        }
        let stored = self.as_owner(second_embedder)?;
        if let Some(stored) = stored.as_ref().filter(|stored| stored.model != model) {
            let drop = format!(
                "SELECT text2sql.forget('vectors', {});",
                quote_literal(&stored.model)
            );
            return Err(failure!(
                Setup,
                "the search index has vectors of a second embedder already, \"{}\"",
                stored.model
            )
            .with_detail("It keeps those of one embedder beside its own.")
            .with_hint(drop));
        }
        let dimensions = self.length()?;
        self.dimensions.set(dimensions);
        let dimensions = i32::try_from(dimensions).unwrap_or(0);
        let is_same = stored
            .as_ref()
            .is_some_and(|stored| stored.embedder == name && stored.dimensions == dimensions);
        if !is_same {
            self.as_owner(|| {
                if stored.is_some() {
                    drop_second()?;
                }
                let arguments = [model.into(), name.into(), dimensions.into()];
                spi::write(START, &arguments, |_| Ok(()))
            })?;
        }
        self.commit()
    }

    /// Makes all vectors that are missing, commit by commit.
    fn make_second(&self) -> Result<Made, Error> {
        let made = Made {
            tables: self.second_tables()?,
            definitions: self.second_knowledge(DEFINITIONS)?,
            examples: self.second_knowledge(EXAMPLES)?,
            words: self.second_words()?,
            passages: self.second_passages()?,
        };
        let is_new = !self
            .as_owner(second_embedder)?
            .is_some_and(|stored| stored.is_built);
        if made.is_any() || is_new {
            let dimensions = i32::try_from(self.dimensions.get()).unwrap_or(0);
            self.build_vector_indexes(VectorSet::Second, dimensions)?;
            self.as_owner(|| {
                let count: i64 = spi::read_one(COUNT_WORDS, &[])?.unwrap_or_default();
                let table = VectorSet::Second.words();
                // The column is not null: PostgreSQL 17 and newer drop that from a query, and a condition would not match.
                create_index_if_due(table, &format!("{table}_hnsw"), "true", dimensions, count)?;
                documents::build_index(VectorSet::Second, dimensions)?;
                spi::write(FINISH, &[], |_| Ok(()))
            })?;
            self.commit()?;
        }
        Ok(made)
    }

    fn second_tables(&self) -> Result<usize, Error> {
        let per_batch = self.tables_per_batch();
        let total: i64 = self
            .as_owner(|| spi::read_one(COUNT_TABLES, &[]))?
            .unwrap_or(0);
        let total = usize::try_from(total).unwrap_or(0);
        let mut vocabulary: Option<Vocabulary> = None;
        let (mut after, mut count) = (Oid::INVALID, 0);
        loop {
            let waiting = self.waiting(SCHEMA, after, per_batch)?;
            let Some((last, _)) = waiting.last() else {
                return Ok(count);
            };
            after = Oid::from(*last);
            let vocabulary = match &mut vocabulary {
                Some(known) => known,
                unknown => unknown.insert(self.vocabulary()?),
            };
            let reader = NameReader::new(vocabulary, &self.analyzer);
            let oids = waiting.iter().map(|(item, _)| Oid::from(*item)).collect();
            let tables = self.as_owner(|| tables::described(oids))?;
            let (mut items, mut names) = (Vec::with_capacity(tables.len()), Vec::new());
            for mut table in tables {
                let document = self.document_of(&mut table, &reader)?;
                if !document.texts.is_empty() {
                    names.push(object_name::join(&[&table.schema, &table.name]));
                }
                items.extend(item_of(&waiting, table.oid, document));
            }
            count += self.store_second(SCHEMA, items, names)?;
            self.progress.tell(count, total, "tables embedded");
        }
    }

    fn second_knowledge(&self, collection: char) -> Result<usize, Error> {
        let (mut after, mut count) = (Oid::INVALID, 0);
        loop {
            let waiting = self.waiting(collection, after, knowledge::PER_BATCH)?;
            let Some((last, _)) = waiting.last() else {
                return Ok(count);
            };
            after = Oid::from(*last);
            let ids: Vec<u32> = waiting.iter().map(|(item, _)| *item).collect();
            let documents = self.documents_of(collection, &ids)?.into_iter();
            let items = documents.filter_map(|(id, document)| item_of(&waiting, id, document));
            count += self.store_second(collection, items.collect(), Vec::new())?;
        }
    }

    /// The next items without vectors, with their fingerprints.
    fn waiting(
        &self,
        collection: char,
        after: Oid,
        at_most: usize,
    ) -> Result<Vec<(u32, i64)>, Error> {
        let limit = i64::try_from(at_most).unwrap_or(i64::MAX);
        let arguments = [collection.to_string().into(), after.into(), limit.into()];
        self.as_owner(|| {
            spi::read_rows(WAITING, &arguments, 0, |row| {
                Ok((
                    row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
                    row.read::<i64>(2)?.unwrap_or_default(),
                ))
            })
        })
    }

    /// Embeds items and stores their vectors, of those that have not changed meanwhile; returns their number. `names`
    /// are those of tables.
    fn store_second(
        &self,
        collection: char,
        mut items: Vec<Item>,
        names: Vec<String>,
    ) -> Result<usize, Error> {
        self.embed(collection_of(collection), &mut items, names)?;
        let count = self.as_owner(|| {
            let mut count = 0;
            for item in &items {
                let name = collection.to_string();
                let arguments = [
                    name.as_str().into(),
                    Oid::from(item.item).into(),
                    item.fingerprint.into(),
                ];
                if spi::write(MARK, &arguments, |_| Ok(()))?.is_empty() {
                    continue;
                }
                count += 1;
                for (unit, vector) in &item.vectors {
                    let arguments = [
                        name.as_str().into(),
                        Oid::from(item.item).into(),
                        (*unit).into(),
                        vector.clone().into(),
                    ];
                    spi::write(ADD_VECTOR, &arguments, |_| Ok(()))?;
                }
            }
            spi::write(TOUCH, &[], |_| Ok(()))?;
            Ok::<usize, Error>(count)
        })?;
        self.commit()?;
        Ok(count)
    }

    fn second_words(&self) -> Result<usize, Error> {
        self.as_owner(|| spi::write(FORGET_LOST_WORDS, &[], |_| Ok(())))?;
        let (mut after, mut count) = (String::new(), 0);
        while self.embedder.knows_meaning() {
            let limit = i64::try_from(words::PER_COMMIT).unwrap_or(i64::MAX);
            let arguments = [after.as_str().into(), limit.into()];
            let waiting = self.as_owner(|| {
                spi::read_rows(WAITING_WORDS, &arguments, 0, |row| {
                    Ok((
                        row.read::<String>(1)?.unwrap_or_default(),
                        row.read::<String>(2)?.unwrap_or_default(),
                    ))
                })
            })?;
            let Some((last, _)) = waiting.last() else {
                break;
            };
            after.clone_from(last);
            let vectors = self.vectors_of_words(&waiting)?;
            count += waiting.len();
            self.as_owner(|| {
                for ((word, _), vector) in waiting.iter().zip(vectors) {
                    let arguments = [word.as_str().into(), vector.into()];
                    spi::write(ADD_WORD, &arguments, |_| Ok(()))?;
                }
                spi::write(TOUCH, &[], |_| Ok(()))
            })?;
            self.commit()?;
        }
        Ok(count)
    }

    /// No texts of rows are sent to an endpoint for the index.
    fn second_passages(&self) -> Result<usize, Error> {
        let of_documents = self.embed_documents(VectorSet::Second)?;
        let of_rows = match self.waits() {
            true => 0,
            false => documents::embed_rows(&*self.embedder, &mut || self.commit())?,
        };
        Ok(of_documents + of_rows)
    }
}

/// The item of a document, with the fingerprint that it waits with.
fn item_of(waiting: &[(u32, i64)], item: u32, document: Document) -> Option<Item> {
    let (_, fingerprint) = waiting.iter().find(|(waiting, _)| *waiting == item)?;
    Some(Item {
        item,
        fingerprint: *fingerprint,
        is_public: false,
        document: Some(document),
        vectors: Vec::new(),
    })
}
