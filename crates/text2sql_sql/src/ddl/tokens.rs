//! Takes DDL text apart into tokens, whatever database it is from: quotes of every kind, comments, and the noise of
//! dumps. It never fails: what is not closed ends with the text.

use text2sql_domain::dialect::Dialect;

/// A token with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Byte offset of its first character.
    pub(super) start: usize,
    /// Byte offset behind its last character.
    pub(super) end: usize,
    /// The line, from 0.
    pub(super) line: usize,
    /// Whether it is the first of its line.
    pub(super) begins_line: bool,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word without quotes, as written.
    Word(String),
    /// A name in quotes of any kind, without them.
    Quoted(String),
    /// A text.
    Text(String),
    Number,
    Sign(char),
    /// The text of a comment to the end of the line.
    Comment(String),
}

impl Token {
    /// Whether it is this keyword, given in lower case.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(own) if own.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub(super) fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::Comment(_))
    }
}

/// Reads tokens one after another.
pub(super) struct Tokens<'a> {
    text: &'a str,
    dialect: Dialect,
    place: usize,
    line: usize,
    is_at_line_start: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            dialect,
            place: 0,
            line: 0,
            is_at_line_start: true,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.place..).unwrap_or_default()
    }

    /// Skips the data behind `COPY … FROM stdin;`, up to the line `\.`.
    pub(super) fn skip_copied_rows(&mut self) {
        let rest = self.rest();
        let length = match rest.find("\n\\.") {
            Some(end) => end + 3,
            None => rest.len(),
        };
        self.take(length);
    }

    fn take(&mut self, length: usize) {
        let taken = self.rest().get(..length).unwrap_or_default();
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        self.place += length;
    }

    /// Skips white space and comments in slashes. Those that only MySQL executes are not comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return;
            };
            if first == '\n' {
                self.is_at_line_start = true;
                self.take(1);
            } else if first.is_whitespace() || first == '\u{feff}' || first == '\0' {
                self.take(first.len_utf8());
            } else if let Some(inner) = rest.strip_prefix("/*!") {
                let digits = length_while(inner, |c| c.is_ascii_digit());
                self.take(3 + digits);
            } else if rest.starts_with("*/") {
                self.take(2);
            } else if rest.starts_with("/*") {
                let length = rest
                    .get(2..)
                    .and_then(|inner| inner.find("*/"))
                    .map_or(rest.len(), |end| end + 4);
                self.take(length);
            } else {
                return;
            }
        }
    }

    /// Whether a quoted text may hold escapes with backslashes.
    fn has_escapes(&self) -> bool {
        self.dialect == Dialect::MySql
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blank();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let (start, line) = (self.place, self.line);
        let second = rest.chars().nth(1);
        let (kind, length) = match first {
            '-' if second == Some('-') => comment(rest, 2),
            '#' if self.dialect == Dialect::MySql => comment(rest, 1),
            '\'' => {
                let (text, length) = quoted(rest, '\'', self.has_escapes());
                (Kind::Text(text), length)
            }
            'N' | 'n' | 'E' | 'e' | 'B' | 'b' | 'X' | 'x' if second == Some('\'') => {
                let has_escapes = matches!(first, 'E' | 'e') || self.has_escapes();
                let (text, length) = quoted(rest.get(1..).unwrap_or_default(), '\'', has_escapes);
                (Kind::Text(text), length + 1)
            }
            '"' => {
                let (text, length) = quoted(rest, '"', self.has_escapes());
                (Kind::Quoted(text), length)
            }
            '`' => {
                let (text, length) = quoted(rest, '`', false);
                (Kind::Quoted(text), length)
            }
            '[' => match bracketed(rest, self.dialect) {
                Some((name, length)) => (Kind::Quoted(name), length),
                None => (Kind::Sign('['), 1),
            },
            '$' => match dollar_quoted(rest) {
                Some((text, length)) => (Kind::Text(text), length),
                None => (Kind::Sign('$'), 1),
            },
            c if c.is_ascii_digit() => (
                Kind::Number,
                length_while(rest, |c| c.is_ascii_alphanumeric() || c == '.'),
            ),
            c if is_word(c) => {
                let length = length_while(rest, |c| is_word(c) || c == '$');
                let word = rest.get(..length).unwrap_or_default();
                (Kind::Word(word.to_owned()), length)
            }
            c => (Kind::Sign(c), c.len_utf8()),
        };
        self.take(length.max(1));
        Some(Token {
            kind,
            start,
            end: self.place,
            line,
            begins_line: std::mem::take(&mut self.is_at_line_start),
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '@' | '#')
}

fn length_while(text: &str, goes_on: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !goes_on(c)).unwrap_or(text.len())
}

