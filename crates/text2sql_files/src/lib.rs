//! How a file of rows becomes a table: what its text means, which columns it has, of which types, and what each value
//! is in PostgreSQL's own notation.
//!
//! [`Plan::of`] reads the whole file once and decides; [`Plan::rows`] reads it again and hands over one row after
//! another. Nothing is changed on the way that cannot be read back: where digits would be lost, a column stays text.
//! No code here knows PostgreSQL; whoever calls proves the types with the casts of the server.

#![forbid(unsafe_code)]

mod cell;
pub mod copy;
mod csv_text;
mod decision;
mod dialect;
pub mod encoding;
mod error;
mod evidence;
mod json_text;
mod limits;
mod names;
mod options;
mod plan;
mod records;
#[cfg(test)]
mod tests;
mod values;

pub use error::FileError;
pub use limits::{Bounds, MAX_COLUMNS, MAX_VALUE};
pub use names::{clean_name, quoted};
pub use options::{DateOrder, Decimal, FileFormat, OnError, Options};
pub use plan::{Bad, Column, Plan, Read, Source};
pub use records::records;
