//! Takes a script apart into its statements, as psql does: what stands in quotes, comments and bodies does not end one.
//!
//! One pass over the text, whatever it contains: what is never closed ends with the text.

use std::ops::Range;

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A key word or a name without quotes.
    Word,
    /// A name in double quotes.
    Name,
    /// A constant in single quotes or between dollar signs.
    Text,
    /// Any other character.
    Sign,
}

/// A part of a text that is neither white space nor a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, in bytes.
    pub place: Range<usize>,
    /// Number of parentheses and brackets around it.
    pub depth: usize,
}

/// The statements of a script, without the semicolons after them and comments before them.
pub fn statements(text: &str) -> Vec<&str> {
    ranges(text)
        .into_iter()
        .filter_map(|range| text.get(range))
        .collect()
}

/// The text without comments, otherwise as it is written.
pub fn without_comments(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut end = 0;
    for lexeme in lexemes(text) {
        let between = text.get(end..lexeme.place.start).unwrap_or_default();
        match (between.trim().is_empty(), between.rsplit_once('\n')) {
            (true, _) => written.push_str(between),
            (false, Some((_, indent))) if indent.trim().is_empty() => {
                written.push('\n');
                written.push_str(indent);
            }
            (false, _) => written.push(' '),
        }
        written.push_str(text.get(lexeme.place.clone()).unwrap_or_default());
        end = lexeme.place.end;
    }
    written.trim().to_owned()
}

/// Where the statements stand.
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let lexemes = lexemes(text);
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    let mut end = 0;
    // Open blocks of a body that begins with BEGIN ATOMIC.
    let mut blocks = 0_usize;
    for (place, lexeme) in lexemes.iter().enumerate() {
        let piece = text.get(lexeme.place.clone()).unwrap_or_default();
        if piece == ";" && lexeme.kind == Kind::Sign && lexeme.depth == 0 && blocks == 0 {
            found.extend(start.take().map(|start| start..end));
            continue;
        }
        if lexeme.kind == Kind::Word {
            let is = |word: &str| piece.eq_ignore_ascii_case(word);
            let follows = lexemes
                .get(place + 1)
                .and_then(|next| text.get(next.place.clone()))
                .unwrap_or_default();
            if is("BEGIN") && follows.eq_ignore_ascii_case("ATOMIC") || blocks > 0 && is("CASE") {
                blocks += 1;
            } else if is("END") {
                blocks = blocks.saturating_sub(1);
            }
        }
        start.get_or_insert(lexeme.place.start);
        end = lexeme.place.end;
    }
    found.extend(start.map(|start| start..end));
    found
}

/// The parts of a text.
pub fn lexemes(text: &str) -> Vec<Lexeme> {
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied().unwrap_or(0);
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut place = 0;
    while place < bytes.len() {
        let start = place;
        let byte = at(place);
        let kind = match byte {
            byte if byte.is_ascii_whitespace() => {
                place += 1;
                continue;
            }
            b'-' if at(place + 1) == b'-' => {
                place = line_end(bytes, place);
                continue;
            }
            b'/' if at(place + 1) == b'*' => {
                place = comment_end(bytes, place);
                continue;
            }
            b'\'' => {
                place = quote_end(bytes, place + 1, b'\'', false);
                Kind::Text
            }
            b'e' | b'E' if at(place + 1) == b'\'' => {
                place = quote_end(bytes, place + 2, b'\'', true);
                Kind::Text
            }
            b'"' => {
                place = quote_end(bytes, place + 1, b'"', false);
                Kind::Name
            }
            b'$' => match dollar_quote(text, place) {
                Some(range) => {
                    place = range.end;
                    Kind::Text
                }
                None => {
                    place += 1;
                    Kind::Sign
                }
            },
            byte if is_word(byte) => {
                while is_word(at(place)) || at(place) == b'$' {
                    place += 1;
                }
                Kind::Word
            }
            _ => {
                place += 1;
                Kind::Sign
            }
        };
        if matches!(byte, b')' | b']') {
            depth = depth.saturating_sub(1);
        }
        found.push(Lexeme {
            kind,
            place: start..place.min(bytes.len()),
            depth,
        });
        if matches!(byte, b'(' | b'[') {
            depth += 1;
        }
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().position(|byte| *byte == b'\n');
    length.map_or(bytes.len(), |length| from + length + 1)
}

/// The end of a comment, in which others may be nested.
fn comment_end(bytes: &[u8], from: usize) -> usize {
    let mut open = 0_usize;
    let mut place = from;
    while let Some(pair) = bytes.get(place..place + 2) {
        match pair {
            b"/*" => {
                open += 1;
                place += 2;
            }
            b"*/" => {
                open -= 1;
                place += 2;
                if open == 0 {
                    return place;
                }
            }
            _ => place += 1,
        }
    }
    bytes.len()
}

fn quote_end(bytes: &[u8], from: usize, quote: u8, escapes: bool) -> usize {
    let mut place = from;
    while let Some(byte) = bytes.get(place) {
        place += 1;
        if escapes && *byte == b'\\' {
            place += 1;
        } else if *byte == quote {
            if bytes.get(place) != Some(&quote) {
                return place;
            }
            place += 1;
        }
    }
    bytes.len()
}

/// The range of a constant between dollar signs that begins at `from`.
fn dollar_quote(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from + 1..)?;
    let tag_length = rest.find('$')?;
    let tag = rest.get(..tag_length)?;
    let is_tag = tag.bytes().all(is_word) && !tag.starts_with(|first: char| first.is_ascii_digit());
    if !is_tag {
        return None;
    }
    let delimiter = text.get(from..from + tag_length + 2)?;
    let inside = from + delimiter.len();
    let end = text
        .get(inside..)?
        .find(delimiter)
        .map_or(text.len(), |length| inside + length + delimiter.len());
    Some(from..end)
}

