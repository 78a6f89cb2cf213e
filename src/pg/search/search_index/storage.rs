//! Shared by readers and writers of the search index: its owner, its collections, its stored formats.

use std::cell::RefCell;
use std::collections::HashMap;

use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::search_index::Totals;

use crate::pg::server::spi;
use crate::pg::server::spi::owner::owner_of;
use crate::pg::server::spi::role::EffectiveRole;

/// When the rows of a table changed; part of several queries.
pub(crate) const ROWS_STATE: &str = include_str!("../../../../sql/queries/rows_state.sql");

/// Number of the stored format. To be incremented when [`text2sql_retrieval::index::document`] or its packing changes.
pub(crate) const FORMAT: i32 = 6;

/// The collection of tables.
pub(crate) const SCHEMA: char = 's';
/// The collection of definitions.
pub(crate) const DEFINITIONS: char = 'd';
/// The collection of verified examples.
pub(crate) const EXAMPLES: char = 'e';

const LANGUAGE: &str = "SELECT split_part(current_setting('default_text_search_config'), '.', -1)";
const VECTOR_SCHEMA: &str = "SELECT quote_ident(n.nspname) FROM pg_extension e
     JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'";
const TRIGRAM_SCHEMA: &str = "SELECT quote_ident(n.nspname) FROM pg_extension e
     JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'";
const STATE: &str = "SELECT dimensions, language, embedder, format = $1 FROM text2sql._index_state";

/// The owner of the index, who may read and write it; `None` if there is no index.
pub(crate) fn owner() -> Option<EffectiveRole> {
    owner_of(c"_index_state")
}

/// The language used to stem names and comments: that of full-text search, if it has a stemmer.
pub(crate) fn language() -> Result<String, Error> {
    let configured: Option<String> = spi::read_one(LANGUAGE, &[])?;
    Ok(configured
        .filter(|language| language != "simple")
        .unwrap_or_else(|| "english".to_owned()))
}

/// The schema of pgvector, quoted where necessary.
pub(crate) fn vector_schema() -> Result<String, Error> {
    let schema: Option<String> = spi::read_one(VECTOR_SCHEMA, &[])?;
    Ok(schema.unwrap_or_default())
}

/// The schema of pg_trgm, quoted where necessary; `None` without it.
pub(super) fn trigram_schema() -> Result<Option<String>, Error> {
    spi::read_one(TRIGRAM_SCHEMA, &[])
}

/// The query for similar keys, with pg_trgm's schema in it; built once in a session.
pub(super) fn similar_query(schema: &str) -> &'static str {
    thread_local! {
        static QUERIES: RefCell<HashMap<String, &'static str>> = RefCell::new(HashMap::new());
    }
    if let Some(sql) = QUERIES.with_borrow(|queries| queries.get(schema).copied()) {
        return sql;
    }
    let sql = format!(
        "SELECT wanted.place, near.key, near.likeness
         FROM unnest($1) WITH ORDINALITY AS wanted(key, place)
         CROSS JOIN LATERAL (
             SELECT k.key, {schema}.similarity(k.key, wanted.key) AS likeness
             FROM text2sql._index_value_keys k
             WHERE k.key OPERATOR({schema}.%) wanted.key
             ORDER BY likeness DESC, k.key LIMIT $2
         ) AS near"
    );
    // One for each schema that ever contained pg_trgm; plans are cached by address.
    let sql: &'static str = sql.leak();
    QUERIES.with_borrow_mut(|queries| queries.insert(schema.to_owned(), sql));
    sql
}

/// The embedder of the vectors.
pub(crate) struct StateRow {
    pub(crate) dimensions: i32,
    pub(crate) language: String,
    pub(crate) embedder: String,
    /// Whether it has the stored format of this version.
    pub(crate) has_form: bool,
}

/// The state of the index; `None` when it was never built. As its owner.
pub(crate) fn read_state_row() -> Result<Option<StateRow>, Error> {
    let rows = spi::read_rows(STATE, &[FORMAT.into()], 1, |row| {
        Ok(StateRow {
            dimensions: row.read(1)?.unwrap_or_default(),
            language: row.read(2)?.unwrap_or_default(),
            embedder: row.read(3)?.unwrap_or_default(),
            has_form: row.read(4)?.unwrap_or_default(),
        })
    })?;
    Ok(rows.into_iter().next())
}

/// The greatest length of a vector that pgvector can index: HNSW over `halfvec`.
const MAX_INDEXED_DIMENSIONS: i32 = 4_000;

/// Whether vectors of that length can be indexed.
pub(crate) fn can_be_indexed(dimensions: i32) -> bool {
    (1..=MAX_INDEXED_DIMENSIONS).contains(&dimensions)
}

/// How vectors of that length are searched, for the status.
pub(super) fn search_form(dimensions: i32, has_index: bool) -> String {
    match (can_be_indexed(dimensions), has_index) {
        (false, _) => {
            format!("exact search: pgvector indexes at most {MAX_INDEXED_DIMENSIONS} dimensions")
        }
        (true, false) => "exact search: there are few".to_owned(),
        (true, true) => "HNSW".to_owned(),
    }
}

/// What an HNSW index is made over, as written in SQL: the expression and its operator class.
pub(crate) fn indexed_vector(schema: &str, dimensions: i32) -> (String, String) {
    (
        format!("embedding::{schema}.halfvec({dimensions})"),
        format!("{schema}.halfvec_cosine_ops"),
    )
}

/// The cosine distance between the column `embedding` of `table` and the vector `$1`, as written in SQL; in the
/// form of the index if there is one. In a cached plan the parameter is no constant: without a query of its own, it would
/// be converted for each row, which took five times as long as the distance.
pub(crate) fn distance_sql(schema: &str, table: &str, dimensions: i32, is_indexed: bool) -> String {
    let length = match is_indexed {
        true => format!("::{schema}.halfvec({dimensions})"),
        false => String::new(),
    };
    format!(
        "({table}.embedding{length}) OPERATOR({schema}.<=>) (SELECT $1::real[]::{schema}.halfvec{length})"
    )
}

/// Sums as they are stored.
pub(crate) fn totals_to(totals: Totals) -> Vec<i64> {
    [
        totals.items,
        totals.item_terms,
        totals.units,
        totals.unit_terms,
    ]
    .map(|sum| i64::try_from(sum).unwrap_or(i64::MAX))
    .to_vec()
}

/// Stored sums.
pub(crate) fn totals_of(stored: &[i64]) -> Totals {
    let sum = |at: usize| {
        let sum = stored.get(at).copied().unwrap_or(0);
        u64::try_from(sum).unwrap_or(0)
    };
    Totals {
        items: sum(0),
        item_terms: sum(1),
        units: sum(2),
        unit_terms: sum(3),
    }
}

/// The id of a definition or example, which the search index keeps in 32 bits.
pub(crate) fn id_of(row: &spi::Row) -> Result<u32, Error> {
    let id = row.read::<i64>(1)?.unwrap_or_default();
    u32::try_from(id).map_err(|error| {
        failure!(Limit, "id {id} does not fit the search index").with_source(error)
    })
}
