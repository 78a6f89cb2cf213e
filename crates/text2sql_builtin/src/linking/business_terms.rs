//! Business terms: names of definitions, which mean nothing else.

use std::sync::Arc;

use crate::linking::names::synonym_keys;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::words::stem;
use text2sql_understanding::has_query;

/// The refusal if a missing word is a term that a model could use and this engine cannot, because it is
/// defined in words only or by a sub-query.
pub(crate) fn unusable_term(definitions: &[Definition], missing: &[String]) -> Option<Proposal> {
    let stems = |text: &str| text.split_whitespace().map(stem).collect::<Vec<_>>();
    let missing_stems: Vec<String> = missing.iter().map(|word| stem(word)).collect();
    let is_meant = |name: &String| stems(name).iter().any(|word| missing_stems.contains(word));
    let reason = definitions.iter().find_map(|definition| {
        let sql = definition.sql_expression.as_deref().unwrap_or_default();
        let (term, meaning) = (&definition.term, &definition.meaning);
        let why = match sql.trim() {
            "" => format!(
                "\"{term}\" is defined in words alone ({meaning}), and the built-in engine needs its SQL"
            ),
            sql if has_query(sql) => {
                format!("\"{term}\" is defined by a sub-query, and the built-in engine uses none")
            }
            _ => return None,
        };
        let mut names = std::iter::once(term).chain(&definition.synonyms);
        names.any(is_meant).then_some(why)
    })?;
    Some(Proposal::Unanswerable {
        reason,
        missing: missing.to_vec(),
        nearest: Vec::new(),
    })
}

/// The keys of the terms that apply to these tables.
pub(crate) fn applicable(definitions: &[Definition], tables: &[Arc<Table>]) -> Vec<Vec<String>> {
    let applies = |definition: &&Definition| {
        let expression = definition.sql_expression.as_deref().unwrap_or_default();
        let is_of = |table: &Arc<Table>| Some(table.oid) == definition.applies_to;
        !expression.trim().is_empty() && !has_query(expression) && tables.iter().any(is_of)
    };
    let keys = |definition: &Definition| {
        synonym_keys(std::slice::from_ref(&definition.term))
            .chain(synonym_keys(&definition.synonyms))
            .map(|(key, _)| key)
            .collect()
    };
    definitions.iter().filter(applies).map(keys).collect()
}
