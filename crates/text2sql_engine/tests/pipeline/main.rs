//! The pipeline over fake ports: what is asked of a model, what is made of its reply, and the prompts.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod approval;
mod both_sides;
mod doubts;
mod endpoint;
mod engines_in_order;
mod gate;
mod harbours;
mod meaning;
mod mend;
mod offline;
mod outlines;
mod owner_words;
mod pipeline;
mod plan_steps;
mod progress;
mod prompts;
mod repair;
mod retrieval;
mod second_look;
mod several_results;
mod side_failures;
mod suspicions;
mod two_sides;
