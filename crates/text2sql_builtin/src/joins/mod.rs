//! The foreign keys between tables, and the cheapest path along them.

pub(crate) mod paths;
pub(crate) mod step;
