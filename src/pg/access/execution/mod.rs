//! Runs, plans and inspects generated SQL under the guard, and captures its rows.

pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod database;
pub(crate) mod execute;
#[cfg(feature = "pg_test")]
mod execute_tests;
pub(crate) mod hypopg;
pub(crate) mod inspect;
mod plan_text;
mod replica_rows;
pub(crate) mod row_capture;
pub(crate) mod truncation;
pub(crate) mod typed_rows;
