//! From a question to its answer. One stage is one module; only [`pipeline`] knows their order and the one
//! loop back. Facts come in and effects go out through the ports of `text2sql_domain`.
#![forbid(unsafe_code)]

pub mod answering;
pub mod conversation;
pub mod explanation;
pub mod faster;
pub mod generate;
pub mod judge;
pub mod multi_step;
pub mod narrate;
pub mod pipeline;
pub mod repair;
pub mod scoring;
pub mod side_call;
mod strategy_choice;
pub mod teach;
pub mod verified;
