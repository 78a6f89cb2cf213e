//! Reads the text of LookML as blocks of named values, bounded in depth and number. What the blocks mean is in
//! `looker.rs`.

/// Maximum depth of blocks.
const MAX_DEPTH: usize = 20;

/// Maximum number of values.
const MAX_VALUES: usize = 200_000;

/// A value of LookML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A word, a quoted text, or SQL.
    Text(String),
    /// The elements of a list, with their keys where they have some.
    List(Vec<(Option<String>, String)>),
    /// A block, with its name where it has one.
    Block(Option<String>, Vec<(String, Value)>),
}

/// The named values of a text, or what is wrong at which line.
pub(super) fn read(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut reader = Reader {
        rest: text,
        all: text,
        values: 0,
    };
    let pairs = reader.pairs(0)?;
    match reader.rest.is_empty() {
        true => Ok(pairs),
        false => Err(reader.wrong("a brace is closed that was not opened")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    all: &'a str,
    values: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: &str) -> String {
        let read = self.all.len() - self.rest.len();
        let line = self
            .all
            .get(..read)
            .map_or(0, |text| text.matches('\n').count());
        format!("line {}: {what}", line + 1)
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix('#') else {
                return;
            };
            self.rest = comment
                .find('\n')
                .map_or("", |end| comment.get(end..).unwrap_or_default());
        }
    }

    fn take(&mut self, sign: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn pairs(&mut self, depth: usize) -> Result<Vec<(String, Value)>, String> {
        if depth > MAX_DEPTH {
            return Err(self.wrong("its blocks are nested too deeply"));
        }
        let mut pairs = Vec::new();
        loop {
            self.skip();
            if self.rest.is_empty() || self.rest.starts_with('}') {
                return Ok(pairs);
            }
            self.values += 1;
            if self.values > MAX_VALUES {
                return Err(self.wrong("it has too many values"));
            }
            let key = self.until(|c| !(c.is_alphanumeric() || c == '_'));
            if key.is_empty() || !self.take(':') {
                return Err(self.wrong("a name and a colon are expected"));
            }
            pairs.push((key.to_owned(), self.value(key, depth)?));
        }
    }

    fn value(&mut self, key: &str, depth: usize) -> Result<Value, String> {
        self.skip();
        if key.starts_with("sql") || key == "html" || key.starts_with("expression") {
            let Some((sql, rest)) = self.rest.split_once(";;") else {
                return Err(self.wrong("SQL is not closed by ;;"));
            };
            self.rest = rest;
            return Ok(Value::Text(sql.trim().to_owned()));
        }
        if self.rest.starts_with('{') {
            return self.block(None, depth);
        }
        if self.take('[') {
            return self.list();
        }
        let word = self.word()?;
        self.skip();
        match self.rest.starts_with('{') {
            true => self.block(Some(word), depth),
            false => Ok(Value::Text(word)),
        }
    }

    fn block(&mut self, name: Option<String>, depth: usize) -> Result<Value, String> {
        self.take('{');
        let pairs = self.pairs(depth + 1)?;
        match self.take('}') {
            true => Ok(Value::Block(name, pairs)),
            false => Err(self.wrong("a brace is not closed")),
        }
    }

    fn list(&mut self) -> Result<Value, String> {
        let mut elements = Vec::new();
        loop {
            if self.take(']') {
                return Ok(Value::List(elements));
            }
            self.values += 1;
            if self.rest.is_empty() || self.values > MAX_VALUES {
                return Err(self.wrong("a list is not closed"));
            }
            let word = self.word()?;
            let element = match self.take(':') {
                true => {
                    self.skip();
                    (Some(word), self.word()?)
                }
                false => (None, word),
            };
            elements.push(element);
            self.take(',');
        }
    }

    /// A word, or a quoted text.
    fn word(&mut self) -> Result<String, String> {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            let word = self.until(|c| c.is_whitespace() || "{}[],:\"#".contains(c));
            return match word.is_empty() {
                true => Err(self.wrong("a value is expected")),
                false => Ok(word.to_owned()),
            };
        };
        let mut text = String::new();
        let mut characters = quoted.char_indices();
        while let Some((place, c)) = characters.next() {
            match c {
                '"' => {
                    self.rest = quoted.get(place + 1..).unwrap_or_default();
                    return Ok(text);
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                c => text.push(c),
            }
        }
        Err(self.wrong("a quote is not closed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lists_texts_and_sql() {
        let found = read(
            "# shop\nview: orders {\n sql_table_name: shop.orders ;; # all\n measure: n { type: count filters: [status: \"a \\\"b\\\"\", x.y: \"1\"] }\n \
             dimension_group: at { timeframes: [date, month] sql: CASE WHEN ${TABLE}.x = '{' THEN 1 END ;; }\n}\ninclude: \"*.view\"",
        )
        .unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(found[1], ("include".to_owned(), text("*.view")));
        let Value::Block(name, pairs) = &found[0].1 else {
            panic!("{found:?}");
        };
        assert_eq!(name.as_deref(), Some("orders"));
        assert_eq!(pairs[0].1, text("shop.orders"));
        let Value::Block(_, measure) = &pairs[1].1 else {
            panic!("{pairs:?}");
        };
        let pair = |key: &str, value: &str| (Some(key.to_owned()), value.to_owned());
        assert_eq!(
            measure[1].1,
            Value::List(vec![pair("status", "a \"b\""), pair("x.y", "1")])
        );
    }

    #[test]
    fn what_is_not_closed_is_reported_with_its_line() {
        for (text, why) in [
            ("view: a {\n sql: x", "line 2: SQL is not closed by ;;"),
            ("view: a {", "line 1: a brace is not closed"),
            (
                "view: a {}}",
                "line 1: a brace is closed that was not opened",
            ),
            ("view a", "line 1: a name and a colon are expected"),
            ("label: \"a", "line 1: a quote is not closed"),
            ("x: [a, b", "line 1: a list is not closed"),
            ("x: ", "line 1: a value is expected"),
        ] {
            assert_eq!(read(text).unwrap_err(), why, "{text}");
        }
        let deep = "a: {".repeat(100_000);
        assert!(read(&deep).unwrap_err().ends_with("nested too deeply"));
    }
}
