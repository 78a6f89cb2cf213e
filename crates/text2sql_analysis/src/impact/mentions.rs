//! Names of tables, columns and functions in texts that the server does not analyse: bodies of functions, gold
//! statements, instructions.

use sqlparser::tokenizer::Token;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_sql::reader as sql_reader;

use super::reader::Certainty;

/// Constants that contain constants: `EXECUTE 'EXECUTE ''…'''`.
const MAX_NESTING: usize = 3;

/// Words that stand before the name of a table.
const BEFORE_TABLES: [&str; 8] = [
    "from", "join", "into", "update", "table", "only", "using", "view",
];

/// What a text may name.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The schema.
    pub schema: &'a str,
    /// The table, view or function.
    pub name: &'a str,
    /// Whether it is a function.
    pub is_function: bool,
    /// The column that is meant.
    pub column: Option<&'a str>,
    /// Whether the name without a schema means this object where the text runs.
    pub is_on_path: bool,
}

/// How certainly a text in SQL or PL/pgSQL names the target; `None` if it does not.
///
/// # Errors
/// A cancel.
pub fn in_sql(text: &str, target: &Target<'_>) -> Result<Option<Certainty>, Error> {
    named(text, target, 0)
}

fn named(text: &str, target: &Target<'_>, nesting: usize) -> Result<Option<Certainty>, Error> {
    let tokens = match sql_reader::located_tokens(text) {
        Ok(tokens) => tokens,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(_) => return Ok(in_words(text, target)),
    };
    let tokens: Vec<Token> = tokens
        .into_iter()
        .map(|token| token.token)
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .collect();
    let mut certainty = object(&tokens, target).and_then(|certainty| {
        let column = target.column.map_or(Some(Certainty::Certain), |column| {
            column_in(&tokens, column)
        });
        column.map(|column| column.min(certainty))
    });
    if nesting < MAX_NESTING && certainty.is_none() {
        for token in &tokens {
            let inner = match token {
                Token::SingleQuotedString(inner) | Token::EscapedStringLiteral(inner) => inner,
                Token::DollarQuotedString(inner) => &inner.value,
                _ => continue,
            };
            // A constant is a statement only where something runs it.
            if inner.len() > target.name.len() && named(inner, target, nesting + 1)?.is_some() {
                certainty = Some(Certainty::Possible);
                break;
            }
        }
    }
    Ok(certainty)
}

/// Whether a text in words, or in a language that is not read here, has the name in it.
pub fn in_words(text: &str, target: &Target<'_>) -> Option<Certainty> {
    let has = |word: &str| has_word(text, word);
    let is_named = has(target.name) && target.column.is_none_or(has);
    is_named.then_some(Certainty::Possible)
}

/// Whether the word stands in the text by itself, in upper or lower case.
pub fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A name as PostgreSQL folds it.
fn word(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) if word.quote_style.is_some() => Some(word.value.clone()),
        Token::Word(word) => Some(word.value.to_lowercase()),
        _ => None,
    }
}

fn object(tokens: &[Token], target: &Target<'_>) -> Option<Certainty> {
    let mut best = None;
    for (place, token) in tokens.iter().enumerate() {
        if word(token).as_deref() != Some(target.name) {
            continue;
        }
        let before = place.checked_sub(1).and_then(|place| tokens.get(place));
        let after = tokens.get(place + 1);
        if target.is_function && !matches!(after, Some(Token::LParen)) {
            continue;
        }
        let unqualified = if target.is_on_path {
            Certainty::Likely
        } else {
            Certainty::Possible
        };
        let here = match before {
            Some(Token::Period) => {
                let earlier = |steps| place.checked_sub(steps).and_then(|place| tokens.get(place));
                // `%I.orders` in a call of format().
                let is_filled_in = matches!(earlier(3), Some(Token::Mod));
                let schema = earlier(2).and_then(word);
                if schema.as_deref() == Some(target.schema) {
                    Some(Certainty::Likely)
                } else {
                    is_filled_in.then_some(Certainty::Possible)
                }
            }
            _ if target.is_function => Some(unqualified),
            Some(Token::Comma) => Some(unqualified),
            Some(token) if word(token).is_some_and(|word| is_before_tables(&word)) => {
                Some(unqualified)
            }
            _ if matches!(after, Some(Token::Period | Token::Mod)) => Some(unqualified),
            _ => Some(Certainty::Possible),
        };
        best = best.max(here);
    }
    best
}

