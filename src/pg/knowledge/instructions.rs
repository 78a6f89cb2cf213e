//! The owner's instructions for a role, cached for the session.
//!
//! They are read at the first question and again after any relation, grant or stored knowledge changed, because that
//! may change who can see them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::instruction::{Instruction, InstructionScope};

use crate::pg::catalog::catalog_generation;
use crate::pg::objects::own_tables::may_read;
use crate::pg::session::user_name;
use crate::pg::spi;
use crate::pg::spi::role::{EffectiveRole, with_role};

const READ_INSTRUCTIONS: &str = include_str!("../../../sql/queries/read_instructions.sql");

/// Maximum number of roles whose instructions a session caches.
const MAX_ROLES: usize = 8;

thread_local! {
    /// By the role that asks. Never borrowed while a query runs.
    static KNOWN: RefCell<HashMap<u32, Rc<[Instruction]>>> = RefCell::new(HashMap::new());
    /// The generation of the catalog in which they were read.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

#[derive(Deserialize)]
struct Document {
    id: i64,
    text: String,
    table: Option<u32>,
    schema: Option<String>,
}

/// The instructions that are for the calling role and that `role`, as which its questions run, may see.
pub(crate) fn for_role(role: &EffectiveRole) -> Result<Vec<Instruction>, Error> {
    let generation = catalog_generation();
    if GENERATION.replace(generation) != generation {
        KNOWN.with_borrow_mut(HashMap::clear);
    }
    // SAFETY: reads a variable.
    let asking = unsafe { pg_sys::GetUserId() }.to_u32();
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&asking).cloned()) {
        return Ok(known.to_vec());
    }
    let name = user_name();
    let documents: Vec<Document> = with_role(role, || match may_read(c"_instructions") {
        true => spi::read_json(READ_INSTRUCTIONS, &[name.into()]),
        false => Ok(Vec::new()),
    })?;
    let instructions: Vec<Instruction> = documents
        .into_iter()
        .map(|document| Instruction {
            id: document.id,
            text: document.text,
            scope: match (document.table, document.schema) {
                (Some(table), _) => InstructionScope::Table(table),
                (None, Some(schema)) => InstructionScope::Schema(schema),
                (None, None) => InstructionScope::Database,
            },
        })
        .collect();
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MAX_ROLES {
            known.clear();
        }
        known.insert(asking, instructions.clone().into());
    });
    Ok(instructions)
}
