//! The only code that talks to PostgreSQL, and the only code with `unsafe`.

pub(crate) mod catalog;
pub(crate) mod database;
pub(crate) mod http;
pub(crate) mod models;
pub(crate) mod session;
pub(crate) mod spi;
pub(crate) mod startup;

pub(crate) use pgrx::pg_sys::Oid;
