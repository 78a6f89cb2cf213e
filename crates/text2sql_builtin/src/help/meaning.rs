//! Asks what a question means, with the stored values that it mentions.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

use text2sql_phrases::retold;

use super::indexed_values;
use super::lookup::Help;
use super::stored_values::ValueSearch;
use crate::proposal::meaning;

/// What the question means with the stored values that it mentions. A name may be a value of several columns, of which the
/// statistics know one, so they are looked up before anything is understood.
pub(crate) fn propose_with_values(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    help: &dyn Help,
) -> Result<Option<SqlProposal>, Error> {
    let mut known = tables.to_vec();
    indexed_values::add(help.indexed_values(), &mut known);
    let mut translated = Vec::new();
    if let Some(search) = ValueSearch::of(understanding, tables) {
        let found = help.stored_values(search.sql())?;
        known = search.tables_with(&found, &known);
        translated = search.translated(&found);
    }
    let mut proposal = meaning(understanding, &known, definitions).ok();
    if let Some(proposal) = &mut proposal {
        // The reader wrote another word than the one that is stored.
        let is_named = |stored: &str| proposal.links.iter().any(|link| link.contains(stored));
        let read = translated
            .iter()
            .filter(|(_, stored)| is_named(stored))
            .map(|(own, stored)| {
                let note = format!("'{own}' is read as {stored}");
                retold(understanding.language(), "reason", &note)
            })
            .collect::<Vec<_>>();
        proposal.links.extend(read);
    }
    Ok(proposal)
}
