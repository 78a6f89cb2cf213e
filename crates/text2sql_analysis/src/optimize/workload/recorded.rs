//! Statements as `pg_stat_statements` keeps them: with `$n` instead of constants.

use std::ops::Range;

use crate::revision::script::{Checked, checked};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_sql::script::{Kind, Lexeme, lexemes};
use text2sql_sql::tree as sql_tree;

/// What can be planned of a recorded statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plannable {
    /// A query, or the one that finds the rows of a statement that writes.
    Query(String),
    /// A statement of this extension, or about the statistics themselves.
    Own,
    /// A command without a plan.
    Utility,
    /// A statement that writes and reads nothing, such as INSERT … VALUES.
    Nothing,
}

/// Types whose name can stand before a constant, where a parameter cannot.
const PREFIXES: [&str; 5] = ["date", "interval", "time", "timestamp", "timestamptz"];

/// What can be planned of the statement.
///
/// # Errors
/// [`ErrorKind::Limit`] and [`ErrorKind::Complexity`] for one that is too long or too deep.
pub fn plannable(sql: &str) -> Result<Plannable, Error> {
    let lower = sql.to_lowercase();
    if ["text2sql", "pg_stat_statements", "hypopg"]
        .iter()
        .any(|own| lower.contains(own))
    {
        return Ok(Plannable::Own);
    }
    let sql = with_casts(sql);
    let sql = sql.trim().trim_end_matches(';');
    let lexemes = lexemes(sql);
    let first = lexemes
        .iter()
        .find(|one| one.kind != Kind::Sign)
        .and_then(|one| sql.get(one.place.clone()))
        .unwrap_or_default()
        .to_ascii_lowercase();
    match first.as_str() {
        "select" | "with" | "values" | "table" | "insert" | "update" | "delete" | "merge" => {}
        _ => return Ok(Plannable::Utility),
    }
    if matches!(first.as_str(), "select" | "values" | "table") {
        return Ok(Plannable::Query(
            without_locks(sql)?.unwrap_or_else(|| sql.to_owned()),
        ));
    }
    let mut checked = match checked(sql) {
        Err(error) if error.kind() == ErrorKind::Setting => Vec::new(),
        checked => checked?,
    };
    Ok(match checked.pop() {
        Some(Checked::Query(query)) => Plannable::Query(query),
        _ if first == "with" => Plannable::Query(sql.to_owned()),
        _ => Plannable::Nothing,
    })
}

/// A query without `FOR UPDATE`, which changes what is locked and not which rows are found; `None` if it has none.
fn without_locks(sql: &str) -> Result<Option<String>, Error> {
    let query = match sql_tree::parse(sql) {
        Err(error) if error.kind() == ErrorKind::Setting => None,
        query => query?,
    };
    Ok(query
        .filter(|query| !query.locks.is_empty())
        .map(|mut query| {
            query.locks.clear();
            query.to_string()
        }))
}

/// `CAST($1 AS interval)` for `interval $1`, which stood there as a constant.
fn with_casts(sql: &str) -> String {
    let lexemes = lexemes(sql);
    let places = places(sql, &lexemes);
    let mut text = String::with_capacity(sql.len());
    let mut end = 0;
    for (number, range, before) in places {
        let Some(before) = before.and_then(|before| lexemes.get(before)) else {
            continue;
        };
        let prefix = sql
            .get(before.place.clone())
            .unwrap_or_default()
            .to_ascii_lowercase();
        if before.kind == Kind::Word && PREFIXES.contains(&prefix.as_str()) {
            text.push_str(sql.get(end..before.place.start).unwrap_or_default());
            text.push_str(&format!("CAST(${number} AS {prefix})"));
            end = range.end;
        }
    }
    text.push_str(sql.get(end..).unwrap_or_default());
    text
}

/// The largest number of a parameter.
pub fn parameters(sql: &str) -> usize {
    let places = places(sql, &lexemes(sql));
    places.iter().map(|(number, ..)| *number).max().unwrap_or(0)
}

/// The query with an unknown value of its type instead of each parameter: the planner knows as little of it as of a
/// parameter, and no version of PostgreSQL needs to know how to plan one without values.
pub fn typed(sql: &str, types: &[String]) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut end = 0;
    for (number, range, _) in places(sql, &lexemes(sql)) {
        let Some(type_name) = number.checked_sub(1).and_then(|place| types.get(place)) else {
            continue;
        };
        text.push_str(sql.get(end..range.start).unwrap_or_default());
        text.push_str(&format!("(SELECT NULL::{type_name})"));
        end = range.end;
    }
    text.push_str(sql.get(end..).unwrap_or_default());
    text
}

/// The number of each parameter, where it stands, and the token before it.
fn places(sql: &str, lexemes: &[Lexeme]) -> Vec<(usize, Range<usize>, Option<usize>)> {
    let mut found = Vec::new();
    for (place, pair) in lexemes.windows(2).enumerate() {
        let [sign, number] = pair else {
            continue;
        };
        let is_sign = sign.kind == Kind::Sign && sql.get(sign.place.clone()) == Some("$");
        if !is_sign || sign.place.end != number.place.start {
            continue;
        }
        let digits = sql
            .get(number.place.clone())
            .and_then(|text| text.parse().ok());
        if let Some(digits) = digits {
            let range = sign.place.start..number.place.end;
            found.push((digits, range, place.checked_sub(1)));
        }
    }
    found
}
