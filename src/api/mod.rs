//! The SQL surface: one file per function or family of functions. Each converts arguments, makes one call and
//! returns rows, and contains no logic.
//!
//! A function that fails raises an error with SQLSTATE, DETAIL and HINT ([`crate::pg::server::error`]); only `ask` and
//! `show` report failures in a status column.
#![allow(
    clippy::type_complexity,
    reason = "pgrx reads the columns of a set from the signature: an alias would hide them"
)]

mod approvals;
mod array_argument;
mod ask;
mod ask_into;
mod ask_rows;
mod ask_view;
mod budgets;
mod conversation;
mod decide;
mod define;
mod describe;
mod documents;
mod evaluate;
mod examples;
mod exercise;
mod explain;
mod explain_plan;
mod feedback;
mod fit_confidence;
mod forget;
mod generate_sql;
mod impact;
mod import_knowledge;
mod index_text;
mod instructions;
mod joins;
mod load_file;
mod maintenance;
mod models;
mod objects;
mod optimize;
mod perturb;
mod plan;
mod preview_prompt;
mod prompts;
mod protect;
mod queue;
mod refresh;
mod retrieve;
mod revise;
mod run;
mod run_for_primary;
mod score;
mod search_text;
mod shards;
mod show;
mod status;
mod suggest;
mod teach_me;
mod test_model;
mod to_sql;
mod trust_report;
mod validate;
mod version;
mod why_empty;
