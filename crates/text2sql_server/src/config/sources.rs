//! Where the value of each key comes from: a flag, else the environment, else the file, else the default.

use std::fmt;

use super::file::FileValues;
use super::keys::{KEYS, Key};
use super::value::Value;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Flag,
    Environment,
    /// The file, and the line in it.
    File(usize),
    Default,
}

/// The values of all keys, each with its source.
#[derive(Debug)]
pub(super) struct Settings {
    values: Vec<(&'static Key, Value, Source)>,
}

impl Settings {
    /// Puts the sources together. `flag` and `variable` look a name up.
    pub fn collect(
        flag: impl Fn(&str) -> Option<String>,
        variable: impl Fn(&str) -> Option<String>,
        file: &FileValues,
    ) -> Result<Self, String> {
        let mut values = Vec::with_capacity(KEYS.len());
        for key in KEYS {
            let flag = flag(key.name).map(|text| (text, Source::Flag, format!("--{}", key.flag())));
            let given = flag.or_else(|| {
                let text = variable(&key.variable())?;
                Some((text, Source::Environment, key.variable()))
            });
            let (value, source) = match given {
                Some((text, source, place)) => {
                    let value = Value::of_text(key, &text)
                        .map_err(|problem| format!("{place}: {problem}"))?;
                    (value, source)
                }
                None => match file.iter().find(|(other, ..)| *other == key) {
                    Some((_, value, line)) => (value.clone(), Source::File(*line)),
                    None => (Value::of_text(key, key.default)?, Source::Default),
                },
            };
            values.push((key, value, source));
        }
        Ok(Self { values })
    }

    fn value(&self, name: &str) -> &Value {
        self.values
            .iter()
            .find(|(key, ..)| key.name == name)
            .map_or(&Value::Absent, |(_, value, _)| value)
    }

    /// A text or a file's path, empty where there is none.
    pub fn text(&self, name: &str) -> String {
        self.optional_text(name).unwrap_or_default()
    }

    /// A text or a file's path.
    pub fn optional_text(&self, name: &str) -> Option<String> {
        match self.value(name) {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// A switch.
    pub fn switch(&self, name: &str) -> bool {
        matches!(self.value(name), Value::Switch(true))
    }

    /// A number. Every one has a default.
    pub fn number(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Number(number) => *number,
            _ => 0,
        }
    }

    /// A list.
    pub fn list(&self, name: &str) -> Vec<String> {
        match self.value(name) {
            Value::List(words) => words.clone(),
            _ => Vec::new(),
        }
    }

    /// Pairs of names and values.
    pub fn pairs(&self, name: &str) -> Vec<(String, String)> {
        match self.value(name) {
            Value::Pairs(pairs) => pairs.clone(),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Settings {
    /// A configuration file that says all of it, with the source of each line behind it. No key holds a secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut section = None;
        for (key, value, source) in &self.values {
            if key.section() != section {
                section = key.section();
                writeln!(formatter, "\n[{}]", section.unwrap_or_default())?;
            }
            let name = key.name.rsplit('.').next().unwrap_or(key.name);
            let absent = if *value == Value::Absent { "# " } else { "" };
            let line = format!("{absent}{name} = {value}");
            match source {
                Source::Flag => writeln!(formatter, "{line:<50} # --{}", key.flag())?,
                Source::Environment => writeln!(formatter, "{line:<50} # {}", key.variable())?,
                Source::File(number) => {
                    writeln!(formatter, "{line:<50} # line {number} of the file")?
                }
                Source::Default => writeln!(formatter, "{line:<50} # default")?,
            }
        }
        Ok(())
    }
}
