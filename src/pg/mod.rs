//! The only code that talks to PostgreSQL, and the only code with `unsafe`.

pub(crate) mod budget;
pub(crate) mod catalog;
pub(crate) mod cells;
pub(crate) mod checked_setting;
pub(crate) mod clock;
pub(crate) mod committing;
pub(crate) mod confidence;
#[cfg(any(test, feature = "pg_test"))]
mod contract_tests;
pub(crate) mod conversation;
pub(crate) mod cursor;
pub(crate) mod database;
pub(crate) mod encoding;
pub(crate) mod entry;
pub(crate) mod error;
pub(crate) mod execute;
#[cfg(any(test, feature = "pg_test"))]
mod execute_tests;
pub(crate) mod grants;
pub(crate) mod guard;
pub(crate) mod history;
pub(crate) mod http;
pub(crate) mod hypopg;
pub(crate) mod inspect;
pub(crate) mod json_text;
pub(crate) mod local_model;
pub(crate) mod memory_watchdog;
pub(crate) mod models;
pub(crate) mod objects;
pub(crate) mod our_settings;
pub(crate) mod owner;
pub(crate) mod planner;
pub(crate) mod protection;
pub(crate) mod receiver;
pub(crate) mod references;
pub(crate) mod refresh;
pub(crate) mod registered;
pub(crate) mod role;
pub(crate) mod sandbox;
pub(crate) mod search_index;
pub(crate) mod session;
pub(crate) mod spi;
pub(crate) mod startup;
pub(crate) mod target;
pub(crate) mod teaching;
pub(crate) mod timer;
pub(crate) mod typed_rows;
pub(crate) mod user_cancel;
pub(crate) mod views;

pub(crate) use pgrx::pg_sys::{Datum, Oid};
