//! One value of a result, as PostgreSQL wrote it.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The longest text of a value that a reader is shown, in characters. The whole value is behind the resource link.
const LONGEST: usize = 300;

/// A row: names and values in the order of the columns.
#[derive(Debug)]
pub struct Row(pub Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cells;
        impl<'de> Visitor<'de> for Cells {
            type Value = Row;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a row as an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = map.next_entry()? {
                    cells.push(cell);
                }
                Ok(Row(cells))
            }
        }
        deserializer.deserialize_map(Cells)
    }
}

/// The value as JSON that keeps every digit: a number that programs would round is a string.
pub(super) fn exact(value: &RawValue) -> Value {
    let text = value.get();
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) if number.to_string() == text && is_safe(&number) => {
            Value::Number(number)
        }
        Ok(Value::Number(_)) | Err(_) => Value::String(text.to_owned()),
        // Numbers inside of arrays and objects are seldom; their text is exact.
        Ok(Value::Array(_) | Value::Object(_))
            if text.bytes().any(|byte| byte.is_ascii_digit()) =>
        {
            Value::String(text.to_owned())
        }
        Ok(other) => other,
    }
}

/// The value with at most this many characters: a longer text ends with what is left out, and so does a longer array or
/// object, which becomes its text.
pub(super) fn shortened(value: Value, most: usize) -> Value {
    let text = match value {
        Value::String(text) => text,
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.len() <= most {
                return value;
            }
            text
        }
        other => return other,
    };
    Value::String(match text.char_indices().nth(most) {
        Some((end, _)) => {
            let left_out = text.get(end..).unwrap_or_default().chars().count();
            let shown = text.get(..end).unwrap_or_default();
            format!("{shown}… ({left_out} characters left out)")
        }
        None => text,
    })
}

/// Whether a program that keeps numbers as binary64 has it exactly.
fn is_safe(number: &serde_json::Number) -> bool {
    const LARGEST: u64 = 1 << 53;
    number
        .as_i64()
        .map_or(number.is_f64(), |integer| integer.unsigned_abs() <= LARGEST)
}

/// The value in a cell of a Markdown table.
pub(super) fn markdown(value: &RawValue) -> String {
    let text = match serde_json::from_str(value.get()) {
        Ok(Value::Null) => "NULL".to_owned(),
        Ok(Value::String(text)) => text,
        _ => value.get().to_owned(),
    };
    escape(&text)
}

/// Text that cannot end a cell or a row.
pub(super) fn escape(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        if index == LONGEST {
            cell.push('…');
            break;
        }
        match character {
            '|' => cell.push_str("\\|"),
            '\\' => cell.push_str("\\\\"),
            character if character.is_control() => cell.push(' '),
            character => cell.push(character),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_number_that_would_be_rounded_is_a_string() {
        for exactly in ["0", "-17", "9007199254740992", "2.5", "0.1"] {
            assert!(exact(&raw(exactly)).is_number(), "{exactly}");
        }
        for rounded in [
            "9223372036854775807",
            "1.10",
            "12345678901234567890.0123456789",
            "1e400",
        ] {
            assert_eq!(exact(&raw(rounded)), Value::String(rounded.to_owned()));
        }
        assert_eq!(exact(&raw("[1.10]")), Value::String("[1.10]".to_owned()));
        assert_eq!(exact(&raw("null")), Value::Null);
        assert_eq!(exact(&raw("\"a\"")), Value::String("a".to_owned()));
    }

    #[test]
    fn a_cell_cannot_end_its_row() {
        assert_eq!(markdown(&raw(r#""a|b\nc\\""#)), "a\\|b c\\\\");
        assert_eq!(markdown(&raw("null")), "NULL");
        assert_eq!(markdown(&raw("\"\"")), "");
        let long = format!("\"{}\"", "x".repeat(400));
        assert_eq!(markdown(&raw(&long)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn columns_keep_their_order() {
        let Row(cells) = serde_json::from_str(r#"{"b": 1, "a": 2}"#).unwrap();
        assert_eq!(
            cells
                .iter()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
            ["b", "a"]
        );
    }
}
