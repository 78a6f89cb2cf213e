//! Cuts a question into tokens.

use super::stems::stem;
use crate::calendar::parse_date;
use text2sql_domain::words;

/// One token of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// The text of the token: as written, or the English word that replaces it.
    pub text: String,
    /// In lower case.
    pub lower: String,
    /// Reduced by [`stem`], letters and digits only.
    pub stem: String,
    /// What it is.
    pub kind: TokenKind,
    /// The value of a number, in digits or as a word.
    pub number: Option<String>,
    /// The surface form in the question; empty if it belongs to the previous token.
    pub surface: String,
    /// The position in the question.
    pub place: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, perhaps with digits or hyphens.
    Word,
    /// A number in digits.
    Number,
    /// A date as `2025-03-31`.
    Date,
    /// A text in quotes.
    Quoted,
    /// `,` or `;`
    Comma,
    /// The genitive `'s` or `'`.
    Possessive,
    /// `.`, `?`, `!`, `:`
    Stop,
    /// A comparison sign or anything else.
    Symbol,
}

impl Token {
    /// A token with this text as its surface form.
    pub fn new(text: &str, kind: TokenKind) -> Self {
        let lower = text.to_lowercase();
        let number = match kind {
            TokenKind::Number => Some(lower.replace(',', "")),
            TokenKind::Word => number_word(&lower).map(|value| value.to_string()),
            _ => None,
        };
        let stem = if kind == TokenKind::Word {
            stem(&lower)
        } else {
            lower.clone()
        };
        Self {
            text: text.to_owned(),
            lower,
            stem,
            kind,
            number,
            surface: text.to_owned(),
            place: 0,
        }
    }
}

/// Cuts a question into tokens.
pub fn tokenise(question: &str) -> Vec<Token> {
    let chars: Vec<char> = question.chars().collect();
    let at = |i: usize| chars.get(i).copied();
    let mut tokens = Vec::new();
    let mut i = 0;
    while let Some(c) = at(i) {
        let follows_word = i > 0 && at(i - 1).is_some_and(char::is_alphanumeric);
        if c.is_whitespace() {
            i += 1;
        } else if let Some(end) = closing_quote(&chars, i, follows_word) {
            let text: String = chars.get(i + 1..end).unwrap_or_default().iter().collect();
            tokens.push(Token::new(text.trim(), TokenKind::Quoted));
            i = end + 1;
        } else if is_apostrophe(c) {
            i = push_apostrophe(&chars, i, follows_word, &mut tokens);
        } else if c.is_alphanumeric() || c == '_' {
            let mut end = i + 1;
            while let Some(next) = at(end) {
                let inside = at(end + 1).is_some_and(char::is_alphanumeric);
                let joins = next.is_alphanumeric()
                    || next == '_'
                    || (inside && next == '-')
                    || (inside && next == '&')
                    || (inside && matches!(next, '.' | ',') && joins_digits(&chars, end));
                if !joins {
                    break;
                }
                end += 1;
            }
            let text: String = chars.get(i..end).unwrap_or_default().iter().collect();
            tokens.push(Token::new(&text, kind_of(&text)));
            i = end;
        } else {
            let kind = match c {
                ',' | ';' => TokenKind::Comma,
                '.' | '?' | '!' | ':' => TokenKind::Stop,
                _ => TokenKind::Symbol,
            };
            let pair: String = chars.get(i..i + 2).unwrap_or_default().iter().collect();
            let text = if matches!(pair.as_str(), ">=" | "<=" | "<>" | "!=") {
                pair
            } else {
                c.to_string()
            };
            i += text.chars().count();
            let kind = if text == "!=" {
                TokenKind::Symbol
            } else {
                kind
            };
            tokens.push(Token::new(&text, kind));
        }
    }
    for (place, token) in tokens.iter_mut().enumerate() {
        token.place = place;
    }
    tokens
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '`' | '´')
}

/// A comma or dot between digits belongs to the number; a comma only before three digits.
fn joins_digits(chars: &[char], i: usize) -> bool {
    let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
    let before = i > 0 && digit(i - 1);
    match chars.get(i) {
        Some('.') => before && digit(i + 1),
        _ => before && digit(i + 1) && digit(i + 2) && digit(i + 3) && !digit(i + 4),
    }
}

fn closing_quote(chars: &[char], start: usize, follows_word: bool) -> Option<usize> {
    let (single, close): (bool, &[char]) = match chars.get(start)? {
        '"' => (false, &['"']),
        '“' | '„' => (false, &['”', '“', '"']),
        '‘' => (true, &['’', '\'']),
        '\'' | '`' if !follows_word => (true, &['\'', '’', '`']),
        _ => return None,
    };
    (start + 1..chars.len()).find(|&i| {
        let ends = chars.get(i).is_some_and(|c| close.contains(c));
        let open_end = chars.get(i + 1).is_none_or(|c| !c.is_alphanumeric());
        ends && (!single || open_end) && i > start + 1
    })
}

