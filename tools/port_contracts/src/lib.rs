//! What any implementation of a port must do, written once and run against all of them: against the doubles
//! that tests of the pipeline use (here, or in the file of tests that has the double), and against the server's
//! own (`src/pg/contract_tests.rs`). A double that behaves unlike the server proves nothing about what is tested
//! with it.
//!
//! Each function takes an implementation over the [`World`] and panics where it breaks the contract. For tests
//! only: behind the feature `contract`.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "for tests, which end where something is not as it should be"
)]

mod catalog;
mod database;
mod embedder;
mod reranker;
mod search_index;
mod session;
mod transport;
mod world;

pub use self::catalog::{MemoryCatalog, catalog};
pub use self::database::{ScriptedDatabase, database};
pub use self::embedder::embedder;
pub use self::reranker::{WordReranking, reranker};
pub use self::search_index::search_index;
pub use self::session::session;
pub use self::transport::transport;
pub use self::world::{SETUP, World, tables};

#[cfg(test)]
mod tests;
