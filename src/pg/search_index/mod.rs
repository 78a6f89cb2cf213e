//! The search index as used by a question, and code shared by its readers and writers.

pub(crate) mod embedder;
mod joins;
mod known_words;
mod nearest_vectors;
mod port;
mod readable_tables;
pub(crate) mod report;
mod storage;
mod unindexed_examples;
mod values;
mod words;

pub(crate) use self::port::PgSearchIndex;
pub(crate) use self::storage::{
    DEFINITIONS, EXAMPLES, FORMAT, ROWS_STATE, SCHEMA, can_be_indexed, id_of, indexed_vector,
    language, owner, read_state_row, totals_of, totals_to, vector_schema,
};
