//! Searches again for a table name that a query uses and the prompt did not have: the table may exist
//! and not have been found.

use std::sync::Arc;

use crate::retrieve::{TableChars, retrieve};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::{Understanding, name_words};

/// Maximum number of tables that the second search adds: one name means one table, with its neighbours.
const MAX_ADDED: usize = 5;

/// Tables that are not `known` and that `name` may mean, best first.
pub fn find_unknown_name(
    cx: &Run<'_>,
    understanding: &Understanding,
    known: &[Arc<Table>],
    name: &str,
    table_chars: TableChars,
) -> Result<Vec<Arc<Table>>, Error> {
    let parts = name.replace(['_', '.'], " ");
    let words = name_words(&format!("{name} {parts}"));
    let mut found = match words.as_slice() {
        [] => Vec::new(),
        words => cx.catalog.find(words, MAX_ADDED)?,
    };
    // The name alone first, then with the question around it.
    if let Ok(asked) = Question::new(&format!("{parts} {}", understanding.text())) {
        let asked = Understanding::of(asked.as_str(), understanding.today());
        found.extend(
            retrieve(cx, &asked, table_chars)?
                .tables
                .iter()
                .map(|table| table.oid),
        );
    }
    let mut added: Vec<u32> = Vec::new();
    for oid in found {
        if !added.contains(&oid) && known.iter().all(|table| table.oid != oid) {
            added.push(oid);
        }
    }
    added.retain(|oid| !cx.config.without.contains(oid));
    added.truncate(MAX_ADDED);
    cx.catalog.describe(&added)
}
