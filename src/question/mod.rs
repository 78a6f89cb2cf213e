//! From a SQL call to a run of the pipeline, for every function that takes a question.

pub(crate) mod answer_row;
pub(crate) mod approval;
mod approval_texts;
pub(crate) mod converse;
pub(crate) mod engines;
mod failure;
pub(crate) mod generate_sql;
pub(crate) mod options;
pub(crate) mod plan;
mod record;
pub(crate) mod revise;
mod run;
mod several;
pub(crate) mod submitted;
mod waiting;

pub(crate) use self::approval_texts::must_wait;
pub(crate) use self::run::{Found, Hit, Request, ask, find, preview, score, write};
