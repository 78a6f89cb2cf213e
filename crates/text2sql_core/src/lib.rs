//! The way from a question to an answer, without PostgreSQL.
//!
//! This crate decides; it does not act. Facts come in and effects go out through the traits of
//! [`ports`]: the extension implements them over the server it lives in, tests implement them over
//! plain data. There is no pgrx, no SQL driver, no socket, no async runtime and no clock in here.
//!
//! One stage is one file with one verb: [`retrieve`] → [`rewrite`] → [`route`] → [`prompt`] → [`generate`] → validate and
//! execute → [`judge`] → [`answer`]. Only [`pipeline`] knows the order and the one loop back.
//! Validating and executing are one call of [`ports::Database`], because the tree that was judged
//! is the tree that runs; [`validate`] holds the verdicts, [`sql_result`] the rows.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod answer;
pub mod aside;
pub mod builtin;
pub mod confidence;
pub mod config;
pub mod conversation;
pub mod display;
pub mod error;
pub mod evaluate;
pub mod explain;
pub mod findings;
pub mod generate;
pub mod interrupts;
pub mod json_rows;
pub mod judge;
pub mod masking;
pub mod narrate;
pub mod narration;
pub mod object_name;
pub mod optimize;
pub mod pipeline;
pub mod plan;
pub mod plan_steps;
pub mod ports;
pub mod prompt;
pub mod proposal;
pub mod providers;
pub mod question;
pub mod remembered;
pub mod repair;
pub mod reply;
pub mod retrieve;
pub mod revision;
pub mod rewrite;
pub mod route;
pub mod schema;
#[cfg(test)]
mod schema_fixture;
pub mod score;
pub mod secret;
pub mod sentence;
pub(crate) mod spoken;
pub mod sql_reader;
pub mod sql_result;
pub(crate) mod sql_tree;
pub mod stages;
pub mod strategy;
pub mod teach;
pub mod trace;
pub mod validate;
pub mod verified;
pub mod why_empty;
