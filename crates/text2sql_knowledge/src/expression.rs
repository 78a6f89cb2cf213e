//! Checks of SQL expressions entered by users: whether the text stays within the parentheses it will be
//! put into, and which names it contains. Whether the expression is valid is checked by the server.

use std::collections::HashSet;

/// A token of SQL text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece<'a> {
    /// A bare word, or the text of a quoted identifier.
    Name(&'a str),
    /// Any other character.
    Sign(char),
    /// A literal.
    Literal,
}

/// Why `text` cannot be used as one expression in parentheses; `None` if it can.
pub fn objection(text: &str) -> Option<&'static str> {
    let pieces = match pieces(text) {
        Ok(pieces) => pieces,
        Err(why) => return Some(why),
    };
    let mut open: Vec<char> = Vec::new();
    for piece in &pieces {
        match piece {
            Piece::Sign(';') => return Some("holds a semicolon"),
            Piece::Sign(sign @ ('(' | '[')) => open.push(*sign),
            Piece::Sign(')') if open.pop() != Some('(') => {
                return Some("closes a parenthesis that it did not open");
            }
            Piece::Sign(']') if open.pop() != Some('[') => {
                return Some("closes a bracket that it did not open");
            }
            _ => {}
        }
    }
    match (open.is_empty(), pieces.is_empty()) {
        (false, _) => Some("leaves a parenthesis open"),
        (_, true) => Some("is empty"),
        _ => None,
    }
}

/// The names in an expression that may be columns: words not followed by a parenthesis, folded like in
/// SQL, without duplicates.
pub fn names(text: &str) -> Vec<String> {
    let Ok(pieces) = pieces(text) else {
        return Vec::new();
    };
    let quoted: HashSet<&str> = text.split('"').skip(1).step_by(2).collect();
    let mut names: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for (place, piece) in pieces.iter().enumerate() {
        let Piece::Name(name) = piece else { continue };
        if pieces.get(place + 1) == Some(&Piece::Sign('(')) {
            continue;
        }
        let name = if quoted.contains(name) {
            (*name).to_owned()
        } else {
            name.to_lowercase()
        };
        if known.insert(name.clone()) {
            names.push(name);
        }
    }
    names
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        if first.is_whitespace() {
            rest = after;
        } else if rest.starts_with("--") || rest.starts_with("/*") {
            return Err("holds a comment");
        } else if first == '\0' {
            return Err("holds a NUL byte");
        } else if first == '\'' {
            rest = after_quoted(after, '\'', false).ok_or("leaves a quote open")?;
            pieces.push(Piece::Literal);
        } else if let Some(escaped) = rest.strip_prefix("E'").or_else(|| rest.strip_prefix("e'")) {
            rest = after_quoted(escaped, '\'', true).ok_or("leaves a quote open")?;
            pieces.push(Piece::Literal);
        } else if first == '"' {
            rest = after_quoted(after, '"', false).ok_or("leaves a quote open")?;
            let inside = after.get(..after.len() - rest.len()).unwrap_or_default();
            pieces.push(Piece::Name(inside.strip_suffix('"').unwrap_or(inside)));
        } else if first == '$' && !after.starts_with(|c: char| c.is_ascii_digit()) {
            rest = after_dollar_quoted(rest).ok_or("leaves a quote open")?;
            pieces.push(Piece::Literal);
        } else if first.is_alphabetic() || first == '_' {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
                .unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            pieces.push(Piece::Name(name));
            rest = after;
        } else if first.is_ascii_digit() {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
                .unwrap_or(rest.len());
            rest = rest.get(end..).unwrap_or_default();
            pieces.push(Piece::Literal);
        } else {
            pieces.push(Piece::Sign(first));
            rest = after;
        }
    }
    Ok(pieces)
}

/// The text after the closing quote. A doubled quote does not close.
fn after_quoted(text: &str, quote: char, has_escapes: bool) -> Option<&str> {
    let mut characters = text.char_indices().peekable();
    while let Some((place, c)) = characters.next() {
        if has_escapes && c == '\\' {
            characters.next();
        } else if c == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return text.get(place + c.len_utf8()..);
        }
    }
    None
}

/// The text after `$tag$…$tag$`.
fn after_dollar_quoted(text: &str) -> Option<&str> {
    let end = text.get(1..)?.find('$')? + 2;
    let (mark, inside) = text.split_at_checked(end)?;
    let tag = mark.get(1..mark.len() - 1)?;
    if !tag.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    inside.split_once(mark).map(|(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_stays_within_its_parentheses() {
        for good in [
            "status = 'A'",
            "sum(total) FILTER (WHERE status <> 'it''s;)')",
            "data->>'a(' = E'\\')' AND x[1] > 0",
            "\"Odd ) name\" IS NOT NULL",
            "$$;)$$ = $a$--$a$",
            "price - -1",
        ] {
            assert_eq!(objection(good), None, "{good}");
        }
        let check = |text: &str, why: &str| assert_eq!(objection(text), Some(why), "{text}");
        check(
            "1) FROM secret WHERE (1",
            "closes a parenthesis that it did not open",
        );
        check("1; DROP TABLE x", "holds a semicolon");
        check("1 -- x", "holds a comment");
        check("1 /* x", "holds a comment");
        check("(1", "leaves a parenthesis open");
        check("(1]", "closes a bracket that it did not open");
        check("'a", "leaves a quote open");
        check("E'\\'", "leaves a quote open");
        check("  ", "is empty");
    }

    #[test]
    fn names_are_what_may_be_columns() {
        assert_eq!(
            names("sum(Total) - \"Tax\" * rate >= '2 x' AND total > 1.5e3"),
            ["total", "Tax", "rate", "and"]
        );
    }
}
