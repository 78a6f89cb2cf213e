//! How right the answers are, how fast the queries, and what is made better by measuring.

mod demo_faults;
mod explain_summary;
mod measures;
mod optimize;
mod optimize_model;
mod pagila;
mod rewrite;
mod rewrites;
mod rights;
mod runs;
mod scoring;
mod strategy_cost;
mod texts;
mod tuning;
mod tuning_keys;