/// The content of a constant in single quotes or between dollar signs.
pub fn content(constant: &str) -> Option<String> {
    if let Some(rest) = constant.strip_prefix('$') {
        let tag = rest.get(..rest.find('$')?)?;
        let inside = rest.get(tag.len() + 1..)?;
        return inside.strip_suffix(&format!("${tag}$")).map(str::to_owned);
    }
    let inside = constant.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inside.replace("''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_everything_else_stays() {
        for (sql, expected) in [
            ("SELECT 1", "SELECT 1"),
            ("-- first\nSELECT a -- of a\n  FROM t", "SELECT a\n  FROM t"),
            ("SELECT/* x /* y */ */1", "SELECT 1"),
            (
                r"SELECT '-- no' || E'\\'/* no */ || E'\' -- no', $q$ -- no $q$, U&'d\0061t' --yes",
                r"SELECT '-- no' || E'\\' || E'\' -- no', $q$ -- no $q$, U&'d\0061t'",
            ),
            (
                "SELECT \"a--b\", 'it''s\n  --'",
                "SELECT \"a--b\", 'it''s\n  --'",
            ),
        ] {
            assert_eq!(without_comments(sql), expected, "{sql}");
        }
    }

    #[test]
    fn semicolons_end_statements_only_where_they_stand_alone() {
        let script = "-- first; not this\nSELECT ';', \"a;b\", $x$ ; $$ ; $x$ /* ; /* ; */ ; */ , E'\\';' FROM t; ;\n\
                      CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;\n\
                      SELECT (1;2)";
        let found = statements(script);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("SELECT ';'") && found[0].ends_with("FROM t"));
        assert!(found[1].ends_with("SELECT 2; END"));
        assert_eq!(found[2], "SELECT (1;2)");
        assert!(statements(" -- nothing\n;;").is_empty());
    }

    #[test]
    fn what_is_never_closed_ends_with_the_text() {
        for open in [
            "SELECT 'a; b",
            "SELECT $$ a; b",
            "/* a; /* b */",
            "\"x;",
            "E'\\",
            "$",
            "$a",
            "€;'",
        ] {
            for range in ranges(open) {
                assert!(open.get(range).is_some());
            }
        }
        assert_eq!(statements("SELECT $1; SELECT a$b$c; x").len(), 3);
        assert_eq!(ranges(&"SELECT 1;".repeat(100_000)).len(), 100_000);
        assert_eq!(ranges(&"(".repeat(1_000_000)).len(), 1);
    }

    #[test]
    fn constants_have_contents() {
        assert_eq!(content("'it''s'").as_deref(), Some("it's"));
        assert_eq!(content("$b$x$b$").as_deref(), Some("x"));
        assert_eq!(content("$b$x"), None);
    }
}
