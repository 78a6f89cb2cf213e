//! Joins: the tables that connect those found, and joins learned from the SQL of users.

pub(crate) mod bridge_tables;
pub mod learned_joins;
