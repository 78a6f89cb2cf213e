//! Which tables a question is about: a value that is found elsewhere is there by chance as often as not.

use std::collections::HashSet;

use crate::context::Context;
use crate::found_table::Reason;
use crate::values::BEST_TABLES;
use text2sql_domain::schema::Table;
use text2sql_language::terms::Analyzer;

/// The tables that the question or a term names, the best that were found by more than a value, and those that they
/// refer to. Where the question names none and nothing was searched for, it may be about any.
pub fn in_play(context: &Context, analyzer: &Analyzer) -> HashSet<u32> {
    let said: HashSet<&str> = context.asked.terms.iter().map(String::as_str).collect();
    let is_said = |name: &str| {
        let terms = analyzer.terms_of_name(name);
        !terms.is_empty() && terms.iter().all(|term| said.contains(term.as_str()))
    };
    let is_called =
        |table: &Table| is_said(&table.name) || table.synonyms.iter().any(|name| is_said(name));
    let named = context.tables.iter().filter(|table| is_called(table));
    let mut tables: HashSet<u32> = named.map(|table| table.oid).collect();
    for (place, found) in context.found.iter().enumerate() {
        let is_meant = found.reasons.iter().any(|reason| match reason {
            Reason::Named | Reason::Defined(_) => true,
            Reason::Value => false,
            _ => place < BEST_TABLES,
        });
        if is_meant {
            tables.insert(found.table);
        }
    }
    if tables.is_empty() {
        return context.tables.iter().map(|table| table.oid).collect();
    }
    let about = context
        .tables
        .iter()
        .filter(|table| tables.contains(&table.oid));
    let referred: Vec<u32> = about
        .flat_map(|table| {
            let likely = table.likely_joins.iter().map(|join| &join.key);
            table.foreign_keys.iter().chain(likely)
        })
        .map(|key| key.target)
        .collect();
    tables.extend(referred);
    tables
}
