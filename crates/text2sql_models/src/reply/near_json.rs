//! JSON objects in a text, also those that are written nearly like JSON: with a comma after the last member, other
//! quotation marks, line ends inside of strings, escapes that JSON does not have, or comments.

use std::ops::Range;

use serde_json::{Map, Value};

/// Maximum number of places at which an object is looked for.
const MAX_STARTS: usize = 64;

/// Maximum depth of what is read nearly like JSON.
const MAX_DEPTH: usize = 16;

/// The last object in the text with one of these members, itself or in an object around it. An object that is JSON comes
/// before one that is nearly so.
pub(super) fn last_object(text: &str, keys: &[&str]) -> Option<Value> {
    let with_keys = |(_, value): (Range<usize>, Value)| object_with_member(value, keys);
    let strict = objects(text, strict_at).into_iter().rev();
    strict.filter_map(with_keys).next().or_else(|| {
        let near = objects(text, near_at).into_iter().rev();
        near.filter_map(with_keys).next()
    })
}

/// Where the objects of the text that are JSON stand, without those inside of others.
pub(super) fn strict_objects(text: &str) -> Vec<Range<usize>> {
    let found = objects(text, strict_at).into_iter();
    found.map(|(place, _)| place).collect()
}

/// The object itself, or the first one inside of it, that has one of these members.
fn object_with_member(value: Value, keys: &[&str]) -> Option<Value> {
    let members = value.as_object()?;
    if keys.iter().any(|key| members.contains_key(*key)) {
        return Some(value);
    }
    let inner = members.values().filter(|inner| inner.is_object());
    inner
        .cloned()
        .find_map(|inner| object_with_member(inner, keys))
}

type ReadAt = fn(&str) -> Option<(Value, usize)>;

fn objects(text: &str, read: ReadAt) -> Vec<(Range<usize>, Value)> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..MAX_STARTS {
        let Some(start) = text
            .get(from..)
            .and_then(|rest| rest.find('{'))
            .map(|at| from + at)
        else {
            break;
        };
        from = match read(text.get(start..).unwrap_or_default()) {
            Some((value, length)) => {
                found.push((start..start + length, value));
                start + length
            }
            None => start + 1,
        };
    }
    found
}

fn strict_at(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

fn near_at(text: &str) -> Option<(Value, usize)> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    Some((value, reader.at))
}

/// Pairs of quotation marks around strings.
const QUOTES: [(char, &[char]); 5] = [
    ('"', &['"']),
    ('\'', &['\'']),
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('‘', &['’']),
];

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.next() == Some(wanted);
        if is_next {
            self.at += wanted.len_utf8();
        }
        is_next
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let after = rest.get(blank..).unwrap_or_default();
            let comment = if after.starts_with("//") {
                after.find('\n').unwrap_or(after.len())
            } else if after.starts_with("/*") {
                after.find("*/").map_or(after.len(), |end| end + 2)
            } else {
                0
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip();
        match self.next()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            mark if QUOTES.iter().any(|(open, _)| *open == mark) => {
                self.string(false).map(Value::String)
            }
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        self.takes('{');
        loop {
            self.skip();
            if self.takes('}') {
                return Some(Value::Object(members));
            }
            let key = match self.next()? {
                mark if QUOTES.iter().any(|(open, _)| *open == mark) => self.string(true)?,
                _ => self.name()?,
            };
            self.skip();
            if !self.takes(':') {
                return None;
            }
            let value = self.value(depth + 1)?;
            members.insert(key, value);
            self.skip();
            if !self.takes(',') && self.next() != Some('}') {
                return None;
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let mut elements = Vec::new();
        self.takes('[');
        loop {
            self.skip();
            if self.takes(']') {
                return Some(Value::Array(elements));
            }
            elements.push(self.value(depth + 1)?);
            self.skip();
            if !self.takes(',') && self.next() != Some(']') {
                return None;
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let name = rest
            .get(..length)
            .filter(|name| !name.is_empty())?
            .to_owned();
        self.at += length;
        Some(name)
    }

    /// A number, or a word that stands for a value.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']'))
            .unwrap_or(rest.len());
        let word = rest.get(..length)?;
        let value = match word {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" | "undefined" | "NULL" => Value::Null,
            word => serde_json::from_str(word).ok()?,
        };
        self.at += length;
        Some(value)
    }

    /// A string. Its closing mark is the one after which the object goes on: a mark inside of it is text.
    fn string(&mut self, is_key: bool) -> Option<String> {
        let open = self.next()?;
        let (_, closes) = QUOTES.iter().find(|(mark, _)| *mark == open)?;
        self.at += open.len_utf8();
        let mut text = String::new();
        loop {
            let character = self.next()?;
            self.at += character.len_utf8();
            if closes.contains(&character) && self.ends_string(is_key) {
                return Some(text);
            }
            if character == '\\' {
                self.escape(&mut text)?;
            } else {
                text.push(character);
            }
        }
    }

    /// Whether what follows a quotation mark can only follow a string.
    fn ends_string(&self, is_key: bool) -> bool {
        let after = self.rest().trim_start();
        if is_key {
            return after.starts_with(':');
        }
        if after.starts_with("//") || after.starts_with("/*") {
            return true;
        }
        let mut rest = after.chars();
        match rest.next() {
            None | Some('}' | ']') => true,
            Some(',') => {
                let next = rest.as_str().trim_start();
                let member = next.trim_start_matches(|c: char| {
                    c.is_alphanumeric()
                        || c == '_'
                        || QUOTES
                            .iter()
                            .any(|(open, closes)| *open == c || closes.contains(&c))
                });
                let is_string =
                    next.starts_with(|c: char| QUOTES.iter().any(|(open, _)| *open == c));
                next.starts_with(['}', ']', '{', '[', '/'])
                    || member.trim_start().starts_with(':')
                    || (is_string && !member.trim_start().is_empty())
            }
            _ => false,
        }
    }

    /// An escape. One that JSON does not have is text, as `\d` in a regular expression.
    fn escape(&mut self, text: &mut String) -> Option<()> {
        let character = self.next()?;
        self.at += character.len_utf8();
        match character {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '"' | '\'' | '\\' | '/' => text.push(character),
            'u' => {
                let digits = self.rest().get(..4)?;
                let code = u32::from_str_radix(digits, 16).ok()?;
                self.at += 4;
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            other => {
                text.push('\\');
                text.push(other);
            }
        }
        Some(())
    }
}
