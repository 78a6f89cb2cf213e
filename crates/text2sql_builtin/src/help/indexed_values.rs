//! The values of the search index that phrases of the question mean.

use std::sync::Arc;

use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::Table;
use text2sql_language::edit_distance::is_typo;
use text2sql_language::names::english_words;
use text2sql_language::words::reduce;
use text2sql_understanding::is_word_of_questions;

/// Adds the values to the columns that hold them. Returns the phrases that are spelled otherwise than the only value
/// that they may mean, with that value.
pub(super) fn add(hits: &[(String, ValueHit)], tables: &mut [Arc<Table>]) -> Vec<(String, String)> {
    let mut named: Vec<(String, String)> = Vec::new();
    for (phrase, hit) in hits {
        let is_spelled = reduce(phrase) == reduce(&hit.value);
        let mut of_phrase = hits.iter().filter(|(other, _)| other == phrase);
        let is_only = of_phrase.all(|(_, other)| other.value == hit.value);
        let typed = phrase.to_lowercase();
        let is_word = is_word_of_questions(&typed) || english_words::level(&typed).is_some();
        let is_misspelt = is_only && !is_word && is_typo(&typed, &hit.value.to_lowercase());
        if !is_spelled && !is_misspelt || hit.similarity < 1.0 && is_spelled {
            continue;
        }
        let column = tables
            .iter_mut()
            .find(|table| table.oid == hit.table)
            .and_then(|table| {
                let position = table
                    .columns
                    .iter()
                    .position(|column| column.number == hit.column && !column.is_private)?;
                Arc::make_mut(table).columns.get_mut(position)
            });
        let Some(column) = column else {
            continue;
        };
        if !column.mentioned_values.contains(&hit.value) {
            column.mentioned_values.push(hit.value.clone());
        }
        let other_spelling = (phrase.clone(), hit.value.clone());
        if is_misspelt && !is_spelled && !named.contains(&other_spelling) {
            named.push(other_spelling);
        }
    }
    named
}
