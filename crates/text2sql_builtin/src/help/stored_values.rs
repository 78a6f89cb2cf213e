//! Looks up words of a question among the stored values: those of columns that are unique, or too many for the
//! statistics, such as the names of countries.
//!
//! One query over the text columns of the tables, run as the caller like any other. Columns of private values and
//! tables with row security are left out: a policy may call functions of the table's owner, and the asker did not
//! name the table. Tables with more than [`MAX_ROWS`] rows are not read.

use std::sync::Arc;

use text2sql_domain::schema::{
    Column, Table, TableFamily, TableKind, TypeCategory, quote_identifier, quote_literal,
};
use text2sql_language::english::lexicon;
use text2sql_language::german::proper_names;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind};

use crate::linking::links::Links;
use crate::linking::mention::ColumnId;

/// Maximum number of rows of a table that are compared.
const MAX_ROWS: f64 = 20_000.0;

/// Maximum number of values that are compared in all: some 10 million a second.
const MAX_VALUES: f64 = 300_000.0;

/// Maximum number of columns: the plan of the query grows with it.
const MAX_COLUMNS: usize = 60;

/// Maximum number of words of a value.
const MAX_WORDS: usize = 4;

/// Maximum number of phrases that are looked up.
const MAX_PHRASES: usize = 24;

/// Rows of a table whose values are kinds of things rather than names: a word in lower case may mean one of them.
const MAX_KINDS: f64 = 300.0;

/// What is assumed of a table that was never analysed.
const UNKNOWN_ROWS: f64 = 5_000.0;

/// A part of the question that may be a value.
struct Phrase {
    /// As written.
    text: String,
    /// In lower case, and the English names if it is a German one.
    keys: Vec<String>,
    /// In quotes, or with a capital in the sentence, or after "in" or "from".
    is_marked: bool,
}

/// A query for the values that a question may mention.
pub(super) struct ValueSearch {
    phrases: Vec<Phrase>,
    columns: Vec<ColumnId>,
    /// Whether a word in lower case may mean a value of the column, in the order of the columns.
    holds_kinds: Vec<bool>,
    sql: String,
}

impl ValueSearch {
    /// The query; `None` if there is nothing to look up.
    pub(super) fn of(understanding: &Understanding, tables: &[Arc<Table>]) -> Option<Self> {
        let phrases = phrases(understanding, tables);
        if phrases.is_empty() {
            return None;
        }
        let mut keys: Vec<&String> = phrases.iter().flat_map(|phrase| &phrase.keys).collect();
        keys.sort_unstable();
        keys.dedup();
        let list: Vec<String> = keys.iter().map(|key| quote_literal(key)).collect();
        let list = list.join(", ");
        let (mut columns, mut holds_kinds, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (id, rows) in searched(tables) {
            let Some((table, column)) = column_of(tables, id) else {
                continue;
            };
            let place = columns.len();
            let column = quote_identifier(&column.name);
            let names = match &table.family {
                None => vec![table.sql_name()],
                Some(family) => family
                    .members
                    .iter()
                    .map(|one| one.table.sql_name())
                    .collect(),
            };
            parts.extend(names.iter().map(|name| format!(
                "SELECT DISTINCT {place} AS place, t.value FROM (SELECT c.{column}::text AS value FROM {name} AS c LIMIT {MAX_ROWS}) AS t WHERE lower(t.value) IN ({list})"
            )));
            columns.push(id);
            holds_kinds.push(rows <= MAX_KINDS);
        }
        (!columns.is_empty()).then(|| Self {
            phrases,
            columns,
            holds_kinds,
            sql: parts.join("\nUNION ALL\n"),
        })
    }

    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// The tables with the values that were found.
    pub(super) fn tables_with(
        &self,
        found: &[(usize, String)],
        tables: &[Arc<Table>],
    ) -> Vec<Arc<Table>> {
        let mut tables = tables.to_vec();
        for (place, value) in found {
            let key = value.to_lowercase();
            let may_mean = self.holds_kinds.get(*place).copied().unwrap_or_default();
            let is_meant = self
                .phrases
                .iter()
                .any(|phrase| phrase.keys.contains(&key) && (phrase.is_marked || may_mean));
            let Some(id) = self.columns.get(*place).filter(|_| is_meant) else {
                continue;
            };
            if let Some(column) = tables
                .get_mut(id.table)
                .map(Arc::make_mut)
                .and_then(|table| table.columns.get_mut(id.column))
            {
                column.mentioned_values.push(value.clone());
            }
        }
        tables
    }

    /// German names of the question, each with the stored value that it stands for.
    pub(super) fn translated(&self, found: &[(usize, String)]) -> Vec<(String, String)> {
        let named = self.phrases.iter().filter_map(|phrase| {
            let (own, english) = phrase.keys.split_first()?;
            let stored = |key: &String| {
                found
                    .iter()
                    .map(|(_, value)| value)
                    .find(|value| value.to_lowercase() == *key)
            };
            if stored(own).is_some() {
                return None;
            }
            let value = english.iter().find_map(stored)?;
            Some((phrase.text.clone(), value.clone()))
        });
        named.collect()
    }
}

/// The parts of the question that neither the grammar nor the names of the tables explain.
fn phrases(understanding: &Understanding, tables: &[Arc<Table>]) -> Vec<Phrase> {
    let tokens = understanding.tokens();
    let links = Links::find(tokens, tables, &[]);
    let is_unknown = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            let is_name = at > 0 && token.text != token.lower;
            token.kind == TokenKind::Quoted
                || token.kind == TokenKind::Word
                    && token.number.is_none()
                    && !lexicon::is_known(&token.lower)
                    && (is_name || !links.covers(at))
        })
    };
    let mut phrases: Vec<Phrase> = Vec::new();
    for start in (0..tokens.len()).filter(|start| is_unknown(*start)) {
        for end in start + 1..=(start + MAX_WORDS).min(tokens.len()) {
            let Some(span) = tokens.get(start..end) else {
                break;
            };
            let is_word = |token: &Token| {
                let is_name = token.text != token.lower;
                matches!(token.kind, TokenKind::Word | TokenKind::Number)
                    && !token.surface.is_empty()
                    && (is_name || !lexicon::is_known(&token.lower))
            };
            let is_quoted = span
                .first()
                .is_some_and(|first| first.kind == TokenKind::Quoted);
            if is_quoted && end > start + 1 || !is_quoted && !span.iter().all(is_word) {
                break;
            }
            if phrases.len() >= MAX_PHRASES {
                return phrases;
            }
            let words: Vec<&str> = span.iter().map(|token| token.surface.as_str()).collect();
            let text = words.join(" ");
            let follows = start
                .checked_sub(1)
                .and_then(|before| tokens.get(before))
                .is_some_and(|before| matches!(before.lower.as_str(), "in" | "from" | "at"));
            let is_name = |token: &Token| token.text != token.lower;
            let has_capitals = start > 0 && span.iter().all(is_name);
            let english = proper_names::in_english(&text).iter();
            phrases.push(Phrase {
                keys: std::iter::once(text.to_lowercase())
                    .chain(english.map(|name| name.to_lowercase()))
                    .collect(),
                is_marked: is_quoted || has_capitals || follows,
                text,
            });
        }
    }
    phrases
}

