//! What the search index stores: documents of tables, definitions and examples, packed postings, and keys of families.

pub mod document;
pub mod postings;
