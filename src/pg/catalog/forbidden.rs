//! What a question names and may not be read: exact names, looked up by index.

use serde::Deserialize;
use text2sql_core::error::Error;
use text2sql_core::ports::ForbiddenName;

use super::oid_array;
use super::visibility::Scope;
use crate::pg::protection::{self, Level};
use crate::pg::spi;

const FORBIDDEN_NAMES: &str = include_str!("../../../sql/forbidden_names.sql");

/// Longest name that PostgreSQL keeps, in bytes.
const LONGEST_NAME: usize = 63;

#[derive(Deserialize)]
struct Found {
    oid: u32,
    /// 0 for a table.
    number: i16,
    table: String,
    column: Option<String>,
}

/// Tables called like one of the words, and columns of `tables` that are. What is hidden is not told.
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
    let found: Vec<Found> = spi::read_json(
        FORBIDDEN_NAMES,
        &[words.into(), oid_array(tables.iter().copied())],
    )?;
    let mut names = Vec::new();
    for entry in found {
        if !scope.shows(entry.oid)? {
            continue;
        }
        let is_hidden = entry.number != 0
            && protection::of_relation(entry.oid.into())?.column(entry.number) == Level::Hidden;
        if !is_hidden {
            names.push(ForbiddenName {
                table: entry.table,
                column: entry.column,
            });
        }
    }
    Ok(names)
}
