//! Splits and joins qualified SQL names: `shop."Order".status`.

use crate::schema::quote_identifier;

/// The unquoted parts of a dotted name; `None` if it is not a valid SQL name. Unquoted parts are
/// not folded, because stored names were written by [`join`].
pub fn split(name: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = name;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => split_quoted(quoted)?,
            None => {
                let end = rest.find(['.', '"']).unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                (part.to_owned(), after)
            }
        };
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(parts),
            None => return None,
        }
    }
}

/// Whether `parse_ident` of PostgreSQL reads the name: it raises an error where it does not.
pub fn is_readable(name: &str) -> bool {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    let is_inside = |c: char| is_start(c) || c.is_ascii_digit() || c == '$';
    let mut rest = name.trim_start_matches(is_space);
    loop {
        rest = match rest.strip_prefix('"').map(split_quoted) {
            Some(Some((part, after))) if !part.is_empty() => after,
            None if rest.starts_with(is_start) => rest.trim_start_matches(is_inside),
            _ => return false,
        };
        rest = rest.trim_start_matches(is_space);
        match rest.strip_prefix('.') {
            Some(next) => rest = next.trim_start_matches(is_space),
            None => return rest.is_empty(),
        }
    }
}

/// The part up to the closing quote, and the rest.
fn split_quoted(quoted: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = quoted;
    loop {
        let (text, after) = rest.split_once('"')?;
        part.push_str(text);
        match after.strip_prefix('"') {
            Some(next) => {
                part.push('"');
                rest = next;
            }
            None => return Some((part, after)),
        }
    }
}

/// The qualified name of unquoted parts.
pub fn join<T: AsRef<str>>(parts: &[T]) -> String {
    let quoted: Vec<String> = parts
        .iter()
        .map(|part| quote_identifier(part.as_ref()))
        .collect();
    quoted.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parse_ident_reads_is_readable() {
        for name in [
            "orders",
            " shop . orders ",
            "shop.\"My Orders\".\"a\"\"b\"",
            "_a$1.b",
            "straße",
            "pg_temp.x",
        ] {
            assert!(is_readable(name), "{name}");
        }
        for name in [
            "",
            " ",
            "no such source",
            "1a",
            "a.",
            ".a",
            "a..b",
            "\"\"",
            "\"a",
            "a\"b\"",
            "f(",
            "a;b",
            "$a",
        ] {
            assert!(!is_readable(name), "{name}");
        }
    }

    #[test]
    fn a_name_survives_being_written_and_read() {
        for parts in [
            vec!["shop"],
            vec!["shop", "orders", "status"],
            vec!["a.b", "c\"d", "größe"],
            vec!["Sales 2024", "Order", "select"],
        ] {
            assert_eq!(split(&join(&parts)).unwrap(), parts);
        }
    }

    #[test]
    fn what_is_no_name_is_none() {
        for text in ["", ".", "a.", ".a", "\"a", "\"a\"b", "a\"b\"", "\"\""] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
