//! `text2sql.add_instruction(instruction, …)`: what the owner of a database says to models that write SQL.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::instructions;

/// Adds an instruction about the whole database, or a schema or table, for every role or the members of one; returns
/// the id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_instruction(
    instruction: Option<Text<'_>>,
    applies_to: default!(Option<Text<'_>>, "NULL"),
    role_name: default!(Option<Text<'_>>, "NULL"),
) -> Result<i64, ErrorReport> {
    let instruction = instruction.as_deref();
    let applies_to = applies_to.as_deref();
    let role_name = role_name.as_deref();
    instructions::add(instruction, applies_to, role_name).map_err(report)
}
