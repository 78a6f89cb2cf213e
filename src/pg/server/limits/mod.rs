//! What ends a statement early: a cancel, the time limit, the memory limit.

pub(crate) mod cancel_requests;
#[cfg(feature = "pg_test")]
mod cancels_tests;
pub(crate) mod interrupt_checks;
pub(crate) mod latch;
pub(crate) mod memory_watchdog;
pub(crate) mod query_timer;
