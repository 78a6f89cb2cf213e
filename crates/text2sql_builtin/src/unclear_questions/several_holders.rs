//! "How many users are there?" where a table's name ends so, and the comments of others say that they hold users as well:
//! that of the name is one of several. So are tables of which only the comments say it, and those of one name in several
//! schemas.

use std::sync::Arc;

use crate::linking::readable_names::{plural, readable, singular};
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{TokenKind, stem};

/// What comments say before they say what the rows are: "contains users from Azure", "all users of the shop".
const BEFORE: &[&str] = &[
    "contains", "contain", "holds", "stores", "lists", "list", "of", "has", "all", "the", "one",
    "row", "rows", "per", "for", "each", "every", "a", "an", "our", "enthält", "hält", "alle",
    "die", "der", "das", "eine", "zeile", "je", "pro",
];

/// Maximum number of tables that are offered.
const MAX_READINGS: usize = 4;

/// The question about each table that may be meant, if there are several. `answer` is what it was understood as.
pub(crate) fn readings(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    answer: Option<&SqlProposal>,
) -> Vec<String> {
    let tokens = understanding.tokens();
    let base: Vec<&Arc<Table>> = tables
        .iter()
        .filter(|table| table.derived_by.is_none() && table.family.is_none())
        .collect();
    let is_said = |word: &str| tokens.iter().any(|token| token.stem == stem(word));
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Word) {
        let words_of = |name: &str| -> Vec<String> {
            readable(name).split(' ').map(str::to_lowercase).collect()
        };
        let is_called = |name: &str| {
            words_of(name)
                .iter()
                .map(|word| stem(word))
                .eq([token.stem.clone()])
        };
        // Tables of one name in several schemas, where none of them was taken.
        let called: Vec<&&Arc<Table>> = base
            .iter()
            .filter(|table| answer.is_none() && is_called(&table.name))
            .collect();
        if let [first, second, ..] = called.as_slice()
            && first.name == second.name
        {
            let asked = called.iter().take(MAX_READINGS).map(|table| {
                let name = format!("{}.{}", table.schema, table.name);
                understanding.text().replacen(&token.surface, &name, 1)
            });
            return asked.collect();
        }
        // A table or a column of this name, or one that was taught it, is meant.
        let is_known = base.iter().any(|table| {
            let synonyms = table.synonyms.iter();
            let mut names = synonyms.chain([&table.name]);
            names.any(|name| is_called(name))
        });
        if is_known || token.stem.len() < 3 {
            continue;
        }
        let ends_so = |table: &&&Arc<Table>| {
            let words = words_of(&table.name);
            let Some((last, before @ [_, ..])) = words.split_last() else {
                return false;
            };
            stem(last) == token.stem && !before.iter().any(|word| is_said(word))
        };
        let holds = |table: &&&Arc<Table>| {
            let comment = table.comment.as_deref().unwrap_or_default().to_lowercase();
            let mut words = comment
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty());
            let first = words.find(|word| !BEFORE.contains(word));
            first.is_some_and(|word| stem(word) == token.stem)
        };
        let named: Vec<&&Arc<Table>> = base.iter().filter(ends_so).collect();
        let is_read = |table: &&&Arc<Table>| {
            answer.is_some_and(|answer| answer.sql.contains(&table.sql_name()))
        };
        if !named.is_empty() && !named.iter().any(is_read) {
            continue;
        }
        let others = base
            .iter()
            .filter(holds)
            .filter(|table| !named.iter().any(|known| known.oid == table.oid));
        let all: Vec<&&Arc<Table>> = named.iter().copied().chain(others).collect();
        if all.len() == named.len() || all.len() < 2 {
            continue;
        }
        let asked = all.iter().take(MAX_READINGS).map(|table| {
            let one = singular(&table.name);
            let noun = match token.surface.to_lowercase().ends_with('s') {
                true => plural(&one),
                false => one,
            };
            understanding.text().replacen(&token.surface, &noun, 1)
        });
        return asked.collect();
    }
    Vec::new()
}
