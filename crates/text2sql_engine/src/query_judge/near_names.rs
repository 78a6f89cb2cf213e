//! Names that exist, near to those that do not.

use std::sync::Arc;

use super::category::Category;
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_language::edit_distance::edit_distance as distance;
use text2sql_sql::tree::{Tree, read_query};

/// Maximum number of names near to one that does not exist.
const MAX_NEAR: usize = 5;

/// A column that the query names and its tables do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unknown {
    /// Its name.
    pub(crate) name: String,
    /// The problem, in words.
    pub(crate) problem: String,
    /// The nearest names of its own tables.
    pub(crate) near: Vec<String>,
}

/// All columns of known tables that the statement names and that do not exist.
pub(crate) fn unknown_in(sql: &str, tables: &[Arc<Table>]) -> Vec<Unknown> {
    let Some(query) = read_query(sql) else {
        return Vec::new();
    };
    let unknown = Tree::read(&query, tables).unknown_columns();
    unknown
        .into_iter()
        .map(|unknown| {
            let names: Vec<String> = unknown
                .tables
                .iter()
                .map(|table| table.sql_name())
                .collect();
            Unknown {
                problem: format!("{} has no column \"{}\"", names.join(" or "), unknown.name),
                near: nearest(&unknown.name, &unknown.tables, true),
                name: unknown.name,
            }
        })
        .collect()
}

/// The table, column or function name that an error reports as missing. PostgreSQL writes a qualified
/// column, and a function with its arguments, without quotes.
pub(crate) fn unknown_name(error: &DatabaseError) -> Option<&str> {
    if Category::of_sqlstate(&error.sqlstate) != Category::UnknownName {
        return None;
    }
    let message = error.message.as_str();
    let quoted = message.split(['"', '»', '«', '„', '“', '”']).nth(1);
    let name = quoted.or_else(|| {
        let mut words = message.split_whitespace();
        let called = words.nth(1)?;
        let called = called.split('(').next().unwrap_or(called);
        // "operator does not exist: text = integer" contains no name.
        (message.contains('(') || called.contains('.')).then_some(called)
    })?;
    Some(name.rsplit('.').next().unwrap_or(name))
}

/// Table and column names closest to the name quoted in an error.
pub(super) fn nearest_names(error: &DatabaseError, tables: &[Arc<Table>]) -> Vec<String> {
    match unknown_name(error) {
        // An unknown function has no similar table or column.
        Some(unknown) if error.sqlstate != "42883" => nearest(unknown, tables, false),
        _ => Vec::new(),
    }
}

/// The names closest to one that does not exist, also by what people call them; `columns_only` for a column of these
/// tables.
fn nearest(unknown: &str, tables: &[Arc<Table>], columns_only: bool) -> Vec<String> {
    let unknown = unknown.to_lowercase();
    let nearness = |name: &str, synonyms: &[String]| {
        let names = std::iter::once(name).chain(synonyms.iter().map(String::as_str));
        let distances = names.map(|name| distance(&unknown, &name.to_lowercase()));
        distances.min().unwrap_or(usize::MAX)
    };
    let mut scored: Vec<(usize, String)> = Vec::new();
    for table in tables {
        if !columns_only {
            scored.push((nearness(&table.name, &table.synonyms), table.sql_name()));
        }
        for column in &table.columns {
            let name = format!("{}.{}", table.sql_name(), quote_identifier(&column.name));
            scored.push((nearness(&column.name, &column.synonyms), name));
        }
    }
    // Names with a larger distance are unrelated, but among the columns of one table the reader expects more.
    let letters = unknown.chars().count();
    let max_distance = match columns_only {
        true => (letters * 3 / 5).max(2),
        false => (letters * 2 / 5).max(1),
    };
    scored.retain(|(distance, _)| *distance <= max_distance);
    scored.sort();
    scored
        .into_iter()
        .map(|(_, name)| name)
        .take(MAX_NEAR)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn table(name: &str, columns: &[&str], synonyms: &[&str]) -> Arc<Table> {
        Arc::new(Table {
            name: name.to_owned(),
            is_visible: true,
            synonyms: synonyms.iter().map(|word| (*word).to_owned()).collect(),
            columns: columns
                .iter()
                .map(|name| Column {
                    name: (*name).to_owned(),
                    ..Column::default()
                })
                .collect(),
            ..Table::default()
        })
    }

    #[test]
    fn all_unknown_columns_are_found_with_the_names_of_their_own_tables() {
        let tables = [
            table("harbours", &["label", "town"], &[]),
            table("boats", &["boat_id", "label", "berth"], &["vessels"]),
        ];
        let sql =
            "SELECT b.lable, b.brth, twn FROM boats b, harbours WHERE b.boat_id > 0 ORDER BY sort";
        let found = unknown_in(sql, &tables);
        let shown: Vec<(&str, &[String])> = found
            .iter()
            .map(|one| (one.name.as_str(), one.near.as_slice()))
            .collect();
        assert_eq!(shown[0], ("lable", ["boats.label".to_owned()].as_slice()));
        assert_eq!(shown[1].1, ["boats.berth"]);
        assert_eq!(
            (shown[2].0, shown[2].1),
            ("twn", ["harbours.town".to_owned()].as_slice())
        );
        assert_eq!((shown[3].0, shown.len()), ("sort", 4));
        for known in [
            "SELECT label AS sort FROM boats ORDER BY sort",
            "SELECT b FROM boats b",
            "SELECT x FROM boats, generate_series(1, 2) AS x",
            "SELECT f.anything FROM nowhere f JOIN boats b ON b.label = thing",
            "SELECT ctid, user, current_date FROM boats",
            "WITH v AS (SELECT label AS l FROM boats) SELECT l FROM v WHERE EXISTS (SELECT 1 FROM harbours WHERE town = l)",
        ] {
            assert_eq!(unknown_in(known, &tables), [], "{known}");
        }
        // What people call a table is near too.
        let error = DatabaseError {
            sqlstate: "42P01".to_owned(),
            message: "relation \"vessls\" does not exist".to_owned(),
            detail: None,
            hint: None,
            position: Some(1),
            is_private: false,
        };
        assert_eq!(nearest_names(&error, &tables), ["boats"]);
    }
}
