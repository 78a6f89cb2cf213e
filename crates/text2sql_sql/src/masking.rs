//! Hides the constants of a user's statement before it is sent to a model.
//!
//! Below the egress level `values` no constant leaves the server: in SQL it becomes a parameter (`$1`), in
//! text a placeholder (`{v1}`). The constants are restored in the reply, so that the user sees them
//! and the model does not. From `values` on, only constants that look private are hidden,
//! and all of them if the statement names a private column.

use std::sync::Arc;

use sqlparser::tokenizer::Token;

use crate::reader as sql_reader;
use text2sql_domain::config::Egress;
use text2sql_domain::schema::{Table, TypeCategory};
use text2sql_domain::words;

/// Maximum number of characters of a constant in the text of an explanation.
const SHOWN_CHARACTERS: usize = 120;

/// For a longer constant, the prefix to search for if the complete text was not found.
const CUT_CHARACTERS: usize = 16;

/// Numbers that are common in queries and reveal nothing about the data.
const HARMLESS_NUMBERS: [&str; 3] = ["0", "1", "100"];

/// Names of date parts: they are syntax, not data.
const DATE_PARTS: [&str; 13] = [
    "century", "day", "decade", "dow", "doy", "epoch", "hour", "isodow", "minute", "month",
    "quarter", "week", "year",
];

/// The hidden constants of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masking {
    /// The constants in SQL form, in the order of the statement, without repetitions.
    written: Vec<String>,
    /// Their forms in text, longer ones first, so that a constant inside another is replaced later.
    shown: Vec<String>,
}

impl Masking {
    /// Collects the constants of `sql` that `egress` does not permit to send. `None` if the statement cannot
    /// be tokenized: then nothing of it may be sent.
    pub fn of(sql: &str, tables: &[Arc<Table>], egress: Egress) -> Option<Self> {
        let tokens = tokens(sql)?;
        let hides_all = egress < Egress::Values || names_private_column(&tokens, tables);
        let mut masking = Self::default();
        for (token, written) in &tokens {
            let Some(content) = content(token) else {
                continue;
            };
            // A run of digits may be a phone number in a text, but not in a number or date.
            let is_measure = matches!(token, Token::Number(..)) || is_date(&content);
            if !hides_all && (is_measure || !looks_private(&content)) {
                continue;
            }
            let written = (*written).to_owned();
            if !masking.written.contains(&written) {
                masking.written.push(written);
            }
            for shown in shapes(&content) {
                if !masking.shown.contains(&shown) {
                    masking.shown.push(shown);
                }
            }
        }
        masking
            .shown
            .sort_by_key(|shown| std::cmp::Reverse(shown.len()));
        Some(masking)
    }

    /// The statement with parameters for the hidden constants. Comments are removed: they may contain private
    /// text, and a model must not take them for instructions.
    pub fn hide_in_sql(&self, sql: &str) -> Option<String> {
        let mut text = String::with_capacity(sql.len());
        for (token, written) in tokens(sql)? {
            if matches!(token, Token::Whitespace(_)) {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
                continue;
            }
            match self.written.iter().position(|known| known == written) {
                Some(place) if content(&token).is_some() => {
                    text.push_str(&format!("${}", place + 1));
                }
                _ => text.push_str(written),
            }
        }
        Some(text.trim().to_owned())
    }

    /// The statement written by a model, with the constants in place of their parameters;
    /// `None` if it uses an unknown parameter.
    pub fn restore_in_sql(&self, sql: &str) -> Option<String> {
        let mut text = String::with_capacity(sql.len());
        for (token, written) in tokens(sql)? {
            match &token {
                Token::Placeholder(name) => {
                    let place: usize = name.strip_prefix('$')?.parse().ok()?;
                    text.push_str(self.written.get(place.checked_sub(1)?)?);
                }
                Token::Whitespace(_) if text.ends_with(' ') => {}
                Token::Whitespace(_) => text.push(' '),
                _ => text.push_str(written),
            }
        }
        Some(text.trim().to_owned())
    }

    /// Text about the statement with placeholders for the hidden constants; `None` if one of them
    /// may remain in the text.
    pub fn hide_in_text(&self, text: &str) -> Option<String> {
        let mut hidden = text.to_owned();
        for (place, shown) in self.shown.iter().enumerate() {
            hidden = replaced(&hidden, shown, &placeholder(place));
        }
        // A long constant that was truncated differently would remain in the text.
        let is_left = self.shown.iter().any(|shown| {
            let start: String = shown.chars().take(CUT_CHARACTERS).collect();
            start.len() < shown.len() && hidden.contains(&start)
        });
        (!is_left).then_some(hidden)
    }

    /// The text written by a model, with the constants in place of their placeholders; `None` if it
    /// uses an unknown placeholder.
    pub fn restore_in_text(&self, text: &str) -> Option<String> {
        let mut restored = text.to_owned();
        for (place, shown) in self.shown.iter().enumerate() {
            restored = restored.replace(&placeholder(place), shown);
        }
        (!restored.contains("{v")).then_some(restored)
    }
}

