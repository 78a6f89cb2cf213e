//! `text2sql._version()`.
use pgrx::prelude::*;

/// The version of the loaded library, which may differ from the installed SQL objects until
/// `ALTER EXTENSION pg_text2sql UPDATE`.
#[pg_extern(immutable, parallel_safe, name = "_version")]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
