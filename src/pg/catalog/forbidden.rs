//! The objects that a question names and the caller may not read: exact names, looked up by index.

use std::cell::RefCell;
use std::rc::Rc;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::ports::ForbiddenName;

use super::generation::catalog_generation;
use super::visibility::Scope;
use crate::pg::protection::{self, Level};
use crate::pg::spi;

const FORBIDDEN_NAMES: &str = include_str!("../../../sql/queries/forbidden_names.sql");

/// Maximum length of a PostgreSQL identifier, in bytes.
const LONGEST_NAME: usize = 63;

/// Maximum number of questions whose look-up a session caches.
const MAX_REMEMBERED: usize = 256;

/// The role, the words, the tables.
type Asked = (u32, Vec<String>, Vec<u32>);

/// The look-ups made in one state of the catalog. Hidden objects are filtered out each time.
#[derive(Default)]
struct Known {
    generation: u64,
    found: Vec<(Asked, Rc<Vec<Found>>)>,
}

thread_local! {
    /// Never borrowed while a query runs: a query may raise.
    static KNOWN: RefCell<Known> = RefCell::new(Known::default());
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
    let generation = catalog_generation();
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    let asked: Asked = (role, words, tables.to_vec());
    let known = KNOWN.with_borrow(|known| {
        let mut found = known.found.iter();
        let found = found.find(|(known, _)| *known == asked);
        found
            .filter(|_| known.generation == generation)
            .map(|(_, found)| Rc::clone(found))
    });
    if let Some(found) = known {
        return Ok(found);
    }
    let arguments = [
        asked.1.clone().into(),
        spi::oid_array(asked.2.iter().copied()),
    ];
    let found: Rc<Vec<Found>> = Rc::new(spi::read_json(FORBIDDEN_NAMES, &arguments)?);
    KNOWN.with_borrow_mut(|known| {
        if known.generation != generation || known.found.len() >= MAX_REMEMBERED {
            *known = Known {
                generation,
                ..Known::default()
            };
        }
        known.found.push((asked, Rc::clone(&found)));
    });
    Ok(found)
}