fn placeholder(place: usize) -> String {
    format!("{{v{}}}", place + 1)
}

fn tokens(sql: &str) -> Option<Vec<(Token, &str)>> {
    sql_reader::tokens_as_written(sql).ok()
}

/// The value of a constant that reveals something about the data.
fn content(token: &Token) -> Option<String> {
    match token {
        Token::Number(number, _) => {
            (!HARMLESS_NUMBERS.contains(&number.as_str())).then(|| number.clone())
        }
        Token::SingleQuotedString(text)
        | Token::EscapedStringLiteral(text)
        | Token::UnicodeStringLiteral(text)
        | Token::NationalStringLiteral(text) => {
            let is_grammar =
                text.trim().is_empty() || DATE_PARTS.contains(&text.to_lowercase().as_str());
            (!is_grammar).then(|| text.replace("''", "'"))
        }
        Token::HexStringLiteral(text) | Token::SingleQuotedByteStringLiteral(text) => {
            Some(text.clone())
        }
        Token::DollarQuotedString(text) => Some(text.value.clone()),
        _ => None,
    }
}

/// Whether a text begins with a date: `2025-03-31`.
fn is_date(text: &str) -> bool {
    let shape: String = text
        .chars()
        .take(10)
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape == "0000-00-00" && text.chars().nth(10).is_none_or(|c| matches!(c, ' ' | 'T'))
}

/// The forms in which text may show a constant: on one line, truncated, or without LIKE wildcards.
fn shapes(content: &str) -> Vec<String> {
    let line = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(SHOWN_CHARACTERS - 1).collect();
    let bare = line.trim_matches(['%', '_']).to_owned();
    let mut shapes = vec![content.to_owned(), line, cut.trim_end().to_owned(), bare];
    shapes.retain(|shape| shape.chars().any(char::is_alphanumeric));
    shapes.dedup();
    shapes
}

/// Replaces each occurrence of `shown` as a whole word with `placeholder`.
fn replaced(text: &str, shown: &str, placeholder: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(shown) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let (found, after) = from.split_at_checked(shown.len()).unwrap_or((from, ""));
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        let last = before
            .chars()
            .next_back()
            .or_else(|| out.chars().next_back());
        let starts_inside = last.is_some_and(joins) && found.chars().next().is_some_and(joins);
        let next = after.chars().next();
        let ends_inside = next.is_some_and(joins) && found.chars().next_back().is_some_and(joins);
        out.push_str(before);
        if starts_inside || ends_inside {
            out.push_str(found);
        } else {
            out.push_str(placeholder);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn names_private_column(tokens: &[(Token, &str)], tables: &[Arc<Table>]) -> bool {
    let is_named = |name: &str| {
        tokens.iter().any(|(token, _)| match token {
            Token::Word(word) => word.value.eq_ignore_ascii_case(name),
            _ => false,
        })
    };
    tables
        .iter()
        .flat_map(|table| &table.columns)
        .any(|column| column.is_private && is_named(&column.name))
}

/// Whether a value looks like an e-mail address, phone number, IBAN, UUID or token: such values never leave
/// the server, whatever the egress level.
pub fn looks_private(value: &str) -> bool {
    private_kind(value).is_some()
}

/// What private data a value of a column looks like. Numbers and dates are judged as what they are: an amount is no
/// phone number, but a number can be that of a card.
pub fn private_kind_in(category: TypeCategory, value: &str) -> Option<&'static str> {
    match category {
        TypeCategory::Integer | TypeCategory::Number => {
            is_card_number(value).then_some("a card number")
        }
        TypeCategory::Boolean
        | TypeCategory::Date
        | TypeCategory::Timestamp
        | TypeCategory::Time
        | TypeCategory::Interval
        | TypeCategory::Uuid => None,
        _ => private_kind(value),
    }
}

/// Whether a column of this name holds what lets somebody in: no value of it is shown.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let secrets = words!("password, passwd, pwd, passphrase, secret, api_key, apikey");
    secrets.iter().any(|secret| name.ends_with(secret))
}

/// What private data a value looks like by its form; `None` for any other value.
pub fn private_kind(value: &str) -> Option<&'static str> {
    // Each form below has a digit or an at sign; most values have neither.
    if !value
        .bytes()
        .any(|byte| byte == b'@' || byte.is_ascii_digit())
    {
        return None;
    }
    let value = value.trim();
    let compact: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    let digits = compact.chars().filter(char::is_ascii_digit).count();
    let letters = compact.chars().filter(|c| c.is_alphabetic()).count();
    let is_email = value
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    // With an extension: `555-0134x98`, `555-0134 ext. 98`.
    let before = compact.trim_end_matches(|c: char| c.is_ascii_digit());
    let before = before.trim_end_matches('.');
    let mut extensions = ["ext", "x"].iter();
    let number = extensions.find_map(|mark| before.strip_suffix(mark));
    let number = number.unwrap_or(&compact);
    let is_phone = number.chars().filter(char::is_ascii_digit).count() >= 7
        && number
            .chars()
            .all(|c| c.is_ascii_digit() || "+-()/.".contains(c));
    let starts_like_iban = compact.chars().take(2).all(|c| c.is_ascii_alphabetic())
        && compact.chars().skip(2).take(2).all(|c| c.is_ascii_digit());
    let is_iban = starts_like_iban
        && compact.len() >= 15
        && compact.chars().all(|c| c.is_ascii_alphanumeric());
    let is_token = value.len() >= 20 && !value.contains(' ') && digits >= 3 && letters >= 3;
    match () {
        () if is_email => Some("an e-mail address"),
        () if is_card_number(value) => Some("a card number"),
        () if is_phone => Some("a phone number"),
        () if is_iban => Some("a bank account number"),
        () if is_token => Some("a key"),
        () => None,
    }
}

