//! Writes documents into the index: postings, vectors, joins, families and totals.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::search_index::{Collection, JoinSource, Totals};
use text2sql_domain::ports::{Purpose, is_embedded};
use text2sql_models::providers::embeddings::BATCH;
use text2sql_retrieval::index::document::Document;
use text2sql_retrieval::index::postings::{segment_of, splice_all};

use super::run::Refresh;
use crate::pg::search::search_index::{SCHEMA, totals_of, totals_to};
use crate::pg::server::spi;
use crate::pg::stored::record::audit;

const OLD_DOCUMENTS: &str = "SELECT item, terms, totals FROM text2sql._index_documents
     WHERE collection = $1::\"char\" AND item = ANY ($2)";
const FORGET_DOCUMENTS: &str =
    "DELETE FROM text2sql._index_documents WHERE collection = $1::\"char\" AND item = ANY ($2)";
const FORGET_VECTORS: &str =
    "DELETE FROM text2sql._index_vectors WHERE collection = $1::\"char\" AND item = ANY ($2)";
const FORGET_SECOND: &str =
    "DELETE FROM text2sql._second_documents WHERE collection = $1::\"char\" AND item = ANY ($2)";
const FORGET_SECOND_VECTORS: &str =
    "DELETE FROM text2sql._second_vectors WHERE collection = $1::\"char\" AND item = ANY ($2)";
