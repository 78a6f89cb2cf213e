//! The shared types: schema, question, answer and configuration, and the ports (traits) for access to the
//! database and to endpoints. This crate contains no decision logic.
#![forbid(unsafe_code)]

pub mod answer;
pub mod approval;
pub mod audit;
pub mod citations;
pub mod confidence;
pub mod config;
pub mod dialect;
pub mod empty_cause;
pub mod engines;
pub mod error;
pub mod exchange;
pub mod hidden_characters;
pub mod ingredients;
pub mod instruction;
pub mod interrupts;
pub mod interval;
pub mod json_rows;
pub mod kept_answer;
pub mod missing_privilege;
pub mod model_program;
mod named_enum;
pub mod object_name;
pub mod own_prompts;
pub mod passages;
pub mod pipeline_run;
pub mod ports;
pub mod prices;
pub mod progress;
pub mod proposal;
pub mod question;
pub mod repair_trigger;
pub mod results;
pub mod sample;
pub mod schema;
#[cfg(any(test, feature = "fixtures"))]
pub mod schema_fixture;
pub mod score;
pub mod secret;
pub mod shown;
pub mod sql_result;
pub mod strategy;
pub mod switches;
mod table_cache;
pub mod trace;
pub mod validate;
mod with_defaults;
pub mod word_list;
