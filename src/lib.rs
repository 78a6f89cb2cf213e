//! Answers questions in plain language from inside PostgreSQL.
//!
//! Start reading at `api/ask.rs`, then `pipeline.rs` in `text2sql_core`. `api/` is the SQL surface,
//! `pg/` the only code that talks to PostgreSQL, `settings.rs` the only one that reads settings.
use pgrx::prelude::*;

mod api;
mod pg;
mod settings;

#[cfg(not(panic = "unwind"))]
compile_error!("a PostgreSQL ERROR crosses Rust frames as a panic: build with panic = \"unwind\"");

pgrx::pg_module_magic!(name, version);

/// Runs in each process that loads the library: settings and hooks, nothing that costs.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    settings::init();
    pg::guard::install();
}

/// What pgrx's test runner asks for.
#[cfg(test)]
pub mod pg_test {
    /// Runs once before all tests.
    pub fn setup(_options: Vec<&str>) {}

    /// Lines for `postgresql.conf` of the test server.
    #[must_use]
    pub fn postgresql_conf_options() -> Vec<&'static str> {
        vec![]
    }
}
