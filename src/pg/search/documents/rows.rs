//! Reads the rows of found passages as the caller: by a guarded query on their keys, so that privileges, row-level
//! security and protection are those of this moment.

use std::collections::HashMap;

use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::{quote_identifier, quote_literal};

use super::sources::Source;
use crate::pg::access::execution::database::GuardedDatabase;

/// Bytes of one query: a row with a longer text is not shown.
const MAX_BYTES: usize = 64 << 20;

const INSUFFICIENT_PRIVILEGE: &str = "42501";

/// What the caller read of a row.
pub(super) struct ReadRow {
    pub(super) title: Option<String>,
    pub(super) text: String,
    /// Whether a private column was read.
    pub(super) is_private: bool,
}

/// What a query found.
pub(super) struct ReadRows {
    /// By key.
    pub(super) rows: HashMap<String, ReadRow>,
    /// How many of the keys were looked at: those behind the last row that was wanted were not.
    pub(super) looked_at: usize,
    /// The SQLSTATE of the error that kept the rows from being read, unless the caller may not read them.
    pub(super) failed: Option<String>,
}

/// The first rows of these keys that the caller can read now, at most as many as said.
pub(super) fn read(
    database: &GuardedDatabase,
    source: &Source,
    keys: &[&str],
    at_most: usize,
    limits: &Limits,
) -> Result<ReadRows, Error> {
    let at_most = at_most.min(keys.len());
    let limits = Limits {
        max_result_rows: at_most,
        max_result_bytes: MAX_BYTES,
        ..limits.clone()
    };
    let nothing = |failed| ReadRows {
        rows: HashMap::new(),
        looked_at: keys.len(),
        failed,
    };
    let Some(sql) = query(source, keys, at_most) else {
        return Ok(nothing(None));
    };
    let execution = match database.run(&sql, &limits)? {
        Outcome::Passed(execution) => execution,
        // A row that may not be read does not exist for a search.
        Outcome::Rejected(_) => return Ok(nothing(None)),
        Outcome::Failed(error) => {
            let is_denied = error.sqlstate == INSUFFICIENT_PRIVILEGE;
            return Ok(nothing((!is_denied).then_some(error.sqlstate)));
        }
    };
    let is_private = execution.is_private;
    let is_full = execution.rows.len() >= at_most;
    let (mut rows, mut last) = (HashMap::new(), 0);
    for row in execution.rows {
        let mut cells = row.into_iter();
        let mut next = || cells.next().and_then(|cell| cell.text);
        let place: Option<usize> = next().and_then(|place| place.parse().ok());
        let (text, title) = (next(), next());
        let Some(place) = place else {
            continue;
        };
        last = last.max(place);
        if let (Some(key), Some(text)) = (keys.get(place.saturating_sub(1)), text) {
            let row = ReadRow {
                title,
                text,
                is_private,
            };
            rows.insert((*key).to_owned(), row);
        }
    }
    let looked_at = if is_full { last } else { keys.len() };
    Ok(ReadRows {
        rows,
        looked_at,
        failed: None,
    })
}

/// The rows of the keys, in their order. The keys are an array for each column, because a list of a thousand values
/// takes as long to read and to judge as the rows.
fn query(source: &Source, keys: &[&str], at_most: usize) -> Option<String> {
    let mut arrays = vec![String::new(); source.key.len()];
    for key in keys {
        let values: Vec<String> = serde_json::from_str(key).unwrap_or_default();
        // A key of another form finds nothing: NULL equals nothing.
        let values: Vec<Option<&String>> = match values.len() == source.key.len() {
            true => values.iter().map(Some).collect(),
            false => vec![None; source.key.len()],
        };
        for (array, value) in arrays.iter_mut().zip(values) {
            array.push(if array.is_empty() { '{' } else { ',' });
            match value {
                Some(value) => push_element(value, array),
                None => array.push_str("NULL"),
            }
        }
    }
    if keys.is_empty() || arrays.is_empty() {
        return None;
    }
    let (mut columns, mut values, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (column, array)) in source.key.iter().zip(arrays).enumerate() {
        let array = quote_literal(&format!("{array}}}"));
        columns.push(format!("k{place}"));
        values.push(format!("{array}::{}[]", column.type_name));
        conditions.push(format!(
            "t.{} = wanted.k{place}",
            quote_identifier(&column.name)
        ));
    }
    let title = match &source.title_column {
        Some(title) => format!("t.{}", quote_identifier(title)),
        None => "NULL".to_owned(),
    };
    Some(format!(
        "SELECT wanted.place, t.{}, {title} FROM unnest({}) WITH ORDINALITY AS wanted({}, place) JOIN {}.{} AS t ON {} ORDER BY wanted.place LIMIT {at_most}",
        quote_identifier(&source.column),
        values.join(", "),
        columns.join(", "),
        quote_identifier(&source.schema),
        quote_identifier(&source.name),
        conditions.join(" AND "),
    ))
}

/// An element of an array, as its literal has it.
fn push_element(value: &str, to: &mut String) {
    to.push('"');
    for character in value.chars() {
        if matches!(character, '"' | '\\') {
            to.push('\\');
        }
        to.push(character);
    }
    to.push('"');
}
