//! Finds the tables of a question, folds families into one table, and lets a model put them in order.

pub mod families;
pub(crate) mod model_rerank;
mod neighbours;
pub mod search;
