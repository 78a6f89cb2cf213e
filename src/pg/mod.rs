//! The only code that talks to PostgreSQL, and the only code with `unsafe`.

pub(crate) mod background;
pub(crate) mod backtrace;
pub(crate) mod catalog;
pub(crate) mod citus;
pub(crate) mod compat;
#[cfg(feature = "pg_test")]
mod contract_tests;
pub(crate) mod distinct_texts;
pub(crate) mod documents;
pub(crate) mod entry;
mod ereport;
pub(crate) mod error;
pub(crate) mod error_hints;
pub(crate) mod evaluation;
pub(crate) mod execution;
mod extension_update;
pub(crate) mod files;
pub(crate) mod guard;
pub(crate) mod installed_version;
pub(crate) mod json_argument;
pub(crate) mod knowledge;
pub(crate) mod limits;
pub(crate) mod maintenance;
mod maintenance_worker;
pub(crate) mod models;
pub(crate) mod objects;
pub(crate) mod output;
pub(crate) mod protection;
pub(crate) mod query_tree;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod refresh;
pub(crate) mod replica;
pub(crate) mod role_catalog;
pub(crate) mod search_index;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod shard_rows;
pub(crate) mod spi;
pub(crate) mod sqlstate;
pub(crate) mod stored_rows;
pub(crate) mod teaching;
pub(crate) mod text_argument;

pub(crate) use pgrx::pg_sys::{Datum, Oid};
