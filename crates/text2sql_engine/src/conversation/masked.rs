//! SQL of an earlier turn, without literals that may be values of rows.

use sqlparser::tokenizer::{Token, Whitespace};

use text2sql_domain::schema::quote_literal;
use text2sql_sql::reader as sql_reader;

/// Replaces each string literal that does not occur in `typed`, the questions in lower case, by '…'.
/// Dates are kept if `keeps_dates`. Comments are removed. `None` if the SQL cannot be tokenized.
pub fn masked(sql: &str, typed: &str, keeps_dates: bool) -> Option<String> {
    let tokens = sql_reader::tokens(sql).ok()?;
    let mut text = String::new();
    for token in tokens {
        match literal(&token) {
            Some(value) => {
                let is_kept = value.is_empty()
                    || is_typed(&value, typed)
                    || (keeps_dates && is_date(&value))
                    || is_unit(&value);
                text.push_str(&quote_literal(if is_kept { &value } else { "…" }));
            }
            None => match token {
                Token::Whitespace(
                    Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_),
                ) => text.push(' '),
                other => text.push_str(&other.to_string()),
            },
        }
    }
    Some(text.trim().to_owned())
}

/// The text of a literal, with any kind of quotes.
fn literal(token: &Token) -> Option<String> {
    Some(match token {
        Token::SingleQuotedString(text)
        | Token::EscapedStringLiteral(text)
        | Token::UnicodeStringLiteral(text)
        | Token::NationalStringLiteral(text)
        | Token::HexStringLiteral(text)
        | Token::SingleQuotedByteStringLiteral(text) => text.clone(),
        Token::DollarQuotedString(text) => text.value.clone(),
        _ => return None,
    })
}

/// Whether the questions contain the text as whole words, ignoring wildcards of a pattern.
fn is_typed(value: &str, typed: &str) -> bool {
    let value = value.trim_matches(['%', ' ']).to_lowercase();
    let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !value.is_empty()
        && typed.match_indices(&value).any(|(at, found)| {
            let before = typed.get(..at).and_then(|text| text.chars().next_back());
            let after = typed
                .get(at + found.len()..)
                .and_then(|text| text.chars().next());
            !is_inside(before) && !is_inside(after)
        })
}

/// Whether the text is a date or timestamp in digits.
fn is_date(text: &str) -> bool {
    text.len() >= 8
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || "-: T.+/Z".contains(c))
        && text.chars().filter(|c| *c == '-' || *c == '/').count() >= 2
}

/// Whether the text is an argument of date or format functions, which contains no row value.
fn is_unit(text: &str) -> bool {
    const UNITS: [&str; 12] = [
        "year", "years", "quarter", "month", "months", "week", "weeks", "day", "days", "hour",
        "hours", "dow",
    ];
    let words: Vec<&str> = text.split(' ').collect();
    match words.as_slice() {
        [unit] => UNITS.contains(unit) || matches!(*unit, "YYYY-MM" | "YYYY" | "YYYY-MM-DD"),
        [count, unit] => count.chars().all(|c| c.is_ascii_digit()) && UNITS.contains(unit),
        _ => false,
    }
}
