//! Joins: the tables that connect those found, and joins learned from the SQL of users.

pub mod bridge_tables;
pub mod learned_joins;