fn is_before_tables(word: &str) -> bool {
    BEFORE_TABLES.contains(&word)
}

/// How certainly the column is among what is named: by its name, or by a star.
fn column_in(tokens: &[Token], column: &str) -> Option<Certainty> {
    if tokens
        .iter()
        .any(|token| word(token).as_deref() == Some(column))
    {
        return Some(Certainty::Certain);
    }
    let has_star = tokens.iter().enumerate().any(|(place, token)| {
        matches!(token, Token::Mul)
            && place.checked_sub(1).is_some_and(|place| {
                tokens.get(place).is_some_and(|before| {
                    matches!(before, Token::Period | Token::Comma)
                        || word(before).is_some_and(|word| word == "select" || word == "returning")
                })
            })
    });
    has_star.then_some(Certainty::Possible)
}

/// Whether a trigger function names the column of the row that changed.
///
/// # Errors
/// A cancel.
pub fn of_trigger_row(body: &str, column: &str) -> Result<Option<Certainty>, Error> {
    let tokens = match sql_reader::tokens(body) {
        Ok(tokens) => tokens,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(_) => return Ok(has_word(body, column).then_some(Certainty::Possible)),
    };
    let is_named = tokens
        .iter()
        .any(|token| word(token).as_deref() == Some(column));
    Ok(is_named.then_some(Certainty::Likely))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certainty(body: &str, column: Option<&str>) -> Option<Certainty> {
        let target = Target {
            schema: "shop",
            name: "orders",
            is_function: false,
            column,
            is_on_path: true,
        };
        in_sql(body, &target).unwrap()
    }

    #[test]
    fn a_table_is_named_as_sql_names_it() {
        let is = |body| certainty(body, None);
        assert_eq!(
            is("BEGIN SELECT 1 FROM orders; END"),
            Some(Certainty::Likely)
        );
        assert_eq!(is("UPDATE shop.orders SET x = 1"), Some(Certainty::Likely));
        assert_eq!(
            is("DECLARE o Orders%ROWTYPE; BEGIN END"),
            Some(Certainty::Likely)
        );
        assert_eq!(is("SELECT 1 FROM archive.orders"), None);
        assert_eq!(is("SELECT 1 FROM \"Orders\""), None);
        assert_eq!(is("SELECT 1 -- FROM orders"), None);
        assert_eq!(
            is("EXECUTE 'SELECT 1 FROM orders'"),
            Some(Certainty::Possible)
        );
        assert_eq!(
            is("EXECUTE format($q$SELECT 1 FROM %I.orders$q$, s)"),
            Some(Certainty::Possible)
        );
        assert_eq!(is("SELECT orders + 1 FROM x"), Some(Certainty::Possible));
        assert_eq!(is("'open quote, orders"), Some(Certainty::Possible));
    }

    #[test]
    fn a_column_is_named_beside_its_table() {
        let is = |body| certainty(body, Some("status"));
        assert_eq!(is("SELECT o.status FROM orders o"), Some(Certainty::Likely));
        assert_eq!(is("SELECT * FROM orders"), Some(Certainty::Possible));
        assert_eq!(is("SELECT count(*) FROM orders"), None);
        assert_eq!(is("SELECT total FROM orders"), None);
        assert_eq!(is("SELECT status FROM other"), None);
    }

    #[test]
    fn nested_constants_end() {
        let mut body = "SELECT 1 FROM orders".to_owned();
        for _ in 0..6 {
            body = format!("EXECUTE '{}'", body.replace('\'', "''"));
        }
        assert_eq!(certainty(&body, None), None);
        assert_eq!(certainty(&"(".repeat(100_000), None), None);
    }

    #[test]
    fn words_stand_by_themselves() {
        assert!(has_word("Leave out cancelled Orders.", "orders"));
        assert!(!has_word("reorders", "orders"));
        assert!(has_word("Straße und größe", "Größe"));
    }
}