/// Whether it is a number of a payment card: 13 to 19 digits whose check digit is right.
fn is_card_number(value: &str) -> bool {
    let is_separator = |c: &char| matches!(c, ' ' | '-');
    let digits: Option<Vec<u32>> = value
        .trim()
        .chars()
        .filter(|c| !is_separator(c))
        .map(|c| c.to_digit(10))
        .collect();
    let Some(digits) = digits.filter(|digits| (13..=19).contains(&digits.len())) else {
        return false;
    };
    let doubled = |digit: u32| (2 * digit) / 10 + (2 * digit) % 10;
    let places = digits.iter().rev().enumerate();
    let sum: u32 = places
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ => doubled(*digit),
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn tables(is_private: bool) -> Vec<Arc<Table>> {
        let column = Column {
            name: "mail".to_owned(),
            is_private,
            ..Column::default()
        };
        vec![Arc::new(Table {
            columns: vec![column],
            ..Table::default()
        })]
    }

    #[test]
    fn constants_come_back_as_they_were_written() {
        for sql in [
            r"SELECT E'\\', E'a\\b\n''x', E'\''",
            r"SELECT U&'\0041', $q$a'b$q$, 'it''s', N'ä'",
            "SELECT 'ä',\n\t\"a\"\"b\" FROM \"Größe\"",
        ] {
            let plain = sql.replace("\n\t", " ");
            for egress in [Egress::Schema, Egress::Rows] {
                let masking = Masking::of(sql, &tables(false), egress).unwrap();
                let hidden = masking.hide_in_sql(sql).unwrap();
                assert_eq!(
                    masking.restore_in_sql(&hidden).as_deref(),
                    Some(plain.as_str())
                );
            }
        }
    }

    #[test]
    fn constants_go_out_as_parameters_and_come_back() {
        let sql = "SELECT date_trunc('month', d), 0.19 * x -- secret\nFROM t WHERE n = 'O''Neil' AND k > 42 AND n <> 'O''Neil'";
        let masking = Masking::of(sql, &[], Egress::Schema).unwrap();
        let hidden = masking.hide_in_sql(sql).unwrap();
        assert_eq!(
            hidden,
            "SELECT date_trunc('month', d), $1 * x FROM t WHERE n = $2 AND k > $3 AND n <> $2"
        );
        let back = masking
            .restore_in_sql("SELECT 1 FROM t WHERE n = $2 AND k > $3")
            .unwrap();
        assert_eq!(back, "SELECT 1 FROM t WHERE n = 'O''Neil' AND k > 42");
        assert_eq!(masking.restore_in_sql("SELECT $4"), None);
    }

    #[test]
    fn words_lose_them_and_get_them_back() {
        let sql = "SELECT * FROM t WHERE c = 'New York' AND s LIKE '%York%' AND n > 2 LIMIT 3";
        let masking = Masking::of(sql, &[], Egress::Schema).unwrap();
        let text = "c is 'New York', s contains 'York', n is greater than 2; the first 3 rows; 2.5 km, col2";
        let hidden = masking.hide_in_text(text).unwrap();
        assert!(!hidden.contains("York"), "{hidden}");
        assert!(hidden.contains("greater than {v") && hidden.contains("col2"));
        assert_eq!(masking.restore_in_text(&hidden).as_deref(), Some(text));
        assert_eq!(masking.restore_in_text("about {v99}"), None);
    }

    #[test]
    fn egress_and_protection_decide() {
        let sql = "SELECT * FROM t WHERE mail LIKE 'anna%' AND a = 'blue'";
        let kept = |egress, is_private| {
            let masking = Masking::of(sql, &tables(is_private), egress).unwrap();
            masking.hide_in_sql(sql).unwrap().contains("'blue'")
        };
        assert!(!kept(Egress::Schema, false));
        assert!(kept(Egress::Values, false));
        assert!(!kept(Egress::Rows, true), "a private column is named");
        let mail = "SELECT 1 FROM t WHERE a = 'anna@example.org' AND b = 'blue'";
        let masking = Masking::of(mail, &[], Egress::Rows).unwrap();
        let hidden = masking.hide_in_sql(mail).unwrap();
        assert_eq!(hidden, "SELECT 1 FROM t WHERE a = $1 AND b = 'blue'");
    }

    #[test]
    fn what_cannot_be_read_does_not_go_out() {
        assert_eq!(Masking::of("SELECT 'open", &[], Egress::Rows), None);
    }
}
