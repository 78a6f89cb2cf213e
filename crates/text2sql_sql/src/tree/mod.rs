//! A SELECT as its parts mean it: one block for each SELECT level, with its sources, their keys,
//! and what each name stands for.
//!
//! Made from `sqlparser`'s tree and the tables that the caller may read. It explains, judges and
//! rewrites queries; it never decides what may run.

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
mod value_types;
pub mod walk;

pub use blocks::{Block, JoinKind, Output, Place, Reference, ResultRows, Rows, Source, Tree};
pub use walk::{Aggregate, aggregate, aggregates, subqueries, walk};

/// Parses exactly one reading statement; `None` where the parser does not know its grammar.
pub fn parse(sql: &str) -> Result<Option<Box<Query>>, Error> {
    parse::parse_query(sql)
}

/// Reads one SELECT, for whoever compares statements; `None` where it cannot be read.
pub fn read_query(sql: &str) -> Option<Box<Query>> {
    parse::parse_query(sql).ok().flatten()
}
