//! Finds tables that match words, best first, where there is no search index.

use std::cmp::Reverse;
use std::collections::HashSet;

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::column_words;
use super::comment_words::CommentWords;
use super::privileges::reads_column;
use super::readable_names::ReadableName;
use super::searched;
use super::words::WordSearch;
use crate::pg::access::protection;

/// How many more tables than wanted are looked at closely: the first look does not know which columns are hidden.
const SPARE: usize = 100;

/// A table that may match.
struct Candidate<'n> {
    table: &'n ReadableName,
    /// Its place among the tables by schema and name.
    place: usize,
    in_name: usize,
    /// Number of columns with one of the words, or 1 for a comment with one.
    columns: usize,
}

/// Rank of a table: words in its name, other words in column names, other words in comments.
type Hits = (usize, usize, usize);

/// The tables that the role can read and that match the words, at most `limit`. `comments` is the state of the
/// comments, where changes of them send no message.
pub(super) fn find(
    role: u32,
    words: &[String],
    limit: usize,
    comments: Option<&str>,
) -> Result<Vec<u32>, Error> {
    let names = searched::names(role)?;
    let search = WordSearch::of(words)?;
    let mut candidates: Vec<Candidate<'_>> = names
        .iter()
        .enumerate()
        .map(|(place, table)| Candidate {
            table,
            place,
            in_name: search.count(&table.parts),
            columns: 0,
        })
        .collect();
    let is_named = |candidate: &&Candidate<'_>| candidate.in_name > 0;
    let said = searched::comments(comments)?;
    // Columns and comments are searched only where too few match by name.
    if candidates.iter().filter(is_named).count() < limit {
        let with_column = column_words::tables_with(&search)?;
        for candidate in &mut candidates {
            let oid = candidate.table.oid;
            candidate.columns = match with_column.get(&oid) {
                Some(columns) => *columns,
                None => usize::from(said.mention(oid, words)),
            };
        }
    }
    candidates.retain(|candidate| candidate.in_name > 0 || candidate.columns > 0);
    // Among equal matches the shorter name is closer.
    let by_name = |table: &ReadableName| table.name.chars().count();
    candidates.sort_by_cached_key(|candidate| {
        let hits = Reverse((candidate.in_name, candidate.columns));
        (hits, by_name(candidate.table), candidate.place)
    });
    candidates.truncate(limit.saturating_add(SPARE));
    let hidden = Hidden::read()?;
    let mut ranked: Vec<(Hits, &Candidate<'_>)> = candidates
        .iter()
        .map(|candidate| (hits(candidate, words, &hidden, &said), candidate))
        .filter(|((name, columns, comments), _)| name + columns + comments > 0)
        .collect();
    ranked.sort_by_cached_key(|(hits, candidate)| {
        (Reverse(*hits), by_name(candidate.table), candidate.place)
    });
    ranked.truncate(limit);
    let found = ranked.into_iter();
    Ok(found.map(|(_, candidate)| candidate.table.oid).collect())
}

/// The columns that are hidden from everybody.
struct Hidden {
    columns: HashSet<(pg_sys::Oid, i16)>,
    tables: HashSet<pg_sys::Oid>,
}

impl Hidden {
    fn read() -> Result<Self, Error> {
        let columns: HashSet<(pg_sys::Oid, i16)> =
            protection::hidden_columns()?.into_iter().collect();
        Ok(Self {
            tables: columns.iter().map(|(table, _)| *table).collect(),
            columns,
        })
    }
}

fn hits(candidate: &Candidate<'_>, words: &[String], hidden: &Hidden, said: &CommentWords) -> Hits {
    let table = candidate.table;
    let relation = pg_sys::Oid::from(table.oid);
    let unnamed: Vec<&String> = words
        .iter()
        .filter(|word| !table.parts.contains(word.as_str()))
        .collect();
    if unnamed.is_empty() {
        return (candidate.in_name, 0, 0);
    }
    let is_shown = |number: i16| {
        !hidden.columns.contains(&(relation, number))
            && (table.reads_every_column || reads_column(relation, number))
    };
    let shows_all = table.reads_every_column && !hidden.tables.contains(&relation);
    let limits: Option<&dyn Fn(i16) -> bool> = if shows_all { None } else { Some(&is_shown) };
    let columns = column_words::of_table(table.oid);
    let in_columns = unnamed
        .iter()
        .filter(|word| columns.any(word, limits))
        .count();
    let said = said.of_table(relation, |number| match i16::try_from(number) {
        Ok(0) => true,
        Ok(number) => is_shown(number),
        Err(_) => false,
    });
    let in_comments = unnamed
        .iter()
        .filter(|word| said.iter().any(|text| text.contains(word.as_str())))
        .count();
    (candidate.in_name, in_columns, in_comments)
}
