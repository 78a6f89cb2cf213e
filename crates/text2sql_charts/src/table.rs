//! Columns and rows of a result, as `text2sql.ask` returns them.

use std::collections::HashSet;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A column of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ResultColumn {
    /// Its name, which other columns may have, too.
    pub name: String,
    /// The name of its type, as PostgreSQL's `format_type` writes it.
    #[serde(rename = "type")]
    pub data_type: String,
}

/// A row: its values with their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row(pub Vec<(String, Cell)>);

impl Row {
    /// The value of the column at `index`, of which `key` is the name in rows. Programs in JavaScript change the
    /// order of names that are numbers, so the name counts, and the order only where there is no such name.
    pub(crate) fn cell(&self, index: usize, key: &str) -> Option<&Cell> {
        self.0
            .get(index)
            .filter(|(name, _)| name == key)
            .or_else(|| self.0.iter().find(|(name, _)| name == key))
            .or_else(|| self.0.get(index))
            .map(|(_, cell)| cell)
    }
}

/// The names of columns in rows: a name that columns share has a number there (`name_2`).
pub(crate) fn keys(columns: &[ResultColumn]) -> Vec<String> {
    let names: HashSet<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let mut taken = HashSet::new();
    columns
        .iter()
        .map(|column| {
            let mut key = column.name.clone();
            let mut number = 2_usize;
            while taken.contains(&key) || (key != column.name && names.contains(key.as_str())) {
                key = format!("{}_{number}", column.name);
                number += 1;
            }
            taken.insert(key.clone());
            key
        })
        .collect()
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// NULL.
    Null,
    /// A number, with all its digits.
    Number(String),
    /// A text.
    Text(String),
    /// An array, an object, or anything else.
    Other,
}

impl Cell {
    fn of_json(raw: &RawValue) -> Self {
        let text = raw.get().trim();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map_or(Self::Other, Self::Text),
            Some(b'n') => Self::Null,
            Some(b't' | b'f') => Self::Text(text.to_owned()),
            Some(b'[' | b'{') | None => Self::Other,
            Some(_) => Self::Number(text.to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Values;

        impl<'de> Visitor<'de> for Values {
            type Value = Row;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a row as an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut cells = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    cells.push((name, Cell::of_json(&value)));
                }
                Ok(Row(cells))
            }
        }

        deserializer.deserialize_map(Values)
    }
}
