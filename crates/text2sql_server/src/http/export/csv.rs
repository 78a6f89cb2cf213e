//! Rows as CSV. A spreadsheet takes a cell that begins with `=` for a formula and runs it: such texts get a `'` in
//! front.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// What stands between two cells.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
pub enum Separator {
    #[default]
    #[serde(rename = ",")]
    Comma,
    #[serde(rename = ";")]
    Semicolon,
}

impl Separator {
    fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
        }
    }
}

/// A column of a result.
#[derive(Deserialize)]
pub struct Column {
    name: String,
    r#type: String,
}

impl Column {
    /// Whether its values cannot be a formula, whatever they begin with: `-1`, `-1 days`.
    fn is_plain(&self) -> bool {
        let name = self.r#type.split(['(', '[']).next().unwrap_or_default();
        let is_array = self.r#type.ends_with("[]");
        !is_array
            && matches!(
                name.trim_end(),
                "smallint"
                    | "integer"
                    | "bigint"
                    | "numeric"
                    | "real"
                    | "double precision"
                    | "boolean"
                    | "date"
                    | "time without time zone"
                    | "time with time zone"
                    | "timestamp without time zone"
                    | "timestamp with time zone"
                    | "interval"
                    | "uuid"
                    | "oid"
            )
    }
}

/// The rows of a JSON array of objects, one after the other, below the names of the columns.
pub fn write(columns: &[Column], rows: &str, separator: Separator) -> Result<String, String> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(separator.byte())
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::with_capacity(rows.len() / 2));
    let names = columns.iter().map(|column| harmless(column.name.clone()));
    writer
        .write_record(names)
        .map_err(|error| error.to_string())?;
    let mut deserializer = serde_json::Deserializer::from_str(rows);
    let written = Rows {
        columns,
        writer: &mut writer,
    };
    written
        .deserialize(&mut deserializer)
        .map_err(|error| error.to_string())?;
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// A text that no spreadsheet takes for a formula.
fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text
    }
}

/// The cell of a value. Numbers keep every digit, NULL is empty, arrays and objects stay JSON.
fn cell(column: &Column, value: &RawValue) -> serde_json::Result<String> {
    let raw = value.get();
    if raw == "null" {
        return Ok(String::new());
    }
    if !raw.starts_with('"') {
        return Ok(raw.to_owned());
    }
    let text: String = serde_json::from_str(raw)?;
    Ok(if column.is_plain() {
        text
    } else {
        harmless(text)
    })
}

/// Writes row by row, so that the rows are in memory only once.
struct Rows<'a> {
    columns: &'a [Column],
    writer: &'a mut csv::Writer<Vec<u8>>,
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let Self { columns, writer } = self;
        while rows
            .next_element_seed(Row {
                columns,
                writer: &mut *writer,
            })?
            .is_some()
        {}
        Ok(())
    }
}

struct Row<'a> {
    columns: &'a [Column],
    writer: &'a mut csv::Writer<Vec<u8>>,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut row: A) -> Result<(), A::Error> {
        use serde::de::Error;
        for column in self.columns {
            let Some((IgnoredAny, value)) = row.next_entry::<IgnoredAny, &'de RawValue>()? else {
                return Err(A::Error::custom(
                    "a row has fewer cells than there are columns",
                ));
            };
            let cell = cell(column, value).map_err(A::Error::custom)?;
            self.writer.write_field(cell).map_err(A::Error::custom)?;
        }
        self.writer
            .write_record(None::<&[u8]>)
            .map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(columns: &[(&str, &str)], rows: &str) -> String {
        let columns: Vec<_> = columns
            .iter()
            .map(|(name, r#type)| Column {
                name: (*name).to_owned(),
                r#type: (*r#type).to_owned(),
            })
            .collect();
        write(&columns, rows, Separator::Comma).unwrap()
    }

    #[test]
    fn a_text_is_no_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\\t=1", "\\r=1"] {
            let cell = written(&[("a", "text")], &format!("[{{\"a\":\"{text}\"}}]"));
            let cell = cell.trim_start_matches("a\r\n").trim_start_matches('"');
            assert!(cell.starts_with('\''), "{cell}");
        }
        assert_eq!(
            written(&[("=a", "text")], "[{\"=a\":\"b=1\"}]"),
            "'=a\r\nb=1\r\n"
        );
        // The texts of an array stand behind a bracket.
        assert_eq!(
            written(&[("a", "text[]")], "[{\"a\":[\"=1\"]}]"),
            "a\r\n\"[\"\"=1\"\"]\"\r\n"
        );
    }

    #[test]
    fn numbers_and_times_stay_what_they_are() {
        let columns = [
            ("n", "numeric(38,10)"),
            ("b", "bigint"),
            ("i", "interval"),
            ("x", "numeric"),
        ];
        let row =
            "[{\"n\":-1.1000000000,\"b\":9223372036854775807,\"i\":\"-1 days\",\"x\":\"NaN\"}]";
        assert_eq!(
            written(&columns, row),
            "n,b,i,x\r\n-1.1000000000,9223372036854775807,-1 days,NaN\r\n"
        );
    }

    #[test]
    fn what_separates_is_quoted() {
        let columns = [("a", "text"), ("b", "text"), ("c", "boolean")];
        let row = "[{\"a\":\"x,\\\"y\\\"\\nz\",\"b\":null,\"c\":true}]";
        assert_eq!(
            written(&columns, row),
            "a,b,c\r\n\"x,\"\"y\"\"\nz\",,true\r\n"
        );
        assert_eq!(written(&columns, "[]"), "a,b,c\r\n");
    }
}
