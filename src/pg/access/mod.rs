//! What a role may see, and how SQL is judged and run for it. The security of the product is in this wing.
//!
//! | to know | look in |
//! |---|---|
//! | the tables that a role may read, their columns, comments and statistics | [`catalog`], [`protection`], [`objects`] |
//! | what a tree names, and whether it may run | [`query_tree`], [`guard`] |
//! | how it runs, here or on a replica, and where its rows go | [`execution`], [`replica`], [`output`] |
//! | rows read without planner, executor or code of users | [`stored_rows`] |
//!
//! Generated SQL runs only in `execution/execute.rs`, and only as a `ValidSql`, which only the guard makes. A rule is added
//! here with an attack that shows it in `tests/server/cases`, and is never made weaker by an option of a call.

pub(crate) mod catalog;
pub(crate) mod execution;
pub(crate) mod guard;
pub(crate) mod objects;
pub(crate) mod output;
pub(crate) mod protection;
pub(crate) mod query_tree;
pub(crate) mod replica;
pub(crate) mod stored_rows;
