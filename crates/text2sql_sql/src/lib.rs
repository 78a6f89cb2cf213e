//! Parsing of SQL. `sqlparser` is used to explain and compare statements; it never decides what may run.
//!
//! [`reader`] is the only caller of the parser and limits length and depth; [`tree`] analyses a
//! query; [`script`] finds the statements of a script; [`visit`] walks through one; [`masking`] hides the constants of a statement, [`masked_text`] what looks private in a text. For schemas of
//! other databases, [`ddl`] reads the text that defines them, [`names`] checks the names of a query against them,
//! [`dialects`] says how the databases differ, and [`postgresql_form`] writes a query of theirs as PostgreSQL has it.
#![forbid(unsafe_code)]

pub mod ddl;
pub mod dialects;
mod given_schema;
pub mod masked_text;
pub mod masking;
pub mod names;
pub mod postgresql_form;
pub mod reader;
pub mod row_keys;
pub mod script;
pub mod tree;
pub mod visit;