/// `'s` after a noun is a genitive, after "what" a verb; `n't` is "not".
fn push_apostrophe(chars: &[char], i: usize, follows_word: bool, tokens: &mut Vec<Token>) -> usize {
    let end = (i + 1..=chars.len())
        .find(|&k| chars.get(k).is_none_or(|c| !c.is_alphanumeric()))
        .unwrap_or(chars.len());
    let rest: String = chars.get(i + 1..end).unwrap_or_default().iter().collect();
    let rest = rest.to_lowercase();
    if !follows_word {
        return i + 1;
    }
    match rest.as_str() {
        "s" => {
            let verb = tokens.last().is_some_and(|token| {
                words!("what, who, where, that, there, it").contains(&token.lower.as_str())
            });
            tokens.push(if verb {
                Token::new("is", TokenKind::Word)
            } else {
                Token::new("'s", TokenKind::Possessive)
            });
        }
        "" => tokens.push(Token::new("'", TokenKind::Possessive)),
        "t" => {
            if let Some(last) = tokens.last_mut()
                && let Some(verb) = last.lower.strip_suffix('n')
            {
                let verb = if verb == "ca" { "can" } else { verb };
                *last = Token::new(verb, TokenKind::Word);
            }
            tokens.push(Token::new("not", TokenKind::Word));
        }
        "m" | "re" => tokens.push(Token::new("are", TokenKind::Word)),
        "d" => tokens.push(Token::new("would", TokenKind::Word)),
        "ve" => tokens.push(Token::new("have", TokenKind::Word)),
        _ => tokens.push(Token::new(&rest, TokenKind::Word)),
    }
    end
}

fn kind_of(text: &str) -> TokenKind {
    let numeric = text
        .chars()
        .all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    if numeric {
        TokenKind::Number
    } else if parse_date(text).is_some() {
        TokenKind::Date
    } else {
        TokenKind::Word
    }
}

fn number_word(lower: &str) -> Option<u32> {
    Some(match lower {
        "zero" => 0,
        "one" | "once" => 1,
        "two" | "twice" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        "fifteen" => 15,
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "hundred" => 100,
        "thousand" => 1000,
        _ => return None,
    })
}

/// The surface forms of the tokens, in the order of the question.
pub fn placed_text(tokens: &[Token]) -> String {
    let shown = tokens.iter().filter(|token| !token.surface.is_empty());
    joined(
        shown
            .map(|token| (token.place, surface_part(token), is_glued(token)))
            .collect(),
    )
}

fn surface_part(token: &Token) -> String {
    match token.kind {
        TokenKind::Quoted => format!("'{}'", token.surface),
        _ => token.surface.clone(),
    }
}

fn is_glued(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::Comma | TokenKind::Stop | TokenKind::Possessive
    )
}

/// The parts in the order of the question, which may differ from the order of the grammar.
fn joined(mut parts: Vec<(usize, String, bool)>) -> String {
    parts.sort_by_key(|(place, _, _)| *place);
    let mut text = String::new();
    for (_, part, glued) in parts {
        if !text.is_empty() && !glued {
            text.push(' ');
        }
        text.push_str(&part);
    }
    text
}

/// The question with the tokens `start..end` replaced by `words`; with the words inserted if the range is
/// empty.
pub fn reading(question: &str, tokens: &[Token], start: usize, end: usize, words: &str) -> String {
    if start > tokens.len() {
        return format!("{} ({words})", question.trim().trim_end_matches(['?', '.']));
    }
    let inserts = start == end;
    let mut parts: Vec<(usize, String, bool)> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if i == start && inserts {
            parts.push((token.place, words.to_owned(), false));
        }
        let part = if i == start && !inserts {
            words.to_owned()
        } else if (i > start && i < end) || token.surface.is_empty() {
            continue;
        } else {
            surface_part(token)
        };
        parts.push((token.place, part, is_glued(token)));
    }
    if start == tokens.len() {
        parts.push((usize::MAX, words.to_owned(), false));
    }
    joined(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keep_quotes_numbers_dates_and_genitives() {
        let words = |question: &str| -> Vec<String> {
            tokenise(question)
                .into_iter()
                .map(|token| format!("{:?}:{}", token.kind, token.text))
                .collect()
        };
        assert_eq!(
            words("employee's name, \"O'Hara\" 1,000.5"),
            [
                "Word:employee",
                "Possessive:'s",
                "Word:name",
                "Comma:,",
                "Quoted:O'Hara",
                "Number:1,000.5"
            ]
        );
        assert_eq!(
            words("didn't >= 2025-03-01?"),
            [
                "Word:did",
                "Word:not",
                "Symbol:>=",
                "Date:2025-03-01",
                "Stop:?"
            ]
        );
        assert_eq!(
            words("code 'CIS-220' 3, 4"),
            [
                "Word:code",
                "Quoted:CIS-220",
                "Number:3",
                "Comma:,",
                "Number:4"
            ]
        );
    }
}