/// The columns to search with the number of rows of their tables, the smallest tables first.
fn searched(tables: &[Arc<Table>]) -> Vec<(ColumnId, f64)> {
    let mut columns: Vec<(ColumnId, f64)> = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let rows = table.row_estimate.filter(|rows| *rows >= 0.0);
        let rows = rows.unwrap_or(UNKNOWN_ROWS);
        let is_stored = matches!(table.kind, TableKind::Table | TableKind::PartitionedTable);
        if !is_stored || table.has_row_security || rows > MAX_ROWS {
            continue;
        }
        for (position, column) in table.columns.iter().enumerate() {
            let id = ColumnId {
                table: at,
                column: position,
            };
            let is_made = |family: &TableFamily| family.column == column.name;
            if is_searched(column) && !table.family.as_deref().is_some_and(is_made) {
                columns.push((id, rows));
            }
        }
    }
    columns.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    columns.truncate(MAX_COLUMNS);
    let mut values = 0.0;
    columns.retain(|(_, rows)| {
        values += rows;
        values <= MAX_VALUES
    });
    columns
}

/// Text whose values the asker may be shown. A generated column may call functions.
fn is_searched(column: &Column) -> bool {
    column.category == TypeCategory::Text && !column.is_private && !column.is_generated
}

fn column_of(tables: &[Arc<Table>], id: ColumnId) -> Option<(&Table, &Column)> {
    let table = tables.get(id.table)?;
    Some((table, table.columns.get(id.column)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::{Help, propose_with_help};
    use crate::tests::{TODAY, company};
    use text2sql_domain::error::Error;
    use text2sql_domain::proposal::Proposal;

    /// Stored values: the condition that the query must have, and the value.
    struct Stored(&'static str, &'static str);

    impl Help for Stored {
        fn stored_values(&self, sql: &str) -> Result<Vec<(usize, String)>, Error> {
            let (column, value) = (self.0, self.1);
            let mut parts = sql.lines().filter(|line| line.starts_with("SELECT"));
            let place = parts.position(|part| {
                part.contains(column) && part.contains(&format!("'{}'", value.to_lowercase()))
            });
            Ok(place.map(|at| (at, value.to_owned())).into_iter().collect())
        }
    }

    fn answer(question: &str, stored: &Stored) -> Proposal {
        let understanding = Understanding::of(question, TODAY);
        propose_with_help(&understanding, &company(), &[], stored)
            .unwrap()
            .proposal
    }

    #[test]
    fn a_value_behind_foreign_keys_is_a_condition() {
        let norway = Stored("c.name::text AS value FROM countries", "Norway");
        let Proposal::Sql(found) = answer("Which customers are in Norway?", &norway) else {
            panic!("declined");
        };
        assert!(found.sql.contains("c2.name = 'Norway'"), "{}", found.sql);
        assert_eq!(found.links, ["'Norway' is countries.name"]);
    }

    #[test]
    fn a_german_name_is_read_as_the_stored_english_one() {
        let norway = Stored("c.name::text AS value FROM countries", "Norway");
        let Proposal::Sql(found) = answer("Wie viele Kunden kommen aus Norwegen?", &norway) else {
            panic!("declined");
        };
        assert!(found.sql.contains("c2.name = 'Norway'"), "{}", found.sql);
        assert_eq!(
            found.links,
            [
                "„Kunden“ ist die Tabelle customers",
                "„Norway“ ist countries.name",
                "„Norwegen“ wird als Norway gelesen"
            ]
        );
    }
}
