//! The file of `--config`: TOML. A key that does not exist is an error with its line, because a line that is not
//! obeyed would not be noticed.

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::databases;
use super::keys::{KEYS, Key, Kind, find};
use super::value::Value;

/// What the file says, with the line of each key.
pub(super) type FileValues = Vec<(&'static Key, Value, usize)>;

/// Reads the text of a file. An error names the line.
pub(super) fn read(text: &str) -> Result<FileValues, String> {
    let table = DeTable::parse(text).map_err(|error| syntax_error(text, &error))?;
    let mut values = Vec::new();
    read_table(text, "", table.get_ref(), &mut values)?;
    Ok(values)
}

fn read_table(
    text: &str,
    prefix: &str,
    table: &DeTable<'_>,
    values: &mut FileValues,
) -> Result<(), String> {
    for (name, value) in table {
        let line = line_of(text, name.span().start);
        let full = format!("{prefix}{}", name.get_ref());
        let at_line = |problem: String| format!("line {line}: {problem}");
        match (find(&full), value.get_ref()) {
            (Some(key), _) => {
                let value = read_value(key, value).map_err(at_line)?;
                values.push((key, value, line));
            }
            (None, DeValue::Table(section)) if is_section(&full) => {
                read_table(text, &format!("{full}."), section, values)?;
            }
            (None, _) => return Err(at_line(unknown(&full))),
        }
    }
    Ok(())
}

fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.section() == Some(name))
}

/// Says that there is no such key, with the key that was perhaps meant.
fn unknown(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    let near = KEYS
        .iter()
        .find(|key| key.name.rsplit('.').next() == Some(last));
    match near {
        Some(key) => format!("unknown key \"{name}\"; there is \"{}\"", key.name),
        None if last.contains("password") || last.contains("secret") => {
            format!(
                "unknown key \"{name}\": a secret is named by its file, such as jwt.password_file"
            )
        }
        None => format!("unknown key \"{name}\"; text2sql-server serve --help lists the keys"),
    }
}

fn read_value(key: &Key, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    match (key.kind, value.get_ref()) {
        (Kind::Text | Kind::File | Kind::Choice(_) | Kind::Databases, DeValue::String(text)) => {
            Value::of_text(key, text)
        }
        (Kind::Switch, DeValue::Boolean(switch)) => Ok(Value::Switch(*switch)),
        (Kind::Number(..), DeValue::Integer(number)) => {
            match u64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::number(key, number),
                Err(_) => Err(format!("{} must not be {number}", key.name)),
            }
        }
        (Kind::List, DeValue::Array(words)) => words
            .iter()
            .map(|word| text_of(key, word.get_ref()))
            .collect::<Result<Vec<_>, _>>()
            .map(Value::List),
        (Kind::Pairs, DeValue::Table(pairs)) => pairs_of(key, pairs).map(Value::Pairs),
        (Kind::Databases, DeValue::Table(pairs)) => {
            let pairs = pairs_of(key, pairs)?;
            databases::check(&pairs)?;
            Ok(Value::Pairs(pairs))
        }
        _ => Err(wrong_kind(key)),
    }
}

fn pairs_of(key: &Key, pairs: &DeTable<'_>) -> Result<Vec<(String, String)>, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| Ok((name.get_ref().to_string(), text_of(key, value.get_ref())?)))
        .collect()
}

fn text_of(key: &Key, value: &DeValue<'_>) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        _ => Err(wrong_kind(key)),
    }
}

fn wrong_kind(key: &Key) -> String {
    let wanted = match key.kind {
        Kind::Text | Kind::File => "a text in quotes",
        Kind::Databases => {
            "a text in quotes, or a table such as { shop = \"host=db dbname=shop\" }"
        }
        Kind::Choice(_) => "a word in quotes",
        Kind::Switch => "true or false, without quotes",
        Kind::Number(..) => "a whole number, without quotes",
        Kind::List => "a list of texts, such as [\"a\", \"b\"]",
        Kind::Pairs => "a table of texts, such as { \"a\" = \"b\" }",
    };
    format!("{} must be {wanted}", key.name)
}

fn syntax_error(text: &str, error: &Error) -> String {
    let line = error.span().map_or(1, |span| line_of(text, span.start));
    format!("line {line}: {}", error.message())
}

fn line_of(text: &str, position: usize) -> usize {
    1 + text
        .bytes()
        .take(position)
        .filter(|byte| *byte == b'\n')
        .count()
}
