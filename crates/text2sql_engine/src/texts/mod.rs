//! The side of an answer that texts give: which passages are searched, what a model says from them, and the sentence
//! where no model says anything.
//!
//! - [`search`] finds the passages, among the texts of the rows behind a result where there is one.
//! - [`cited_sentences`] asks a model and keeps only what the passages support.
//! - [`small_table`] reads a small table as if its rows were passages.

pub mod cited_sentences;
pub mod messages;
pub mod search;
pub mod small_table;
