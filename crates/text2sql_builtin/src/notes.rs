//! Notes about the relations that an answer reads.

use std::sync::Arc;

use text2sql_domain::schema::{DerivedBy, Table};
use text2sql_phrases::{Language, say_in};

/// Notes for relations that are derived from others.
pub(crate) fn derived_tables(sql: &str, tables: &[Arc<Table>], language: Language) -> Vec<String> {
    let note = |table: &Arc<Table>| {
        let name = table.sql_name();
        let origin = table.derived_by.filter(|_| reads(sql, &name))?;
        Some(match origin {
            DerivedBy::Answer => say_in!(
                language,
                "{name} holds the answer to an earlier question (text2sql.ask_view)",
                name
            ),
            DerivedBy::Dbt => say_in!(
                language,
                "{name} is a model of dbt, made of other tables",
                name
            ),
        })
    };
    tables.iter().filter_map(note).collect()
}

/// Whether the SQL names the relation, as the engine writes it.
fn reads(sql: &str, name: &str) -> bool {
    sql.match_indices(name).any(|(at, found)| {
        let before = sql.get(..at).and_then(|before| before.chars().next_back());
        let after = sql
            .get(at + found.len()..)
            .and_then(|after| after.chars().next());
        let is_part =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '"'));
        !is_part(before) && !is_part(after) && before != Some('.')
    })
}
