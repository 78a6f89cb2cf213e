//! A question with its unknown words as the tables have them.

use std::sync::Arc;

use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

use super::unknown_words;
use super::vocabulary::Vocabulary;
use crate::linking::derived_tables::base_tables;

/// The question with its unknown words as the tables have them; `None` if there are none.
pub(crate) fn reread(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<String> {
    let base = base_tables(understanding.tokens(), tables, definitions);
    let base = base.as_deref().unwrap_or(tables);
    let vocabulary = Vocabulary::of(base);
    let spelled = unknown_words::spelled(understanding, base, definitions, &vocabulary);
    spelled.map(|spelled| spelled.text)
}
