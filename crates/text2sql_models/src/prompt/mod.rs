//! Writes the prompts: one file for each thing that a model is asked, and one for each part of a prompt.
//! The instructions are the files of `prompts/`.
//!
//! [`question`](render) is the prompt of a question; it is made of the schema text, the glossary, linked
//! values, examples, the conversation and the interpretation.

mod annotations;
mod check_example;
mod choose_tables;
mod column_facts;
mod compact;
mod conversation;
mod evaluation_opinion;
mod faster_query;
mod few_shot_examples;
mod generation;
mod given_schema;
mod glossary;
mod instructions;
mod interpretation;
mod judge_texts;
mod linked_values;
mod looked;
mod meaning;
mod narration;
mod near_duplicates;
mod other_tables;
mod parts;
mod plan;
mod prompt_text;
mod query_summary;
mod question;
mod relevance;
mod repair;
mod replaceable;
mod result_rows;
mod revise;
mod samples;
mod schema_lines;
mod schema_text;
mod second_look;
mod steps;
mod suggest_descriptions;
mod table_text;
mod table_text_cache;
mod template;
mod texts;
mod untrusted_text;

pub use self::check_example::render_check;
pub use self::choose_tables::render_table_choice;
pub use self::column_facts::value_text;
pub use self::compact::render_otherwise;
pub use self::evaluation_opinion::render_opinion;
pub use self::faster_query::render_faster;
pub use self::generation::add_strategy;
pub use self::instructions::chosen_instructions;
pub use self::judge_texts::render_judge_texts;
pub use self::looked::render_looked;
pub use self::meaning::{meaning_schema, render_meaning};
pub use self::narration::render_result;
pub use self::parts::parts_instructions;
pub use self::plan::render_plan;
pub use self::prompt_text::Prompt;
pub use self::query_summary::render_summary;
pub use self::question::render;
pub use self::relevance::render_relevance;
pub use self::repair::render_repair;
pub use self::replaceable::{
    DefaultPrompt, MAX_PROMPT_CHARS, default_prompts, is_replaceable, problem_of_prompt,
};
pub use self::result_rows::MAX_ROWS_SHOWN;
pub use self::revise::{render_revise, render_revise_script};
pub use self::schema_text::{render_schema, shown_tables, table_chars, whole_tables};
pub use self::second_look::render_second_look;
pub use self::steps::{StepResult, render_next_step, steps_instructions};
pub use self::suggest_descriptions::render_suggest;
pub use self::texts::{render_texts, shown_passage};
