//! Parsing of SQL. `sqlparser` is used to explain and compare statements; it never decides what may run.
//!
//! [`reader`] is the only caller of the parser and limits length and depth; [`tree`] analyses a
//! query; [`masking`] hides the constants of a statement.
#![forbid(unsafe_code)]

pub mod masking;
pub mod reader;
pub mod tree;
