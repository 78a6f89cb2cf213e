//! Finds the part of the schema that a question needs: all of it when it fits, else what a search of
//! the index finds, with the tables that connect the found ones.
//!
//! [`retrieve()`] is the stage, and [`Context`] what it hands on. In the order of the way: [`lexical`]
//! (BM25 from the packed postings of the [`index`]), [`vectors`] and [`values`] each find tables;
//! `ranking` puts them in one order; [`joins`] adds the tables between them; [`tables`] composes this
//! search and folds families of tables into one. [`few_shot_examples`] and related terms are found separately.
//! [`column_choice`] and [`schema_budget`] cut the result to the size of a prompt. Where no index was ever built, names and
//! comments are searched through the catalog port.
//!
//! Everything comes from ports that know only what the caller may read.

#![forbid(unsafe_code)]

mod asked_words;
pub mod certainty;
pub mod chosen_tables;
pub mod column_choice;
mod context;
pub mod few_shot_examples;
pub mod found_table;
mod in_play;
pub mod index;
pub mod joins;
pub mod lexical;
mod other_tables;
pub mod prompt_size;
mod ranking;
mod related_terms;
mod retrieve;
pub mod schema_budget;
pub mod second_look;
pub mod shards;
pub mod sql_skeleton;
mod table_details;
pub mod tables;
mod unknown_name;
pub mod values;
pub mod vectors;
mod view_base_tables;

pub use self::asked_words::AskedWords;
pub use self::context::Context;
pub use self::in_play::in_play;
pub use self::retrieve::{TableChars, retrieve, search_always};
pub use self::table_details::describe_named_in;
pub use self::unknown_name::find_unknown_name;
