//! The words of the catalog that are near in meaning or similar in spelling.
//!
//! They come from all tables, so that nothing here may be shown as it is: see
//! [`SearchIndex::near_words`](text2sql_domain::ports::search_index::SearchIndex::near_words).

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::NearWord;

use super::joins::most;
use super::nearest_vectors::available;
use super::remembered::{Search, with_remembered};
use super::storage::{can_be_indexed, distance_sql, trigram_schema, vector_schema};
use super::values::NEAR_SETTINGS;
use super::vector_set::VectorSet;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const INDEX: &str = "SELECT to_regclass($1)::oid";

/// A dozen words are wanted, not the hundred units of a search for tables.
const FEW: &[(&CStr, &CStr)] = &[(c"hnsw.ef_search", c"40")];

/// A query whose text depends on where the required extensions are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Query {
    /// By vectors of a length, through the index or through all of them.
    Near(VectorSet, String, i32, bool),
    /// By trigrams.
    Similar(String),
}

thread_local! {
    static QUERIES: RefCell<HashMap<Query, &'static str>> = RefCell::new(HashMap::new());
}

/// The words nearest to each vector.
pub(super) fn near(
    owner: &EffectiveRole,
    set: VectorSet,
    vectors: &[Vec<f32>],
    at_most: usize,
) -> Result<Vec<Vec<NearWord>>, Error> {
    let searches = vectors
        .iter()
        .map(|vector| Search::Meaning(Search::bits(vector), at_most));
    with_remembered(searches.collect(), |new| {
        let vectors = new.iter().filter_map(|place| vectors.get(*place));
        with_role(owner, || nearest(set, vectors, at_most))
    })
}

/// The words with the spelling most similar to each word.
pub(super) fn similar(
    owner: &EffectiveRole,
    words: &[String],
    at_most: usize,
) -> Result<Vec<Vec<NearWord>>, Error> {
    let searches = words
        .iter()
        .map(|word| Search::Spelling(word.clone(), at_most));
    with_remembered(searches.collect(), |new| {
        let words = new.iter().filter_map(|place| words.get(*place)).cloned();
        with_role(owner, || spelled_alike(words.collect(), at_most))
    })
}

/// The words nearest to each vector, from the index. As its owner.
fn nearest<'v>(
    set: VectorSet,
    vectors: impl Iterator<Item = &'v Vec<f32>>,
    at_most: usize,
) -> Result<Vec<Vec<NearWord>>, Error> {
    let stored = set.dimensions()?;
    let schema = vector_schema()?;
    let index = format!("text2sql.{}_hnsw", set.words());
    let has_index =
        can_be_indexed(stored) && spi::read_one::<Oid>(INDEX, &[index.into()])?.is_some();
    let sql = text_of(Query::Near(set, schema.clone(), stored, has_index));
    let mut all = Vec::new();
    for vector in vectors {
        if i32::try_from(vector.len()) != Ok(stored) || stored == 0 {
            all.push(Vec::new());
            continue;
        }
        let arguments = [vector.clone().into(), most(at_most)];
        let mut near = match has_index {
            true => spi::with_settings(&[available(&schema)?, FEW], || {
                spi::read_rows(sql, &arguments, 0, read_near)
            })?,
            false => spi::read_rows(sql, &arguments, 0, read_near)?,
        };
        sort(&mut near);
        all.push(near);
    }
    Ok(all)
}

/// The words with the spelling most similar to each word, from the index. As its owner.
fn spelled_alike(words: Vec<String>, at_most: usize) -> Result<Vec<Vec<NearWord>>, Error> {
    let mut all = vec![Vec::new(); words.len()];
    let Some(schema) = trigram_schema()? else {
        return Ok(all);
    };
    let sql = text_of(Query::Similar(schema));
    let arguments = [words.into(), most(at_most)];
    let rows = spi::with_settings(&[NEAR_SETTINGS], || {
        spi::read_rows(sql, &arguments, 0, |row| {
            Ok((row.read::<i64>(3)?.unwrap_or_default(), read_near(row)?))
        })
    })?;
    for (place, near) in rows {
        let place = usize::try_from(place)
            .ok()
            .and_then(|place| place.checked_sub(1));
        if let Some(list) = place.and_then(|place| all.get_mut(place)) {
            list.push(near);
        }
    }
    all.iter_mut().for_each(|near| sort(near));
    Ok(all)
}

/// The text of a query; built once in a session, because plans are cached by address.
fn text_of(query: Query) -> &'static str {
    if let Some(sql) = QUERIES.with_borrow(|queries| queries.get(&query).copied()) {
        return sql;
    }
    let sql = match &query {
        Query::Near(set, schema, dimensions, has_index) => {
            let distance = distance_sql(schema, "w", *dimensions, *has_index);
            format!(
                "SELECT w.word, (1 - ({distance}))::real FROM text2sql.{} w
                 WHERE w.embedding IS NOT NULL ORDER BY {distance} LIMIT $2",
                set.words()
            )
        }
        Query::Similar(schema) => format!(
            "SELECT near.word, near.likeness, wanted.place
             FROM unnest($1) WITH ORDINALITY AS wanted(word, place)
             CROSS JOIN LATERAL (
                 SELECT w.word, {schema}.similarity(w.word, wanted.word) AS likeness
                 FROM text2sql._index_words w
                 WHERE w.word OPERATOR({schema}.%) wanted.word
                 ORDER BY likeness DESC, w.word LIMIT $2
             ) AS near"
        ),
    };
    let sql: &'static str = sql.leak();
    QUERIES.with_borrow_mut(|queries| queries.insert(query, sql));
    sql
}

fn read_near(row: &spi::Row) -> Result<NearWord, Error> {
    Ok(NearWord {
        word: row.read(1)?.unwrap_or_default(),
        similarity: row.read(2)?.unwrap_or_default(),
    })
}

/// Best first; equal ones in the order of the alphabet, so that answers are reproducible.
fn sort(near: &mut [NearWord]) {
    near.sort_by(|one, other| {
        let by_similarity = other.similarity.total_cmp(&one.similarity);
        by_similarity.then_with(|| one.word.cmp(&other.word))
    });
}
