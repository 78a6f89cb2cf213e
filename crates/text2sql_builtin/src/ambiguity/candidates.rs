//! Narrows candidate columns by the other words of the question, and merges candidates that hold the same
//! values.

use super::linked_question::{LinkedQuestion, distinct_tables};
use crate::linking::column_types::{is_date, is_number};
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::words::TokenKind;

/// Minimum number of letters for a prefix match: "launch" of `launched_on`.
const MIN_LETTERS: usize = 4;

impl LinkedQuestion<'_> {
    /// The only candidate with further words in the question, from its own name or its table's.
    pub(crate) fn singled_out(&self, candidates: &[ColumnId]) -> Option<ColumnId> {
        let words: Vec<&str> = self
            .tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.stem.as_str())
            .collect();
        let own: Vec<Vec<String>> = candidates.iter().map(|id| self.words_of(*id)).collect();
        let score = |at: usize| {
            let mine = own.get(at)?;
            // A word that all candidates share does not distinguish them.
            let telling = mine
                .iter()
                .filter(|word| !own.iter().all(|words| words.contains(word)));
            Some(
                telling
                    .filter(|word| words.iter().any(|other| is_same_word(other, word)))
                    .count(),
            )
        };
        // `product_name` belongs to `products` first.
        let mut natural = candidates.iter().filter(|id| self.begins_like_table(**id));
        if let (Some(only), None) = (natural.next(), natural.next()) {
            return Some(*only);
        }
        let scores: Vec<usize> = (0..candidates.len()).filter_map(score).collect();
        let best = scores.iter().copied().max().filter(|best| *best > 0)?;
        let mut leaders = scores
            .iter()
            .enumerate()
            .filter(|(_, score)| **score == best);
        let (first, _) = leaders.next()?;
        match leaders.next() {
            None => candidates.get(first).copied(),
            Some(_) => None,
        }
    }

    /// The words of the column's name and of its table's.
    pub(crate) fn words_of(&self, id: ColumnId) -> Vec<String> {
        let table = self.tables.get(id.table);
        let column = table.and_then(|table| table.columns.get(id.column));
        let names = [
            column.map(|column| &column.name),
            table.map(|table| &table.name),
        ];
        let names = names.into_iter().flatten();
        names.flat_map(|name| names::words_of(name)).collect()
    }

    pub(crate) fn begins_like_table(&self, id: ColumnId) -> bool {
        let Some(table) = self.tables.get(id.table) else {
            return false;
        };
        let column = table.columns.get(id.column);
        let words = column.map(|column| names::words_of(&column.name));
        let own = names::words_of(&table.name);
        words.is_some_and(|words| words.len() > own.len() && words.starts_with(&own))
    }

    /// Drops foreign key columns that reference another candidate, and keeps one of those that reference
    /// the same column: they hold the same values.
    pub(crate) fn without_references(&self, candidates: Vec<ColumnId>) -> Vec<ColumnId> {
        let mut kept: Vec<ColumnId> = Vec::new();
        for id in &candidates {
            let is_same = candidates.iter().any(|other| self.refers_to(*id, *other))
                || kept.iter().any(|other| self.refer_alike(*id, *other));
            if !is_same {
                kept.push(*id);
            }
        }
        kept
    }

    /// The columns that the column references, alone or as part of a composite key.
    pub(crate) fn targets(&self, id: ColumnId) -> Vec<(u32, &str)> {
        let Some(table) = self.tables.get(id.table) else {
            return Vec::new();
        };
        let name = table.columns.get(id.column).map(|column| &column.name);
        let keys = table.foreign_keys.iter().filter_map(|key| {
            let place = key.columns.iter().position(|column| Some(column) == name)?;
            Some((key.target, key.target_columns.get(place)?.as_str()))
        });
        keys.collect()
    }

    pub(crate) fn refers_to(&self, one: ColumnId, other: ColumnId) -> bool {
        let table = self.tables.get(other.table);
        let column = table.and_then(|table| table.columns.get(other.column));
        self.targets(one).iter().any(|(target, name)| {
            table.is_some_and(|table| table.oid == *target)
                && column.is_some_and(|column| column.name == *name)
        })
    }

    /// Whether columns of two tables reference the same column.
    pub(crate) fn refer_alike(&self, one: ColumnId, other: ColumnId) -> bool {
        let targets = self.targets(other);
        one.table != other.table
            && self
                .targets(one)
                .iter()
                .any(|target| targets.contains(target))
    }

    /// Whether the candidates are first and last name, which "name" means together.
    pub(crate) fn is_part_of_name(&self, mention: &Mention, candidates: &[ColumnId]) -> bool {
        const PARTS: [&str; 5] = ["name", "id", "code", "number", "no"];
        let is_one_word = mention.end == mention.start + 1;
        let word = self.tokens.get(mention.start);
        distinct_tables(candidates) == 1
            && is_one_word
            && word.is_some_and(|word| PARTS.contains(&word.stem.as_str()))
    }

    /// Whether the candidates are the name and the key of one thing: `station_name` and `station_id`.
    pub(crate) fn is_one_thing(&self, candidates: &[ColumnId]) -> bool {
        let thing = |id: &ColumnId| {
            let column = self.tables.get(id.table)?.columns.get(id.column)?;
            let mut words = names::words_of(&column.name);
            if names::ends_with_kind_word(&column.name) {
                words.pop();
            }
            Some((id.table, words))
        };
        let first = candidates.first().and_then(thing);
        candidates.iter().all(|id| thing(id) == first)
    }

    /// Whether all candidates have comparable types: a date is no alternative to a number.
    pub(crate) fn are_alike(&self, candidates: &[ColumnId]) -> bool {
        let kind = |id: &ColumnId| {
            let column = self.tables.get(id.table)?.columns.get(id.column)?;
            Some((
                is_date(column),
                is_number(column),
                column.category == TypeCategory::Text,
            ))
        };
        let first = candidates.first().and_then(kind);
        candidates.iter().all(|id| kind(id) == first)
    }
}

fn is_same_word(other: &str, word: &str) -> bool {
    let is_beginning =
        |short: &str, long: &str| short.len() >= MIN_LETTERS && long.starts_with(short);
    other == word || is_beginning(other, word) || is_beginning(word, other)
}
