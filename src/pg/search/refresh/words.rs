//! The words of the catalog with their vectors, for questions in other words or in another language.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use text2sql_domain::error::Error;
use text2sql_domain::ports::Purpose;
use text2sql_language::terms::fold;
use text2sql_models::providers::embeddings::BATCH;

use super::run::Refresh;
use super::vectors::create_index_if_due;
use crate::pg::search::search_index;
use crate::pg::server::spi;
use crate::pg::stored::record::audit;

const WORDS: &str =
    "SELECT DISTINCT w.word FROM text2sql._index_documents d, unnest(d.words) AS w(word)
     WHERE d.collection = 's'";
const STORED: &str = "SELECT word FROM text2sql._index_words";
const FORGET: &str = "DELETE FROM text2sql._index_words WHERE word = ANY ($1)";
const ADD: &str = "INSERT INTO text2sql._index_words (word, written) SELECT * FROM unnest($1, $2)";
const WITHOUT_VECTOR: &str = "SELECT word, written FROM text2sql._index_words WHERE embedding IS NULL ORDER BY word LIMIT $1";
const SET_VECTOR: &str = "UPDATE text2sql._index_words SET embedding = $2 WHERE word = $1";
const COUNT: &str = "SELECT count(embedding) FROM text2sql._index_words";
/// New words wait in a list that every search by trigrams reads from end to end.
const MERGE_PENDING: &str = "SELECT gin_clean_pending_list('text2sql._index_words_word_idx')";
const ANALYZE: &str = "ANALYZE text2sql._index_words (word)";

/// Words embedded between two commits.
pub(super) const PER_COMMIT: usize = 500;

impl Refresh {
    /// Adds the words that are new in the documents of tables, removes those that no document has any more,
    /// and embeds those without a vector, if the embedder knows meaning. Only what differs is written.
    pub(super) fn words(&self) -> Result<(), Error> {
        let changed = self.as_owner(update)?;
        if changed > 0 {
            self.touch()?;
        }
        self.commit()?;
        let mut embedded = 0;
        if self.embedder.knows_meaning() {
            loop {
                match self.embed_words()? {
                    0 => break,
                    count => embedded += count,
                }
            }
        }
        if changed + embedded > 0 {
            self.as_owner(|| {
                build_index()?;
                spi::execute(MERGE_PENDING, &[], |_| Ok(()))?;
                spi::execute(ANALYZE, &[], |_| Ok(()))
            })?;
            self.commit()?;
        }
        Ok(())
    }

    /// Embeds the next words without a vector and commits; returns their number. No lock or snapshot is held
    /// during calls of a remote embedder.
    fn embed_words(&self) -> Result<usize, Error> {
        let limit = i64::try_from(PER_COMMIT).unwrap_or(i64::MAX);
        let words = self.as_owner(|| {
            spi::read_rows(WITHOUT_VECTOR, &[limit.into()], 0, |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<String>(2)?.unwrap_or_default(),
                ))
            })
        })?;
        let vectors = self.vectors_of_words(&words)?;
        self.as_owner(|| {
            for ((word, _), vector) in words.iter().zip(vectors) {
                let arguments = [word.as_str().into(), vector.into()];
                spi::write(SET_VECTOR, &arguments, |_| Ok(()))?;
            }
            Ok::<(), Error>(())
        })?;
        if !words.is_empty() {
            self.touch()?;
        }
        self.commit()?;
        Ok(words.len())
    }
}

impl Refresh {
    /// The vectors of words with their written forms. No lock or snapshot is held during calls of a remote embedder.
    pub(super) fn vectors_of_words(
        &self,
        words: &[(String, String)],
    ) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(words.len());
        for batch in words.chunks(BATCH) {
            if self.waits() {
                self.commit()?;
            }
            pgrx::check_for_interrupts!();
            let texts: Vec<&str> = batch.iter().map(|(_, written)| written.as_str()).collect();
            let start = Instant::now();
            let made = audit::with_trace(self.trace_id, || {
                self.embedder.embed(&texts, Purpose::Document)
            })?;
            self.refuse_other_length(&made)?;
            if let Some(endpoint) = self.embedder.endpoint() {
                let usage = self.embedder.usage();
                self.record_egress(endpoint, &texts, Vec::new(), start.elapsed(), usage)?;
            }
            vectors.extend(made);
        }
        Ok(vectors)
    }
}

/// Adds and removes words; returns how many.
fn update() -> Result<usize, Error> {
    let word = |row: &spi::Row| Ok(row.read::<String>(1)?.unwrap_or_default());
    let mut wanted: BTreeMap<String, String> = BTreeMap::new();
    for written in spi::read_rows(WORDS, &[], 0, word)? {
        let entry = wanted
            .entry(fold(&written))
            .or_insert_with(|| written.clone());
        // Keeps the spelling with accents, so that the result does not depend on the order of the rows.
        if written > *entry {
            *entry = written;
        }
    }
    let stored: HashSet<String> = spi::read_rows(STORED, &[], 0, word)?.into_iter().collect();
    let gone: Vec<String> = stored
        .iter()
        .filter(|word| !wanted.contains_key(*word))
        .cloned()
        .collect();
    wanted.retain(|word, _| !stored.contains(word));
    let changed = gone.len() + wanted.len();
    if !gone.is_empty() {
        spi::write(FORGET, &[gone.into()], |_| Ok(()))?;
    }
    if !wanted.is_empty() {
        let (words, written): (Vec<String>, Vec<String>) = wanted.into_iter().unzip();
        spi::write(ADD, &[words.into(), written.into()], |_| Ok(()))?;
    }
    Ok(changed)
}

/// Creates the vector index over the words, where there are enough of them.
fn build_index() -> Result<(), Error> {
    let dimensions = search_index::read_state_row()?.map_or(0, |state| state.dimensions);
    let count: i64 = spi::read_one(COUNT, &[])?.unwrap_or_default();
    create_index_if_due(
        "_index_words",
        "_index_words_hnsw",
        "embedding IS NOT NULL",
        dimensions,
        count,
    )
}
