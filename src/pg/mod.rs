//! The only code that talks to PostgreSQL, and the only code with `unsafe`.

pub(crate) mod cells;
pub(crate) mod encoding;
#[allow(
    dead_code,
    reason = "the functions that answer questions raise the other kinds"
)]
pub(crate) mod error;
#[allow(dead_code, reason = "the pipeline's database port is its other caller")]
pub(crate) mod execute;
#[cfg(any(test, feature = "pg_test"))]
mod execute_tests;
pub(crate) mod guard;
pub(crate) mod memory_watchdog;
pub(crate) mod receiver;
pub(crate) mod role;
pub(crate) mod run_functions;
pub(crate) mod sandbox;
pub(crate) mod timer;
pub(crate) mod typed_rows;
pub(crate) mod user_cancel;
