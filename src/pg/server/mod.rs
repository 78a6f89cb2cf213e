//! PostgreSQL itself: how this library is called, asks queries of its own, is cancelled, and raises errors.
//!
//! Nothing here knows a question, a model or a table of the extension. A change here affects every other wing:
//!
//! - an internal query goes through [`spi`], which binds parameters, fixes the search path and names the role;
//! - only `spi/sandbox.rs` begins a subtransaction; only [`entry`] and [`error`] let an error leave Rust;
//! - a wait checks for interrupts ([`limits`]); a setting is defined and read in [`settings`] alone;
//! - what differs between major versions is a function of [`compat`], with one meaning in all of them.

pub(crate) mod array_argument;
pub(crate) mod background;
pub(crate) mod backtrace;
pub(crate) mod citus;
pub(crate) mod compat;
pub(crate) mod entry;
pub(crate) mod ereport;
pub(crate) mod error;
pub(crate) mod error_hints;
pub(crate) mod extension_update;
pub(crate) mod foreign_server;
pub(crate) mod installed_version;
pub(crate) mod json_argument;
pub(crate) mod limits;
pub(crate) mod memory_reserve;
pub(crate) mod out_of_memory;
pub(crate) mod renamed;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod spi;
pub(crate) mod sqlstate;
pub(crate) mod text_argument;
