//! `text2sql.add_instruction(instruction, …)`: what the owner of a database says to models that write SQL.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::instructions;

/// Adds an instruction about the whole database, or a schema or table, for every role or the members of one; returns
/// the id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_instruction(
    instruction: Option<&str>,
    applies_to: default!(Option<&str>, "NULL"),
    role_name: default!(Option<&str>, "NULL"),
) -> Result<i64, ErrorReport> {
    instructions::add(instruction, applies_to, role_name).map_err(report)
}

/// Removes an instruction.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_instruction(id: Option<i64>) -> Result<(), ErrorReport> {
    instructions::drop_instruction(id).map_err(report)
}
