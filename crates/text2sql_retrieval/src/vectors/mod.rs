//! Search by vectors: the embedder that needs no model, and the vector of the question.

pub mod hash_embedder;
pub(crate) mod question_embedder;
