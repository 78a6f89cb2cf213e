//! The owner's instructions for a role, cached for the session.
//!
//! They are read at the first question and again after any relation, grant or stored knowledge changed, because that
//! may change who can see them.

use std::rc::Rc;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::instruction::{Instruction, InstructionScope};

use crate::pg::access::catalog::SessionCache;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const READ_INSTRUCTIONS: &str = include_str!("../../../../sql/queries/read_instructions.sql");

/// Maximum number of roles whose instructions a session caches.
const MAX_ROLES: usize = 8;

thread_local! {
    /// By the role that asks.
    static KNOWN: SessionCache<u32, Rc<[Instruction]>> = SessionCache::new(MAX_ROLES);
}

#[derive(Deserialize)]
struct Document {
    id: i64,
    text: String,
    table: Option<u32>,
    schema: Option<String>,
}

/// The instructions of the calling role, if the session knows them: most questions need no query for them.
pub(crate) fn known() -> Option<Vec<Instruction>> {
    SessionCache::get(&KNOWN, &asking()).map(|known| known.to_vec())
}

/// The role that asks.
fn asking() -> u32 {
    // SAFETY: reads a variable.
    unsafe { pg_sys::GetUserId() }.to_u32()
}

/// The instructions that are for the calling role and that `role`, as which its questions run, may see.
pub(crate) fn for_role(role: &EffectiveRole) -> Result<Vec<Instruction>, Error> {
    let instructions = SessionCache::get_or_read(&KNOWN, asking(), || {
        let name = user_name();
        let documents: Vec<Document> = with_role(role, || match may_read(c"_instructions") {
            true => spi::read_json(READ_INSTRUCTIONS, &[name.into()]),
            false => Ok(Vec::new()),
        })?;
        let instructions = documents.into_iter().map(|document| Instruction {
            id: document.id,
            text: document.text,
            scope: match (document.table, document.schema) {
                (Some(table), _) => InstructionScope::Table(table),
                (None, Some(schema)) => InstructionScope::Schema(schema),
                (None, None) => InstructionScope::Database,
            },
        });
        Ok(instructions.collect())
    })?;
    Ok(instructions.to_vec())
}
