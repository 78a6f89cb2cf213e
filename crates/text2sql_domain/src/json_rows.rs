//! Rows and columns as JSON text, without loss of precision.

use std::fmt::Write;

use serde_json::Value;

use crate::sql_result::{Cell, ResultColumn};

/// The columns as `[{"name": …, "type": …}, …]`, with the keys that they have in [`rows_json`].
pub fn columns_json(columns: &[ResultColumn]) -> String {
    let objects = unique_names(columns)
        .into_iter()
        .zip(columns)
        .map(|(name, column)| serde_json::json!({"name": name, "type": column.type_name}));
    Value::from_iter(objects).to_string()
}

/// The rows as an array of objects in column order. A repeated name gets a suffix:
/// `name`, `name_2`, `name_3`.
pub fn rows_json(columns: &[ResultColumn], rows: &[Vec<Cell>]) -> String {
    let keys: Vec<String> = unique_names(columns)
        .iter()
        .map(|name| Value::from(name.as_str()).to_string())
        .collect();
    let mut text = String::from("[");
    for (i, row) in rows.iter().enumerate() {
        text.push_str(if i == 0 { "{" } else { ",\n {" });
        for (j, (key, cell)) in keys.iter().zip(row).enumerate() {
            let comma = if j == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{key}: {}", cell.json.get());
        }
        text.push('}');
    }
    text.push(']');
    text
}

/// The column names, made unique.
pub fn unique_names(columns: &[ResultColumn]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let mut name = column.name.clone();
        let mut n = 2;
        // The suffixed name may be the name of a later column.
        while names.contains(&name) || (n > 2 && columns.iter().any(|other| other.name == name)) {
            name = format!("{}_{n}", column.name);
            n += 1;
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn columns(names: &[&str]) -> Vec<ResultColumn> {
        let column = |name: &&str| ResultColumn {
            name: (*name).into(),
            type_name: "text".into(),
        };
        names.iter().map(column).collect()
    }

    fn cell(json: &str) -> Cell {
        Cell {
            text: None,
            json: RawValue::from_string(json.into()).unwrap(),
        }
    }

    #[test]
    fn keeps_digits_and_order() {
        let rows = [
            vec![cell("9007199254740993"), cell("1.10")],
            vec![cell("null"), cell("\"x\"")],
        ];
        assert_eq!(
            rows_json(&columns(&["n", "a \"b\""]), &rows),
            "[{\"n\": 9007199254740993, \"a \\\"b\\\"\": 1.10},\n {\"n\": null, \"a \\\"b\\\"\": \"x\"}]"
        );
        assert_eq!(rows_json(&columns(&["n"]), &[]), "[]");
    }

    #[test]
    fn repeated_names_get_a_suffix() {
        assert_eq!(
            unique_names(&columns(&["id", "id", "name", "id"])),
            ["id", "id_2", "name", "id_3"]
        );
        assert_eq!(
            unique_names(&columns(&["a", "a", "a_2"])),
            ["a", "a_3", "a_2"]
        );
        assert_eq!(
            unique_names(&columns(&["?column?", "?column?"])),
            ["?column?", "?column?_2"]
        );
    }
}
