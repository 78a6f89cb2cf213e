//! Queries of the extension itself, and their role, settings, sandbox and encoding.

pub(crate) mod advisory_locks;
pub(crate) mod committing;
pub(crate) mod encoding;
pub(crate) mod extensions;
pub(crate) mod internal_settings;
pub(crate) mod json_text;
pub(crate) mod owner;
mod queries;
pub(crate) mod role;
pub(crate) mod sandbox;

pub(crate) use self::internal_settings::with_settings;
pub(crate) use self::queries::{
    Row, commit, define, define_with, execute, json, oid_array, read_json, read_once, read_one,
    read_rows, read_values, with_commits, write, write_rows,
};
