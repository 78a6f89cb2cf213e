//! From a SQL call to a run of the pipeline, for every function that takes a question.

pub(crate) mod converse;
pub(crate) mod engines;
mod failure;
pub(crate) mod options;
mod record;
pub(crate) mod revise;
mod run;

pub(crate) use self::run::{Found, Hit, Request, ask, find, preview, score, write};
