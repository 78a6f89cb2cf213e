//! Search by words: which items share terms with the question, and how they score by BM25.

pub mod bm25;
pub(crate) mod near_words;
pub mod search_terms;
pub mod term_matches;
