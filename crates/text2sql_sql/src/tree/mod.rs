//! An analysed SELECT: one block for each SELECT level, with its sources, their keys,
//! and name resolution.
//!
//! Built from `sqlparser`'s tree and the tables that the caller may read. It is used to explain, check and
//! rewrite queries; it never decides what may run.

use sqlparser::ast::Query;

use text2sql_domain::error::Error;

mod blocks;
mod build;
pub mod keys;
mod outputs;
pub mod parse;
pub mod relations;
mod resolve;
pub mod syntax;
mod unknown;
mod value_types;
pub mod walk;

pub use blocks::{Block, JoinKind, Output, Place, Reference, ResultRows, Rows, Source, Tree};
pub use unknown::UnknownColumn;
pub use walk::{Aggregate, aggregate, aggregates, subqueries, walk};

/// Parses exactly one read-only statement; `None` if the parser does not support its syntax.
pub fn parse(sql: &str) -> Result<Option<Box<Query>>, Error> {
    parse::parse_query(sql)
}

/// Parses one SELECT for a comparison of statements; `None` if it cannot be parsed.
pub fn read_query(sql: &str) -> Option<Box<Query>> {
    parse::parse_query(sql).ok().flatten()
}
