//! Names that are glued together behind a prefix: `sbtransaction.sbtxcustid` is `transaction.cust_id`, where all tables
//! begin with `sb` and all columns of this one with `sbtx`.

use super::facts::TableFacts;
use text2sql_language::terms::split;

/// Fewest names that have to share a prefix.
const FEWEST_TABLES: usize = 4;
const FEWEST_COLUMNS: usize = 4;

/// Lengths of a prefix, and the least that must be left of each name.
const PREFIX: std::ops::RangeInclusive<usize> = 2..=8;
const LEAST_LEFT: usize = 2;

/// The words that a glued name may end with.
const KEY_ENDS: &[&str] = &["id", "key", "code", "no"];

/// The tables of a schema with such names taken apart; the others as they are.
pub(super) fn unglued(tables: &[&TableFacts]) -> Vec<TableFacts> {
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    let of_tables = prefix(&names, FEWEST_TABLES);
    tables
        .iter()
        .map(|table| {
            let mut table = TableFacts::clone(table);
            if let Some(length) = of_tables {
                table.name.drain(..length);
            }
            let columns: Vec<&str> = table.columns.iter().map(|one| one.name.as_str()).collect();
            if let Some(length) = prefix(&columns, FEWEST_COLUMNS) {
                for column in &mut table.columns {
                    column.name.drain(..length);
                    cut_key_word(&mut column.name);
                }
            }
            table
        })
        .collect()
}

/// The length of the prefix of all names, each of which is one word.
fn prefix(names: &[&str], fewest: usize) -> Option<usize> {
    let (first, others) = names.split_first()?;
    let is_glued = |name: &&str| name.is_ascii() && split(name).len() == 1;
    if names.len() < fewest || !names.iter().all(is_glued) {
        return None;
    }
    let shared = |name: &&str| {
        let same = first.bytes().zip(name.bytes());
        same.take_while(|(one, other)| one.eq_ignore_ascii_case(other))
            .count()
    };
    let length = others.iter().map(shared).min()?;
    let is_left = |name: &&str| name.len() >= length + LEAST_LEFT;
    (PREFIX.contains(&length) && names.iter().all(is_left)).then_some(length)
}

/// `custid` becomes `cust_id`.
fn cut_key_word(name: &mut String) {
    let lower = name.to_lowercase();
    let end = KEY_ENDS
        .iter()
        .find(|end| lower.ends_with(*end) && lower.len() > end.len() + 1);
    if let Some(end) = end {
        name.insert(name.len() - end.len(), '_');
    }
}
