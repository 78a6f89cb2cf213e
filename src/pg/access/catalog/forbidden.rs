//! The objects that a question names and the caller may not read: exact names, looked up by index.

use std::rc::Rc;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::ports::ForbiddenName;

use super::session_cache::SessionCache;
use super::visibility::Scope;
use crate::pg::access::protection::{self, Level};
use crate::pg::server::spi;

const FORBIDDEN_NAMES: &str = include_str!("../../../../sql/queries/forbidden_names.sql");

/// Maximum length of a PostgreSQL identifier, in bytes.
const LONGEST_NAME: usize = 63;

/// Maximum number of questions whose look-up a session caches.
const MAX_REMEMBERED: usize = 256;

/// The role, the words, the tables.
type Asked = (u32, Vec<String>, Vec<u32>);

thread_local! {
    /// Hidden objects are filtered out each time.
    static KNOWN: SessionCache<Asked, Rc<Vec<Found>>> = SessionCache::new(MAX_REMEMBERED);
}

#[derive(Deserialize)]
struct Found {
    oid: u32,
    /// 0 for a table.
    number: i16,
    table: String,
    column: Option<String>,
}

/// Tables named like one of the words, and columns of `tables` that are. Hidden objects are omitted.
pub(super) fn names(
    scope: &Scope,
    words: &[String],
    tables: &[u32],
) -> Result<Vec<ForbiddenName>, Error> {
    let words: Vec<&String> = words
        .iter()
        .filter(|word| word.len() <= LONGEST_NAME)
        .collect();
    let words: Vec<String> = words.into_iter().cloned().collect();
    let mut names = Vec::new();
    for entry in look_up(words, tables)?.iter() {
        if !scope.shows(entry.oid)? {
            continue;
        }
        let is_hidden = entry.number != 0
            && protection::of_relation(entry.oid.into())?.column(entry.number) == Level::Hidden;
        if !is_hidden {
            names.push(ForbiddenName {
                table: entry.table.clone(),
                column: entry.column.clone(),
            });
        }
    }
    Ok(names)
}

fn look_up(words: Vec<String>, tables: &[u32]) -> Result<Rc<Vec<Found>>, Error> {
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    let arguments = [words.clone().into(), spi::oid_array(tables.iter().copied())];
    SessionCache::get_or_read(&KNOWN, (role, words, tables.to_vec()), || {
        Ok(Rc::new(spi::read_json(FORBIDDEN_NAMES, &arguments)?))
    })
}