fn comment(rest: &str, mark: usize) -> (Kind, usize) {
    let length = rest.find('\n').unwrap_or(rest.len());
    let text = rest.get(mark..length).unwrap_or_default().trim();
    (Kind::Comment(text.to_owned()), length)
}

/// A quoted text without its quotes, and its length with them. A doubled quote is a quote.
fn quoted(text: &str, quote: char, has_escapes: bool) -> (String, usize) {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((place, c)) = chars.next() {
        if c == quote {
            match chars.peek() {
                Some((_, next)) if *next == quote => {
                    inner.push(quote);
                    chars.next();
                }
                _ => return (inner, place + c.len_utf8()),
            }
        } else if c == '\\' && has_escapes {
            match chars.next() {
                Some((_, 'n')) => inner.push('\n'),
                Some((_, 't')) => inner.push('\t'),
                Some((_, escaped)) => inner.push(escaped),
                None => {}
            }
        } else {
            inner.push(c);
        }
    }
    (inner, text.len())
}

/// Maximum number of bytes of a name in brackets; SQL Server permits 128 characters.
const MAX_BRACKETED: usize = 300;

/// A name in brackets. In PostgreSQL and DuckDB brackets are those of arrays, unless a name is in them.
fn bracketed(text: &str, dialect: Dialect) -> Option<(String, usize)> {
    let inner = text.get(1..)?;
    let searched = inner.get(..inner.floor_char_boundary(MAX_BRACKETED))?;
    let end = searched.find([']', '\n'])?;
    let name = inner
        .get(..end)
        .filter(|_| inner.get(end..end + 1) == Some("]"))?;
    let first = name.chars().next()?;
    let is_name = match dialect {
        Dialect::TSql | Dialect::Sqlite => true,
        Dialect::PostgreSql | Dialect::DuckDb | Dialect::MySql => {
            first.is_alphabetic() || first == '_'
        }
    };
    is_name.then(|| (name.to_owned(), end + 2))
}

/// The text between dollar quotes, and its length with them.
fn dollar_quoted(text: &str) -> Option<(String, usize)> {
    let end_of_tag = text.get(1..)?.find('$')? + 2;
    let tag = text.get(..end_of_tag)?;
    let name = tag.trim_matches('$');
    let is_tag = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return None;
    }
    let inner = text.get(end_of_tag..)?;
    Some(match inner.find(tag) {
        Some(end) => (
            inner.get(..end).unwrap_or_default().to_owned(),
            end + 2 * end_of_tag,
        ),
        None => (inner.to_owned(), text.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, dialect: Dialect) -> Vec<Kind> {
        Tokens::new(text, dialect).map(|token| token.kind).collect()
    }

    #[test]
    fn quotes_of_every_kind_are_read() {
        let name = |text: &str| Kind::Quoted(text.to_owned());
        let text = |text: &str| Kind::Text(text.to_owned());
        assert_eq!(
            kinds("`a``b` [c d] \"e\"\"f\" N'it''s' $t$x'y$t$", Dialect::TSql),
            [
                name("a`b"),
                name("c d"),
                name("e\"f"),
                text("it's"),
                text("x'y")
            ]
        );
        assert_eq!(
            kinds(r"'a\'b' # c", Dialect::MySql),
            [text("a'b"), Kind::Comment("c".to_owned())]
        );
        assert_eq!(
            kinds("int[3]", Dialect::PostgreSql),
            [
                Kind::Word("int".to_owned()),
                Kind::Sign('['),
                Kind::Number,
                Kind::Sign(']')
            ]
        );
    }

    #[test]
    fn comments_that_mysql_executes_are_read() {
        let all = kinds("/*!50001 CREATE VIEW */ /* no */ x", Dialect::MySql);
        assert_eq!(all.len(), 3, "{all:?}");
    }

    #[test]
    fn any_text_ends() {
        for text in [
            "'", "\"é", "`ü", "[", "$", "$a", "$é$ x", "/*", "--", "€+'", "\0", "/*!",
        ] {
            let _ = kinds(text, Dialect::MySql);
            let _ = kinds(text, Dialect::TSql);
        }
    }
}
