//! A value of a key, checked against its kind.

use std::fmt;

use super::databases::{self, Given};
use super::keys::{Key, Kind};

/// A value of the right kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// No value.
    Absent,
    Text(String),
    Switch(bool),
    Number(u64),
    List(Vec<String>),
    Pairs(Vec<(String, String)>),
}

impl Value {
    /// Reads the value of a flag or an environment variable. An error says what is allowed.
    pub fn of_text(key: &Key, text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::Absent);
        }
        match key.kind {
            Kind::Text | Kind::File => Ok(Self::Text(text.to_owned())),
            Kind::Databases => databases::read(text).map(|given| match given {
                Given::One(text) => Self::Text(text),
                Given::Several(all) => Self::Pairs(all),
            }),
            Kind::Switch => match text {
                "true" | "on" | "yes" | "1" => Ok(Self::Switch(true)),
                "false" | "off" | "no" | "0" => Ok(Self::Switch(false)),
                _ => Err(format!(
                    "{} must be true or false, not \"{text}\"",
                    key.name
                )),
            },
            Kind::Number(..) => match text.parse() {
                Ok(number) => Self::number(key, number),
                Err(_) => Err(format!(
                    "{} must be a whole number, not \"{text}\"",
                    key.name
                )),
            },
            Kind::Choice(words) => Self::choice(key, words, text),
            Kind::List => Ok(Self::List(
                parts(text).map(str::to_owned).collect::<Vec<_>>(),
            )),
            Kind::Pairs => parts(text)
                .map(|part| match part.split_once('=') {
                    Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
                    None => Err(format!("{} must be name=value,…, not \"{text}\"", key.name)),
                })
                .collect::<Result<Vec<_>, _>>()
                .map(Self::Pairs),
        }
    }

    /// Checks a whole number.
    pub fn number(key: &Key, number: u64) -> Result<Self, String> {
        match key.kind {
            Kind::Number(least, most) if (least..=most).contains(&number) => {
                Ok(Self::Number(number))
            }
            Kind::Number(least, most) => Err(format!(
                "{} must be between {least} and {most}, not {number}",
                key.name
            )),
            _ => Err(format!("{} is not a number", key.name)),
        }
    }

    fn choice(key: &Key, words: &[&str], text: &str) -> Result<Self, String> {
        if words.contains(&text) {
            return Ok(Self::Text(text.to_owned()));
        }
        Err(format!(
            "{} must be one of {}, not \"{text}\"",
            key.name,
            words.join(", ")
        ))
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

impl fmt::Display for Value {
    /// As it would stand in the file.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => write!(formatter, "\"\""),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::Switch(switch) => write!(formatter, "{switch}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::List(words) => write!(formatter, "{words:?}"),
            Self::Pairs(pairs) => {
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(name, value)| format!("{name:?} = {value:?}"))
                    .collect();
                write!(formatter, "{{ {} }}", pairs.join(", "))
            }
        }
    }
}
