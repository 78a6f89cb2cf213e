//! Joins: the tables that connect those found, joins learned from the SQL of users, and joins inferred from names
//! and data.

pub(crate) mod bridge_tables;
pub mod inferred;
pub mod learned_joins;
