//! What ends a statement before it is done: a cancel, the time, the memory.

pub(crate) mod cancels;
#[cfg(any(test, feature = "pg_test"))]
mod cancels_tests;
pub(crate) mod interrupts;
pub(crate) mod memory_watchdog;
pub(crate) mod query_timer;
