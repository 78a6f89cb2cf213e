//! The SQL surface: one file per function or family of functions. Arguments in, one call, rows
//! out; no decision.
//!
//! A function that cannot do its work raises an error with SQLSTATE, DETAIL and HINT
//! ([`crate::pg::error`]); only `ask` and `show` put a status into their rows instead.

mod ask;
mod ask_cursor;
mod ask_rows;
mod dbt;
mod define;
mod describe;
mod examples;
mod explain;
mod joins;
mod knowledge;
mod lineage;
mod models;
mod objects;
mod preview_prompt;
mod protect;
mod refresh;
mod retrieve;
mod run;
mod show;
mod status;
mod suggest;
mod to_sql;
mod validate;
mod version;