const FORGET_JOINS: &str = "DELETE FROM text2sql._index_joins WHERE from_table = ANY ($1)";
const FORGET_FAMILIES: &str = "DELETE FROM text2sql._index_families WHERE item = ANY ($1)";
const ADD_DOCUMENT: &str = "INSERT INTO text2sql._index_documents
     (collection, item, fingerprint, is_public, terms, words, totals, is_embedded)
     VALUES ($1::\"char\", $2, $3, $4, $5, $6, $7, true)";
const ADD_VECTOR: &str = "INSERT INTO text2sql._index_vectors (collection, item, unit, embedding)
     VALUES ($1::\"char\", $2, $3, $4)";
const ADD_JOIN: &str =
    "INSERT INTO text2sql._index_joins (from_table, from_columns, to_table, to_columns, certainty)
     VALUES ($1, $2, $3, $4, $5)";
const ADD_FAMILIES: &str = "INSERT INTO text2sql._index_families (key, item, part)
     SELECT * FROM unnest($1, $2, $3)";
const READ_POSTINGS: &str = "SELECT term, segment, bytes FROM text2sql._index_postings
     WHERE collection = $1::\"char\" AND term = ANY ($2) AND segment = ANY ($3)";
const WRITE_POSTING: &str =
    "INSERT INTO text2sql._index_postings (collection, term, segment, bytes)
     VALUES ($1::\"char\", $2, $3, $4)
     ON CONFLICT (term, collection, segment) DO UPDATE SET bytes = excluded.bytes";
const FORGET_POSTING: &str = "DELETE FROM text2sql._index_postings
     WHERE collection = $1::\"char\" AND term = $2 AND segment = $3";
const READ_TOTALS: &str =
    "SELECT totals FROM text2sql._index_totals WHERE collection = $1::\"char\"";
const WRITE_TOTALS: &str =
    "INSERT INTO text2sql._index_totals (collection, totals) VALUES ($1::\"char\", $2)
     ON CONFLICT (collection) DO UPDATE SET totals = excluded.totals";

/// An item to store or remove.
pub(super) struct Item {
    pub(super) item: u32,
    pub(super) fingerprint: i64,
    pub(super) is_public: bool,
    /// `None` removes it.
    pub(super) document: Option<Document>,
    /// One for each embedded text of the document, with its unit.
    pub(super) vectors: Vec<(i16, Vec<f32>)>,
}

impl Item {
    /// An item that no longer exists.
    pub(super) fn gone(item: u32) -> Self {
        Self {
            item,
            fingerprint: 0,
            is_public: false,
            document: None,
            vectors: Vec::new(),
        }
    }
}

/// The changed postings of one term in one segment: by item, `None` removes it.
type SegmentChanges = BTreeMap<u32, Option<Vec<u8>>>;

impl Refresh {
    /// Computes the vectors of items, which name the tables. No snapshot or lock is held during calls of a
    /// remote embedder.
    pub(super) fn embed(
        &self,
        collection: Collection,
        items: &mut [Item],
        tables: Vec<String>,
    ) -> Result<(), Error> {
        let is_wanted = |unit: i16| is_embedded(&*self.embedder, collection, unit);
        let mut texts: Vec<&str> = Vec::new();
        let mut places: Vec<(usize, i16)> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let document = item.document.iter().flat_map(|document| &document.texts);
            for (unit, text) in document.filter(|(unit, _)| is_wanted(*unit)) {
                texts.push(text);
                places.push((at, *unit));
            }
        }
        if texts.is_empty() {
            return Ok(());
        }
        let waits = self.waits();
        let mut vectors = Vec::with_capacity(texts.len());
        // Those with a text have a name, in the same order.
        let mut names = tables.iter();
        let has_text = |item: &Item| {
            item.document
                .iter()
                .any(|document| !document.texts.is_empty())
        };
        let names: Vec<Option<&String>> = items
            .iter()
            .map(|item| if has_text(item) { names.next() } else { None })
            .collect();
        let tables_of = |places: &[(usize, i16)]| {
            let mut items: Vec<usize> = places.iter().map(|(item, _)| *item).collect();
            items.dedup();
            let named = items.into_iter().filter_map(|item| *names.get(item)?);
            named.cloned().collect::<Vec<String>>()
        };
        // One record for each request, like the lines in the server log.
        for (batch, places) in texts.chunks(BATCH).zip(places.chunks(BATCH)) {
            if waits {
                self.commit()?;
            }
            let start = Instant::now();
            let made = audit::with_trace(self.trace_id, || {
                self.embedder.embed(batch, Purpose::Document)
            })?;
            vectors.extend(made);
            if let Some(endpoint) = self.embedder.endpoint() {
                let usage = self.embedder.usage();
                self.record_egress(endpoint, batch, tables_of(places), start.elapsed(), usage)?;
            }
        }
        self.refuse_other_length(&vectors)?;
        for ((at, unit), vector) in places.into_iter().zip(vectors) {
            if let Some(item) = items.get_mut(at) {
                item.vectors.push((unit, vector));
            }
        }
        Ok(())
    }

    /// An error if one of the vectors has another length than those of the index.
    pub(super) fn refuse_other_length(&self, vectors: &[Vec<f32>]) -> Result<(), Error> {
        if let Some(odd) = vectors
            .iter()
            .find(|vector| vector.len() != self.dimensions.get())
        {
            let (given, expected) = (odd.len(), self.dimensions.get());
            return Err(failure!(
                ModelReply,
                "the embedding model returned a vector of {given} dimensions, expected {expected}"
            )
            .with_hint(
                "CALL text2sql.refresh() again; it compares the model with the index first.",
            ));
        }
        Ok(())
    }

    /// Stores the items, replacing their earlier content. Runs as the owner of the index.
    pub(super) fn store(&self, collection: char, mut items: Vec<Item>) -> Result<(), Error> {
        let name = collection.to_string();
        let oids: Vec<Oid> = items.iter().map(|item| Oid::from(item.item)).collect();
        let mut changes: HashMap<(String, i64), SegmentChanges> = HashMap::new();
        let old = spi::read_rows(
            OLD_DOCUMENTS,
            &[name.as_str().into(), oids.clone().into()],
            0,
            read_old,
        )?;
        let mut totals = self.totals(&name)?;
        for (item, terms, counted) in old {
            subtract(&mut totals, counted);
            for term in terms {
                let segment = changes.entry((term, i64::from(segment_of(item))));
                segment.or_default().insert(item, None);
            }
        }
        for statement in [
            FORGET_DOCUMENTS,
            FORGET_VECTORS,
            FORGET_SECOND,
            FORGET_SECOND_VECTORS,
        ] {
            let arguments = [name.as_str().into(), oids.clone().into()];
            spi::write(statement, &arguments, |_| Ok(()))?;
        }
        if collection == SCHEMA {
            for statement in [FORGET_JOINS, FORGET_FAMILIES] {
                spi::write(statement, &[oids.clone().into()], |_| Ok(()))?;
            }
        }
        for item in &mut items {
            let Some(document) = &mut item.document else {
                continue;
            };
            let mut terms = Vec::with_capacity(document.postings.len());
            for (term, packed) in std::mem::take(&mut document.postings) {
                terms.push(term.clone());
                let segment = changes.entry((term, i64::from(segment_of(item.item))));
                segment.or_default().insert(item.item, Some(packed));
            }
            totals.add(document.totals);
            spi::write(
                ADD_DOCUMENT,
                &[
                    name.as_str().into(),
                    Oid::from(item.item).into(),
                    item.fingerprint.into(),
                    item.is_public.into(),
                    terms.into(),
                    std::mem::take(&mut document.words).into(),
                    totals_to(document.totals).into(),
                ],
                |_| Ok(()),
            )?;
        }
        write_parts(&name, &items)?;
        write_postings(&name, changes)?;
        let arguments = [name.into(), totals_to(totals).into()];
        spi::write(WRITE_TOTALS, &arguments, |_| Ok(()))?;
        Ok(())
    }

    fn totals(&self, collection: &str) -> Result<Totals, Error> {
        let stored: Option<Vec<i64>> = spi::read_one(READ_TOTALS, &[collection.into()])?;
        Ok(totals_of(&stored.unwrap_or_default()))
    }
}

/// How sure an inferred join is; `None` for one that is declared or taught.
fn certainty(source: JoinSource) -> Option<f32> {
    match source {
        JoinSource::Inferred { percent } => Some(f32::from(percent) / 100.0),
        JoinSource::ForeignKey | JoinSource::Taught => None,
    }
}

/// Vectors, joins and families of the items.
fn write_parts(collection: &str, items: &[Item]) -> Result<(), Error> {
    let (mut keys, mut members, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        for (unit, vector) in &item.vectors {
            let arguments = [
                collection.into(),
                Oid::from(item.item).into(),
                (*unit).into(),
                vector.clone().into(),
            ];
            spi::write(ADD_VECTOR, &arguments, |_| Ok(()))?;
        }
        let Some(document) = &item.document else {
            continue;
        };
        for join in &document.joins {
            let arguments = [
                Oid::from(join.from).into(),
                join.from_columns.clone().into(),
                Oid::from(join.to).into(),
                join.to_columns.clone().into(),
                certainty(join.source).into(),
            ];
            spi::write(ADD_JOIN, &arguments, |_| Ok(()))?;
        }
        for family in &document.families {
            keys.push(family.key);
            members.push(Oid::from(item.item));
            parts.push(family.part.clone());
        }
    }
    if !keys.is_empty() {
        let arguments = [keys.into(), members.into(), parts.into()];
        spi::write(ADD_FAMILIES, &arguments, |_| Ok(()))?;
    }
    Ok(())
}

fn write_postings(
    collection: &str,
    changes: HashMap<(String, i64), SegmentChanges>,
) -> Result<(), Error> {
    let terms: HashSet<String> = changes.keys().map(|(term, _)| term.clone()).collect();
    let segments: HashSet<i64> = changes.keys().map(|(_, segment)| *segment).collect();
    let arguments = [
        collection.into(),
        terms.into_iter().collect::<Vec<_>>().into(),
        segments.into_iter().collect::<Vec<_>>().into(),
    ];
    let stored = spi::read_rows(READ_POSTINGS, &arguments, 0, |row| {
        Ok((
            (
                row.read::<String>(1)?.unwrap_or_default(),
                row.read::<i64>(2)?.unwrap_or_default(),
            ),
            row.read::<Vec<u8>>(3)?.unwrap_or_default(),
        ))
    })?;
    let stored: HashMap<(String, i64), Vec<u8>> = stored.into_iter().collect();
    for ((term, segment), changes) in changes {
        let key = (term, segment);
        let before = stored.get(&key);
        let after = splice_all(before.map_or(&[], Vec::as_slice), &changes);
        if before == Some(&after) {
            continue;
        }
        let (term, segment) = key;
        if after.is_empty() {
            let arguments = [collection.into(), term.into(), segment.into()];
            spi::write(FORGET_POSTING, &arguments, |_| Ok(()))?;
        } else {
            let arguments = [collection.into(), term.into(), segment.into(), after.into()];
            spi::write(WRITE_POSTING, &arguments, |_| Ok(()))?;
        }
    }
    Ok(())
}

fn subtract(totals: &mut Totals, counted: Totals) {
    totals.items = totals.items.saturating_sub(counted.items);
    totals.item_terms = totals.item_terms.saturating_sub(counted.item_terms);
    totals.units = totals.units.saturating_sub(counted.units);
    totals.unit_terms = totals.unit_terms.saturating_sub(counted.unit_terms);
}

fn read_old(row: &spi::Row) -> Result<(u32, Vec<String>, Totals), Error> {
    Ok((
        row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
        row.read(2)?.unwrap_or_default(),
        totals_of(&row.read::<Vec<i64>>(3)?.unwrap_or_default()),
    ))
}
