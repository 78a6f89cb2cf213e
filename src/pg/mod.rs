//! The only code that talks to PostgreSQL, and the only code with `unsafe`: four wings, each of which uses only those
//! above it in this list.
//!
//! - [`server`]: PostgreSQL itself
//! - [`access`]: what a role may see, and how its SQL is judged and run
//! - [`stored`]: what people and the product have written down
//! - [`search`]: what is made of the catalog so that it can be searched

pub(crate) mod access;
#[cfg(feature = "pg_test")]
mod contract_tests;
pub(crate) mod search;
pub(crate) mod server;
pub(crate) mod stored;

pub(crate) use pgrx::pg_sys::{Datum, Oid};
