//! What any implementation of a port must do, written once and run against all of them: against the test doubles
//! of the pipeline (here, or in the test file that has the double), and against the extension's
//! implementation (`src/pg/contract_tests.rs`). Tests with a double that behaves differently from the server
//! would prove nothing.
//!
//! Each function takes an implementation over the [`World`] and panics if it violates the contract. For tests
//! only.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "for tests, which end where something is not as it should be"
)]

mod catalog;
mod database;
mod embedder;
pub mod memory_index;
mod passages;
mod planner;
mod reranker;
mod search_index;
mod session;
mod transport;
mod world;

pub use self::catalog::{MemoryCatalog, catalog};
pub use self::database::{ScriptedDatabase, database};
pub use self::embedder::embedder;
pub use self::passages::{MemoryPassages, passage_search, passages_of_world};
pub use self::planner::planner;
pub use self::reranker::{WordReranking, reranker};
pub use self::search_index::search_index;
pub use self::session::session;
pub use self::transport::transport;
pub use self::world::{SETUP, World, tables};

#[cfg(test)]
mod tests;
