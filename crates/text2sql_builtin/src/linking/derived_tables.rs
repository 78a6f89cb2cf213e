//! Derived relations: views, saved answers, dbt models and summary tables.
//!
//! The words of a question refer to base tables first. A question is read without derived relations, and
//! with all of them only if that gives no answer, so that a view `customers_per_country` does not change
//! "How many customers per country?". A question refers to the view by its SQL name
//! (`customers_per_country`), with its schema (`reports.customers`) or in quotes.

use std::sync::Arc;

use crate::linking::names::{self, address};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::words::{Token, stem};

/// Prepositions that make a name a phrase: "orders by month".
#[rustfmt::skip]
const JOINING: &[&str] = &[
    "by", "per", "each", "in", "of", "for", "from", "with", "without", "since", "until", "before", "after",
    "during", "between", "pro", "je", "nach", "im", "von", "für", "fuer", "mit", "ohne", "seit", "bis", "aus",
];

/// First words of a name that ask for an aggregate or for top rows: "total revenue".
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "total", "average", "avg", "mean", "median", "sum", "count", "number", "top", "bottom", "max", "min",
    "maximum", "minimum", "most", "least", "highest", "lowest", "latest", "newest", "oldest", "last", "first",
    "all", "list", "anzahl", "summe", "durchschnitt", "alle", "gesamt",
];

/// The tables without derived relations; `None` if there are none.
pub(crate) fn base_tables(
    tokens: &[Token],
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Vec<Arc<Table>>> {
    let is_left_out = |table: &Table| {
        let yields =
            is_derived(table, tables) || is_summary(table, tables) || is_shadowed(table, tables);
        yields && !is_addressed(table, tokens, definitions)
    };
    let kept: Vec<Arc<Table>> = tables
        .iter()
        .filter(|table| !is_left_out(table))
        .cloned()
        .collect();
    (kept.len() < tables.len() && !kept.is_empty()).then_some(kept)
}

/// Whether it is derived from another of the tables.
pub(crate) fn is_derived(table: &Table, tables: &[Arc<Table>]) -> bool {
    table
        .made_of
        .iter()
        .any(|oid| *oid != table.oid && tables.iter().any(|other| other.oid == *oid))
}

/// Whether its name is a phrase and no key connects it with other tables: a summary table of unknown
/// origin.
pub(crate) fn is_summary(table: &Table, tables: &[Arc<Table>]) -> bool {
    let is_referred_to = || {
        let mut keys = tables.iter().flat_map(|other| &other.foreign_keys);
        keys.any(|key| key.target == table.oid)
    };
    table.primary_key.is_empty()
        && table.unique_keys.is_empty()
        && table.foreign_keys.is_empty()
        && is_phrase(&table.name)
        && !is_referred_to()
}

/// Whether the question uses the table's SQL name, or a definition applies to it.
pub(crate) fn is_addressed(table: &Table, tokens: &[Token], definitions: &[Definition]) -> bool {
    let key = address(table);
    tokens.iter().any(|token| token.stem == key)
        || definitions
            .iter()
            .any(|definition| definition.applies_to == Some(table.oid))
}

/// Whether the unqualified name resolves to another table that is not derived.
fn is_shadowed(table: &Table, tables: &[Arc<Table>]) -> bool {
    let is_taken = |other: &Table| other.is_visible && other.name == table.name;
    !table.is_visible
        && tables
            .iter()
            .any(|other| is_taken(other) && !is_derived(other, tables))
}

/// Whether a name is a phrase of the grammar: `orders_by_month`, "Orders per Month", `total_revenue`.
pub(crate) fn is_phrase(name: &str) -> bool {
    let words: Vec<String> = split(name);
    let inner = words.get(1..).unwrap_or_default();
    words.len() > 1
        && (inner.iter().any(|word| JOINING.contains(&word.as_str()))
            || words
                .first()
                .is_some_and(|first| ASKING.contains(&first.as_str())))
}

/// The words of a name in lower case, not stemmed.
fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut previous_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && previous_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        previous_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The base tables and those derived relations that the question asks for: by their whole name, if no base
/// table has it, or by a word that is `missing` in the base tables. `None` if it asks for none.
pub(crate) fn requested_tables(
    tokens: &[Token],
    missing: &[String],
    tables: &[Arc<Table>],
    kept: &[Arc<Table>],
) -> Option<Vec<Arc<Table>>> {
    let is_kept = |table: &Arc<Table>| kept.iter().any(|other| other.oid == table.oid);
    let stems: Vec<String> = missing.iter().map(|word| stem(word)).collect();
    let wanted: Vec<Arc<Table>> = tables
        .iter()
        .filter(|table| {
            is_kept(table)
                || contains_name(tokens, table, kept)
                || stems.iter().any(|word| has_word(table, word))
        })
        .cloned()
        .collect();
    (wanted.len() > kept.len()).then_some(wanted)
}

/// Whether the question contains the whole name of the table in words, and nothing in `kept` has that name.
fn contains_name(tokens: &[Token], table: &Table, kept: &[Arc<Table>]) -> bool {
    let words = names::words_of(&table.name);
    let is_said = tokens
        .windows(words.len().max(1))
        .any(|window| window.iter().map(|token| &token.stem).eq(words.iter()));
    let is_taken = |other: &Arc<Table>| {
        let mut columns = other.columns.iter();
        names::words_of(&other.name) == words
            || columns.any(|column| names::words_of(&column.name) == words)
    };
    is_said && !kept.iter().any(is_taken)
}

/// Whether a name or synonym in the table contains the word.
fn has_word(table: &Table, word: &String) -> bool {
    let columns = table.columns.iter();
    let names = columns.flat_map(|column| std::iter::once(&column.name).chain(&column.synonyms));
    let own = std::iter::once(&table.name).chain(&table.synonyms);
    own.chain(names)
        .any(|name| names::words_of(name).contains(word))
}
