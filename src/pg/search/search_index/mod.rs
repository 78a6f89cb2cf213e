//! The search index as used by a question, and code shared by its readers and writers.

pub(crate) mod embedder;
mod joins;
mod known_words;
pub(crate) mod meaning;
mod nearest_vectors;
mod port;
mod readable_tables;
mod remembered;
pub(crate) mod report;
mod second_report;
mod state;
mod storage;
mod unindexed_examples;
mod values;
mod vector_set;
mod words;

pub(crate) use self::nearest_vectors::available as scan_settings;

pub(crate) use self::port::PgSearchIndex;
pub(crate) use self::storage::{
    DEFINITIONS, EXAMPLES, FORMAT, ROWS_STATE, SCHEMA, can_be_indexed, distance_sql, id_of,
    indexed_vector, language, owner, read_state_row, totals_of, totals_to, vector_schema,
};
pub(crate) use self::vector_set::{VectorSet, second_embedder};
