//! What a caller says about a file. Everything that is not said is found from the data.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::Error as _;

use crate::error::FileError;

/// What a caller says about a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// What the text is; where it is not said, JSON begins with a bracket.
    pub format: Option<FileFormat>,
    /// What separates values: one ASCII character, or `tab`.
    #[serde(deserialize_with = "delimiter")]
    pub delimiter: Option<u8>,
    /// What quotes values: one ASCII character.
    #[serde(deserialize_with = "quote")]
    pub quote: Option<u8>,
    /// Lines above the first that counts: a title, for example.
    pub skip: u32,
    /// Whether the first line has the names of the columns.
    pub header: Option<bool>,
    /// What separates the whole from the fraction.
    pub decimal: Option<Decimal>,
    /// In which order a date like 01/02/2024 is written.
    pub date_order: Option<DateOrder>,
    /// Texts that mean that there is no value.
    pub null_texts: Option<Vec<String>>,
    /// Types of columns by name, as SQL writes them.
    pub types: BTreeMap<String, String>,
    /// What happens with lines that do not fit.
    pub on_error: OnError,
    /// The table that an `on_error` of `collect` sets them aside in; the caller's, as a name is written in SQL.
    pub rejected_table: Option<String>,
    /// Whether the table is temporary, where its name has no schema.
    pub temporary: Option<bool>,
    /// Only decide, and make no table.
    pub dry_run: bool,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Values with something between them.
    Csv,
    /// An array of objects, or one object a line.
    Json,
}

/// What separates the whole from the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Decimal {
    /// 1,234.5
    #[serde(rename = ".", alias = "point")]
    Point,
    /// 1.234,5
    #[serde(rename = ",", alias = "comma")]
    Comma,
}

/// In which order day, month and year are written, by the names of PostgreSQL's `DateStyle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// Year, month, day.
    Ymd,
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
}

/// What happens with lines that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// Nothing is loaded.
    #[default]
    Fail,
    /// They are set aside in a table of their own.
    Collect,
}

impl Options {
    /// Reads options from a JSON object.
    ///
    /// # Errors
    ///
    /// Names that do not exist, and values of a wrong type.
    pub fn read(options: &serde_json::Value) -> Result<Self, FileError> {
        let read: Self = Self::deserialize(options).map_err(|error| {
            FileError::new(format!("invalid options: {error}"))
                .with_hint(r#"Write for example '{"delimiter": ";", "types": {"zip": "text"}}'."#)
        })?;
        for (column, name) in &read.types {
            if !is_type(name) {
                return Err(FileError::new(format!(
                    "invalid type \"{name}\" for column \"{column}\""
                ))
                .with_hint("Write a type as SQL does, such as numeric(12,2)."));
            }
        }
        Ok(read)
    }
}

/// Whether a text can be the name of a type: it becomes a part of statements.
fn is_type(name: &str) -> bool {
    let is_inside =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '.' | '(' | ')' | ',' | '[' | ']');
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.len() < 130
        && name.chars().all(is_inside)
}

fn delimiter<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u8>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else {
        return Ok(None);
    };
    match (text.as_str(), text.as_bytes()) {
        ("tab", _) => Ok(Some(b'\t')),
        (_, [one]) if one.is_ascii() && !matches!(one, b'\n' | b'\r' | b'"' | 0) => Ok(Some(*one)),
        _ => Err(D::Error::custom(
            "delimiter must be one ASCII character or \"tab\"",
        )),
    }
}

fn quote<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u8>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else {
        return Ok(None);
    };
    match text.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'\n' | b'\r' | 0) => Ok(Some(*one)),
        _ => Err(D::Error::custom("quote must be one ASCII character")),
    }
}
