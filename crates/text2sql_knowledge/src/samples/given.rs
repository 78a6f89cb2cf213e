//! Samples as the owner of a table writes them, in JSON: values of a column, or rows of a table.

use serde_json::{Map, Value};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;
use text2sql_domain::sample::{MAX_SAMPLE_CHARS, MAX_SAMPLE_COLUMNS};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_domain::words;
use text2sql_sql::masking::private_kind_in;

/// A sample to store: numbers of columns with their values.
pub type Given = Vec<(i16, Option<String>)>;

/// Reads values of a column: one, or an array of them. The first that cannot be used is an error.
pub fn column_samples(table: &Table, column: &Column, given: Value) -> Result<Vec<Given>, Error> {
    let values = match given {
        Value::Array(values) => values,
        value => vec![value],
    };
    if values.is_empty() {
        return Err(nothing_given());
    }
    let read = |value| Ok(vec![(column.number, read(table, column, value)?)]);
    values.into_iter().map(read).collect()
}

/// Reads rows of a table: an object, or an array of objects, whose members are columns.
pub fn row_samples(table: &Table, given: Value) -> Result<Vec<Given>, Error> {
    let rows = match given {
        Value::Array(rows) => rows,
        row => vec![row],
    };
    if rows.is_empty() {
        return Err(nothing_given());
    }
    rows.into_iter()
        .map(|row| match row {
            Value::Object(cells) => read_row(table, cells),
            _ => Err(failure!(
                Setting,
                "a sample row of {} is not a JSON object",
                whole_name(table)
            )
            .with_hint(
                "Write the columns as members: '{\"status\": \"paid\", \"total\": 12.50}'.",
            )),
        })
        .collect()
}

fn read_row(table: &Table, cells: Map<String, Value>) -> Result<Given, Error> {
    if cells.len() < 2 || cells.len() > MAX_SAMPLE_COLUMNS {
        return Err(failure!(Setting, "a sample row of {} has {} columns",
                whole_name(table),
                cells.len())
        .with_hint(format!(
            "A row has 2 to {MAX_SAMPLE_COLUMNS} columns. Values of one column are samples of that column."
        )));
    }
    let mut row = Given::new();
    for (name, value) in cells {
        let Some(column) = table.column(&name) else {
            return Err(failure!(
                Undefined,
                "{} has no column \"{name}\" that questions can see",
                whole_name(table)
            ));
        };
        row.push((column.number, read(table, column, value)?));
    }
    // As the table has them.
    row.sort_by_key(|(number, _)| *number);
    Ok(row)
}

/// The value as text, if it fits the column and looks like nothing private. No message has the value.
fn read(table: &Table, column: &Column, value: Value) -> Result<Option<String>, Error> {
    let name = object_name::join(&[&table.schema, &table.name, &column.name]);
    if column.is_private {
        return Err(failure!(Denied, "{name} is private").with_detail(
            "No prompt shows values of what is private or hidden, and no samples of it.",
        ));
    }
    let text = match value {
        Value::Null if column.not_null => {
            return Err(failure!(
                Setting,
                "a sample of {name} is null, and the column is NOT NULL"
            ));
        }
        Value::Null => return Ok(None),
        Value::String(text) => text,
        other => other.to_string(),
    };
    let length = text.chars().count();
    if length == 0 || length > MAX_SAMPLE_CHARS {
        return Err(
            failure!(Limit, "a sample of {name} has {length} characters")
                .with_hint(format!("A sample has 1 to {MAX_SAMPLE_CHARS} characters.")),
        );
    }
    if let Some(what) = private_kind_in(column.category, &text) {
        return Err(failure!(Denied, "a sample of {name} looks like {what}")
        .with_detail("Samples are sent in every prompt.")
        .with_hint(
            "Write one that is nobody's, or describe the form: SELECT text2sql.describe('…', '…');",
        ));
    }
    if !fits(column, &text) {
        return Err(failure!(
            Setting,
            "a sample of {name} is no {}",
            column.type_name
        ));
    }
    Ok(Some(text))
}

/// Whether the text can be a value of the column, as far as its type says so by itself: no input function of a type
/// runs.
fn fits(column: &Column, text: &str) -> bool {
    let text = text.trim();
    match column.category {
        TypeCategory::Integer => text.parse::<i64>().is_ok(),
        TypeCategory::Number => {
            let number = text.trim_start_matches(['$', '€', '£']).replace(',', "");
            number.parse::<f64>().is_ok()
        }
        TypeCategory::Boolean => words!("t, f, true, false, yes, no, on, off, 1, 0")
            .contains(&text.to_lowercase().as_str()),
        TypeCategory::Enum => column.enum_labels.iter().any(|label| label == text),
        TypeCategory::Date | TypeCategory::Timestamp | TypeCategory::Time => {
            text.chars().any(|c| c.is_ascii_digit())
        }
        TypeCategory::Uuid => {
            let digits = text.chars().filter(char::is_ascii_hexdigit).count();
            digits == 32
        }
        _ => true,
    }
}

fn nothing_given() -> Error {
    failure!(Setting, "no samples given").with_hint(
        "Give at least one: SELECT text2sql.describe('orders.status', samples => '[\"paid\"]');",
    )
}

fn whole_name(table: &Table) -> String {
    object_name::join(&[&table.schema, &table.name])
}
