//! Whether the SQL of examples is still valid: judged when a question first uses an example, and again when
//! the catalog has changed. Verdicts are cached for the session.

use std::cell::RefCell;
use std::collections::HashMap;

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use crate::pg::catalog::catalog_generation;
use crate::pg::knowledge::stored_sql::SqlCheck;

/// Maximum number of verdicts that a session caches.
const MAX_REMEMBERED: usize = 10_000;

/// What a verdict depends on besides the catalog: the role, name resolution, the statement.
type Key = (u32, Vec<u32>, String);

/// The verdicts of one state of the catalog.
#[derive(Default)]
struct Known {
    generation: u64,
    verdicts: HashMap<Key, bool>,
}

thread_local! {
    /// Never borrowed while a statement is judged.
    static KNOWN: RefCell<Known> = RefCell::new(Known::default());
}

/// Whether the server accepts the SQL of an example now.
pub(crate) fn is_accepted(sql: &str) -> Result<bool, Error> {
    let generation = catalog_generation();
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    let key = (role, crate::pg::objects::search_path(), sql.to_owned());
    let known = KNOWN.with_borrow_mut(|known| {
        if known.generation != generation || known.verdicts.len() >= MAX_REMEMBERED {
            *known = Known {
                generation,
                ..Known::default()
            };
        }
        known.verdicts.get(&key).copied()
    });
    if let Some(is_accepted) = known {
        return Ok(is_accepted);
    }
    let is_accepted = SqlCheck::new()?.problem(sql)?.is_none();
    KNOWN.with_borrow_mut(|known| known.verdicts.insert(key, is_accepted));
    Ok(is_accepted)
}
