//! The SQL surface: one file per family of functions. Arguments in, one call, rows out; no logic.

pub(crate) mod run;
mod version;
