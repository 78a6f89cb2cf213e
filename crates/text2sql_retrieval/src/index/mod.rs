//! What the search index stores: documents of tables, definitions and examples, packed postings, and
//! an index in memory for tests and measurements.

pub mod document;
pub(crate) mod family_keys;
pub mod memory_index;
pub mod postings;
