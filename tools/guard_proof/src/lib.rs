//! Proves the guard on statements that were not written by hand: from a grammar over the functions, operators and
//! types of the running server ([`generated`]), from sqlsmith ([`sqlsmith`]), and from PostgreSQL's own
//! regression suite ([`regression`]).
//!
//! Each statement is judged by `text2sql.validate` and run by `text2sql.run_json`; before and after, everything
//! is compared that a statement could leave behind ([`State`]).
#![forbid(unsafe_code)]

mod catalog;
mod database;
mod error;
mod expression;
pub mod generated;
mod hostile;
mod literals;
mod random;
pub mod regression;
pub mod report;
mod script;
pub mod sqlsmith;
mod state;
mod statement;
mod trial;

pub use error::Fallible;
pub use state::State;
pub use trial::Tally;
