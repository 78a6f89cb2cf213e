//! What is made of the catalog, of stored knowledge and of texts so that a question finds its context.
//!
//! - [`refresh`] is the only writer of the index, [`search_index`] its only reader: it shows nobody more than the catalog
//!   does, because every hit is checked with the privileges of the asking role;
//! - [`documents`] and indexed columns are cut into passages and searched the same way;
//! - [`maintenance`] and [`maintenance_worker`] say when the index is renewed, and by whom;
//! - [`role_catalog`] is the port through which a question sees all of it.
//!
//! Everything here can be thrown away and made anew by `refresh()`: nothing that people said is stored here alone.

pub(crate) mod distinct_texts;
pub(crate) mod documents;
pub(crate) mod maintenance;
pub(crate) mod maintenance_worker;
pub(crate) mod refresh;
pub(crate) mod role_catalog;
pub(crate) mod search_index;
pub(crate) mod shard_rows;
pub(crate) mod similar_examples;
