//! The owner's instructions for models that write SQL: about the database, a schema or a table, for every role or the
//! members of one.

use text2sql_domain::error::{Error, failure};
use text2sql_domain::instruction::{MAX_INSTRUCTION_CHARS, MAX_TOTAL_CHARS};

use super::{as_owner, check_visible, required, required_id, visible_object};
use crate::pg::access::objects::ObjectKind;
use crate::pg::access::objects::references::References;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{Purpose, take_turns};

/// How to find ids.
const LIST: &str = "List the instructions: SELECT id, instruction FROM text2sql.instructions;";

/// The bound on their length is checked against what the others add.
const ROLE_EXISTS: &str = "SELECT true FROM pg_roles WHERE rolname = $1::name";
const FIND: &str = "
    SELECT id FROM text2sql._instructions
    WHERE instruction = $1 AND object_names = $2 AND role_name IS NOT DISTINCT FROM $3::name ORDER BY id";
/// Characters of the instructions that are in every prompt which has those of this scope.
const USED: &str = "
    SELECT coalesce(sum(length(instruction)), 0)::int8 FROM text2sql._instructions
    WHERE object_names IN ('{}', $1) AND (role_name IS NULL OR role_name = $2::name)";
const ADD: &str = "
    INSERT INTO text2sql._instructions (instruction, role_name, catalog, object_names, object_oids, column_numbers, taught_by)
    VALUES ($1, $2::name, $3, $4, $5, $6, $7::name) RETURNING id";
const IS_VISIBLE: &str = "SELECT true FROM text2sql._instructions WHERE id = $1";
const DROP: &str = "DELETE FROM text2sql._instructions WHERE id = $1 RETURNING id";

/// Adds an instruction; returns its id, also when it already existed.
pub(crate) fn add(
    instruction: Option<&str>,
    applies_to: Option<&str>,
    role_name: Option<&str>,
) -> Result<i64, Error> {
    let text = required(instruction, "instruction")?;
    let length = text.chars().count();
    if length > MAX_INSTRUCTION_CHARS {
        return Err(failure!(
            Limit,
            "the instruction has {length} characters, more than {MAX_INSTRUCTION_CHARS}"
        )
        .with_hint(
            "Say it in two or three sentences, or describe the table with text2sql.describe().",
        ));
    }
    let references = References::to(&match applies_to {
        None => Vec::new(),
        Some(name) => vec![scope(name)?],
    });
    check_visible(&references)?;
    if let Some(role) = role_name
        && spi::read_one::<bool>(ROLE_EXISTS, &[role.into()])?.is_none()
    {
        return Err(failure!(Undefined, "role \"{role}\" does not exist")
            .with_hint("Give the name without quotes: role_name => 'analyst'."));
    }
    take_turns(Purpose::Instructions);
    let names = references.names.clone();
    let known: Option<i64> =
        spi::read_one(FIND, &[text.into(), names.clone().into(), role_name.into()])?;
    if let Some(id) = known {
        return Ok(id);
    }
    // What no prompt has room for is refused here, so that nobody relies on it.
    let used: Option<i64> = as_owner(|| spi::read_one(USED, &[names.into(), role_name.into()]))?;
    let used = usize::try_from(used.unwrap_or(0)).unwrap_or(usize::MAX);
    if used.saturating_add(length) > MAX_TOTAL_CHARS {
        return Err(failure!(
            Limit,
            "the instructions of this scope would have {} characters, more than {MAX_TOTAL_CHARS}",
            used.saturating_add(length)
        )
        .with_detail("Those for the whole database count as well.")
        .with_hint(LIST));
    }
    let user = user_name();
    let ids = as_owner(|| {
        spi::write(
            ADD,
            &[
                text.into(),
                role_name.into(),
                references.catalog.into(),
                references.names.into(),
                references.oids.into(),
                references.column_numbers.into(),
                user.into(),
            ],
            |row| row.read::<i64>(1),
        )
    })?;
    let id = ids.into_iter().flatten().next();
    id.ok_or_else(|| failure!(Internal, "the instruction has no id"))
}

/// The schema or table of that name, if the caller can see it.
fn scope(name: &str) -> Result<crate::pg::access::objects::Object, Error> {
    let object = visible_object(Some(name), "applies_to")?;
    match object.kind {
        ObjectKind::Schema | ObjectKind::Relation => Ok(object),
        ObjectKind::Column => Err(failure!(
            Setting,
            "{} is a column, and an instruction is about a schema or a table",
            object.sql_name()
        )
        .with_hint("Name the table, and say in the instruction which column it means.")),
    }
}

/// Removes an instruction.
pub(crate) fn drop_instruction(id: Option<i64>) -> Result<(), Error> {
    let id = required_id(id, "instruction", LIST)?;
    if spi::read_one::<bool>(IS_VISIBLE, &[id.into()])?.is_none()
        || as_owner(|| spi::write(DROP, &[id.into()], |_| Ok(())))?.is_empty()
    {
        return Err(failure!(Undefined, "instruction {id} does not exist").with_hint(LIST));
    }
    Ok(())
}
