//! The question-answering engine. Each stage is a module; only [`pipeline`] knows their order and the
//! repair loop. All input and output goes through the ports of `text2sql_domain`.
#![forbid(unsafe_code)]

mod agreement;
pub mod answer_texts;
pub mod conversation;
pub mod empty_result;
pub mod gate;
pub mod given_schema;
mod help;
pub mod looks;
mod missing_names;
pub mod model_side_call;
pub mod multi_step;
mod multi_step_progress;
pub mod narrate;
pub mod pipeline;
pub mod plan_in_words;
pub mod planned_steps;
pub mod query_generation;
pub mod query_judge;
pub mod repair;
mod result_facts;
pub mod revised_script;
pub mod scoring;
pub mod several_answers;
pub mod stages;
mod statement;
mod strategy_choice;
pub mod texts;
pub mod verified_examples;
