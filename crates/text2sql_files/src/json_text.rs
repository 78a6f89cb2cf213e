//! The rows of JSON: an array of objects, or one object a line.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::cell::{Cell, Found};
use crate::csv_text::Lines;
use crate::error::FileError;
use crate::limits::{MAX_COLUMNS, MAX_VALUE, too_long};

/// A JSON file.
#[derive(Debug)]
pub(crate) struct JsonText<'a> {
    text: &'a str,
    rows: Vec<&'a RawValue>,
    pub(crate) names: Vec<String>,
    places: HashMap<String, usize>,
}

impl<'a> JsonText<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, FileError> {
        let rows = match text.trim_start().starts_with('[') {
            true => serde_json::from_str(text).map_err(|error| broken(&error, 0))?,
            false => lines(text)?,
        };
        let mut file = Self {
            text,
            rows,
            names: Vec::new(),
            places: HashMap::new(),
        };
        let mut places = Lines::new(text, 1);
        for row in &file.rows {
            let line = places.of(offset(text, row));
            let Object(members) = object(row, line)?;
            for (name, _) in members {
                if !file.places.contains_key(&*name) {
                    file.places.insert(name.to_string(), file.names.len());
                    file.names.push(name.into_owned());
                }
            }
            if file.names.len() > MAX_COLUMNS {
                return Err(FileError::new(format!(
                    "the objects up to line {line} have more than {MAX_COLUMNS} different keys; a table has at most {MAX_COLUMNS} columns"
                )));
            }
        }
        Ok(file)
    }

    /// Hands over each row.
    pub(crate) fn each<E: From<FileError>>(
        &self,
        mut take: impl FnMut(u64, Found<'_, '_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut places = Lines::new(self.text, 1);
        for row in &self.rows {
            let line = places.of(offset(self.text, row));
            let Object(members) = object(row, line)?;
            let mut texts: Vec<Option<Value<'_>>> = (0..self.names.len()).map(|_| None).collect();
            for (name, value) in members {
                let place = self.places.get(&*name).copied().unwrap_or(usize::MAX);
                if let Some(slot) = texts.get_mut(place) {
                    if slot.is_some() {
                        return Err(FileError::new(format!(
                            "line {line}: the key \"{name}\" occurs twice in one object"
                        ))
                        .into());
                    }
                    *slot = Some(Value::of(value, line)?);
                }
            }
            let cells: Vec<Cell<'_>> = texts
                .iter()
                .map(|value| value.as_ref().map_or(Cell::Empty, Value::cell))
                .collect();
            take(
                line,
                Found::Row {
                    cells: &cells,
                    raw: row.get(),
                },
            )?;
        }
        Ok(())
    }
}

/// One object a line.
fn lines(text: &str) -> Result<Vec<&RawValue>, FileError> {
    let filled = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let read = filled
        .map(|(number, line)| serde_json::from_str(line).map_err(|error| broken(&error, number)));
    read.collect()
}

fn broken(error: &serde_json::Error, before: usize) -> FileError {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    FileError::new(format!(
        "line {}, character {}: {reason}",
        before + error.line().max(1),
        error.column()
    ))
    .with_hint("Write an array of objects, or one object a line.")
}

/// An error in a part of the text that begins in this line. Its own place says nothing to who wrote the file.
fn invalid(error: &serde_json::Error, line: u64) -> FileError {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    let below = u64::try_from(error.line().saturating_sub(1)).unwrap_or(0);
    FileError::new(format!("line {}: {reason}", line + below))
}

fn object<'a>(row: &'a RawValue, line: u64) -> Result<Object<'a>, FileError> {
    if !row.get().starts_with('{') {
        return Err(FileError::new(format!("line {line}: not a JSON object"))
            .with_hint("Write an array of objects, or one object a line."));
    }
    serde_json::from_str(row.get()).map_err(|error| invalid(&error, line))
}

/// Where a part of a text begins.
fn offset(text: &str, part: &RawValue) -> usize {
    part.get()
        .as_ptr()
        .addr()
        .saturating_sub(text.as_ptr().addr())
}

/// A value of a member.
enum Value<'a> {
    Null,
    Text(Cow<'a, str>),
    Other(Cell<'a>),
}

impl<'a> Value<'a> {
    fn of(value: &'a RawValue, line: u64) -> Result<Self, FileError> {
        let text = value.get();
        if text.len() > MAX_VALUE {
            return Err(too_long(line));
        }
        Ok(match text.as_bytes().first() {
            Some(b'n') => Self::Null,
            Some(b't') => Self::Other(Cell::Boolean(true)),
            Some(b'f') => Self::Other(Cell::Boolean(false)),
            Some(b'{' | b'[') => {
                // Of two members jsonb would keep the last. What is nested too deep for this is the server's to judge.
                if let Err(error) = serde_json::from_str::<Distinct>(text)
                    && error.is_data()
                {
                    return Err(invalid(&error, line));
                }
                Self::Other(Cell::Json(text))
            }
            Some(b'"') => {
                let Text(text) =
                    serde_json::from_str(text).map_err(|error| invalid(&error, line))?;
                Self::Text(text)
            }
            _ => Self::Other(Cell::Number(text)),
        })
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Empty,
            Self::Text(text) => Cell::Text(text),
            Self::Other(cell) => *cell,
        }
    }
}

/// A string that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of an object, in order.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members)
    }
}

/// A value in which no object has a key twice.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Distinct {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
        while elements.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some((key, _)) = members.next_entry::<String, Self>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format!(
                    "the key \"{key}\" occurs twice in one object"
                )));
            }
            keys.insert(key);
        }
        Ok(self)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Object<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Text(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Object(members))
    }
}
