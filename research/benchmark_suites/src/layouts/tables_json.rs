//! `tables.json` of Spider and BIRD: names in words and keys of each database.

use std::path::Path;

use serde_json::Value;

use crate::benchmark::{Comment, Database, ForeignKey, Key};
use crate::failure::Failure;
use crate::files;

/// Adds what the file says about the databases.
pub(super) fn add(databases: &mut [Database], file: &Path) -> Result<(), Failure> {
    for described in files::list(file)? {
        let id = described.get("db_id").and_then(Value::as_str);
        if let Some(database) = databases
            .iter_mut()
            .find(|database| Some(database.id.as_str()) == id)
        {
            add_one(database, &described);
        }
    }
    Ok(())
}

fn add_one(database: &mut Database, described: &Value) {
    let list = |name: &str| {
        described
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let tables = list("table_names_original");
    let columns = list("column_names_original");
    let words = list("column_names");
    let column = |number: usize| -> Option<(String, String)> {
        let pair = columns.get(number)?.as_array()?;
        let table = usize::try_from(pair.first()?.as_i64()?).ok()?;
        let table = tables.get(table)?.as_str()?;
        Some((table.to_owned(), pair.get(1)?.as_str()?.to_owned()))
    };
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    for (place, in_words) in words.iter().enumerate() {
        let said = in_words.as_array().and_then(|pair| pair.get(1)?.as_str());
        if let (Some((table, name)), Some(said)) = (column(place), said)
            && plain(said) != plain(&name)
        {
            database.comments.push(Comment {
                table,
                column: name,
                text: said.to_owned(),
            });
        }
    }
    for key in list("primary_keys") {
        let numbers: Vec<usize> = match &key {
            Value::Array(several) => several.iter().filter_map(number).collect(),
            one => number(one).into_iter().collect(),
        };
        let found: Vec<(String, String)> = numbers.into_iter().filter_map(column).collect();
        if let Some((table, _)) = found.first() {
            database.keys.primary.push(Key {
                table: table.clone(),
                columns: found.iter().map(|(_, name)| name.clone()).collect(),
            });
        }
    }
    for pair in list("foreign_keys") {
        let ends: Vec<(String, String)> = pair
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(number)
            .filter_map(column)
            .collect();
        if let [(from, from_column), (to, to_column)] = ends.as_slice() {
            let key = |table: &str, column: &str| Key {
                table: table.to_owned(),
                columns: vec![column.to_owned()],
            };
            database.keys.foreign.push(ForeignKey {
                from: key(from, from_column),
                to: key(to, to_column),
            });
        }
    }
}

/// Letters and digits of a name.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
