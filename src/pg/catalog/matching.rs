//! Finds tables that match words, best first, where there is no search index.

use std::collections::HashSet;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::error::Error;

use super::column_words::{self, ColumnWords};
use super::comments;
use super::privileges::reads_column;
use super::words::Patterns;
use crate::pg::{protection, spi};

/// Maximum number of tables considered because of their columns alone.
const MAX_BY_COLUMN: usize = 2_000;

/// The result of `sql/queries/find_tables.sql`.
#[derive(Deserialize)]
struct Shortlist {
    /// Whether fewer tables match by name than requested.
    is_few: bool,
    tables: Vec<Candidate>,
}

/// A table, an array in the order of these fields.
#[derive(Deserialize)]
struct Candidate {
    oid: u32,
    schema: String,
    name: String,
    /// The name in the form that is matched with words.
    parts: String,
    reads_every_column: bool,
    in_name: usize,
}

/// Rank of a table: words in its name, other words in column names, other words in comments.
type Hits = (usize, usize, usize);

/// The readable tables that match, at most `limit`.
pub(super) fn find(sql: &'static str, patterns: &Patterns, limit: i64) -> Result<Vec<u32>, Error> {
    let by_name = shortlist(sql, patterns, limit, &[], false)?;
    let candidates = if by_name.is_few {
        let others = column_words::tables_with(&patterns.needles, MAX_BY_COLUMN)?;
        shortlist(sql, patterns, limit, &others, true)?
    } else {
        by_name
    };
    let hidden: HashSet<(pg_sys::Oid, i16)> = protection::hidden_columns()?.into_iter().collect();
    let mut ranked: Vec<(Hits, Candidate)> = candidates
        .tables
        .into_iter()
        .map(|candidate| (hits(&candidate, &patterns.needles, &hidden), candidate))
        .filter(|((name, columns, comments), _)| name + columns + comments > 0)
        .collect();
    // Among equal matches the shorter name is closer.
    ranked.sort_by(|(one, first), (other, second)| {
        let key = |table: &Candidate| table.name.chars().count();
        let by_name = (key(first), &first.schema, &first.name);
        let by_hits = other.cmp(one);
        by_hits.then_with(|| by_name.cmp(&(key(second), &second.schema, &second.name)))
    });
    ranked.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(ranked.into_iter().map(|(_, table)| table.oid).collect())
}

fn shortlist(
    sql: &'static str,
    patterns: &Patterns,
    limit: i64,
    by_column: &[(u32, i64)],
    looks_further: bool,
) -> Result<Shortlist, Error> {
    let (oids, counts): (Vec<u32>, Vec<i64>) = by_column.iter().copied().unzip();
    spi::read_json(
        sql,
        &[
            patterns.exact.clone().into(),
            patterns.sieve.clone().into(),
            limit.into(),
            spi::oid_array(oids.into_iter()),
            counts.into(),
            looks_further.into(),
        ],
    )
}

fn hits(table: &Candidate, words: &[String], hidden: &HashSet<(pg_sys::Oid, i16)>) -> Hits {
    let relation = pg_sys::Oid::from(table.oid);
    let unnamed: Vec<&String> = words
        .iter()
        .filter(|word| !table.parts.contains(word.as_str()))
        .collect();
    let is_shown = |number: i16| {
        !hidden.contains(&(relation, number))
            && (table.reads_every_column || reads_column(relation, number))
    };
    let shows_all = table.reads_every_column && hidden.iter().all(|(oid, _)| *oid != relation);
    let limits: Option<&dyn Fn(i16) -> bool> = if shows_all { None } else { Some(&is_shown) };
    let columns: &ColumnWords = &column_words::of_table(table.oid);
    let in_columns = unnamed
        .iter()
        .filter(|word| columns.any(word, limits))
        .count();
    let mut said = comments::texts(relation);
    said.retain(|number, _| match i16::try_from(*number) {
        Ok(0) => true,
        Ok(number) => is_shown(number),
        Err(_) => false,
    });
    let said: Vec<String> = said.into_values().map(|text| joined(&text)).collect();
    let in_comments = unnamed
        .iter()
        .filter(|word| said.iter().any(|text| text.contains(word.as_str())))
        .count();
    (table.in_name, in_columns, in_comments)
}

/// A text in lower case with its words separated by `_`, and a leading `_`.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len() + 1);
    joined.push('_');
    let mut is_apart = false;
    for letter in text.chars() {
        if letter.is_alphanumeric() {
            joined.extend(letter.to_lowercase());
        } else if !is_apart {
            joined.push('_');
        }
        is_apart = !letter.is_alphanumeric();
    }
    joined
}
