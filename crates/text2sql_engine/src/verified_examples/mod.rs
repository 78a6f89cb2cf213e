//! Replays verified examples: a question that differs from a verified example only in literals is
//! answered with the example's SQL and the new literals, without a model.
//!
//! A replay must be certainly right. A literal may change only if one word or phrase of the example's
//! question corresponds to exactly one literal of its SQL. The new literal must have the same type, and a
//! text must be an existing value of the column. All other words must be equal.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use text2sql_domain::ports::search_index::Example;
use text2sql_domain::schema::quote_literal;
use text2sql_language::understanding::{Understanding, WrittenWord, written_words};
use text2sql_sql::reader as sql_reader;

mod columns;
mod words;

use columns::folded;
pub use columns::{ColumnName, stored_value};
use words::{is_number, is_relative_time};

/// Maximum number of words in a replacement text.
const MAX_WORDS: usize = 6;

/// Looks up a value. Returns the spelling stored in the column, or `None` if the column does not contain
/// it or if that is unknown.
pub type KnownValue<'a> = dyn Fn(&ColumnName, &str) -> Option<String> + 'a;

/// The SQL of `example`, adapted to the question; `None` unless it certainly answers it.
pub fn replay(
    example: &Example,
    understanding: &Understanding,
    known: &KnownValue<'_>,
) -> Option<String> {
    let tokens = sql_reader::located_tokens(&example.sql).ok()?;
    let literals = literals(&tokens);
    let (own, asked) = (
        written_words(&example.question),
        understanding.written_words(),
    );
    // "Last month" no longer means the dates in the example's SQL.
    let dated = literals.iter().any(|literal| literal.is_date());
    if dated && own.iter().any(|word| is_relative_time(&word.folded)) {
        return None;
    }
    // An identical question needs no replaced literals.
    if same(&own, asked).is_some() {
        return Some(example.sql.clone());
    }
    let slots = slots(&own, &literals);
    let filled = fill(&own, asked, &slots)?;
    let mut replaced: Vec<(usize, String)> = Vec::new();
    for (slot, text) in slots.iter().zip(filled) {
        let literal = literals.get(slot.literal)?;
        if text.to_lowercase() != literal.text.to_lowercase() {
            replaced.push((literal.token, literal.with(&text, known)?));
        }
    }
    Some(rewritten(&tokens, &replaced))
}

/// A literal of the SQL.
struct Literal {
    /// The index of its token.
    token: usize,
    text: String,
    is_number: bool,
    /// The column it is compared with by `=`.
    column: Option<ColumnName>,
    /// Whether it is a row limit, which must be an integer.
    is_limit: bool,
}

impl Literal {
    fn is_date(&self) -> bool {
        let mut parts = self.text.splitn(3, '-');
        let digits = |part: Option<&str>, count: usize| {
            part.is_some_and(|part| {
                part.len() >= count && part.chars().take(count).all(|c| c.is_ascii_digit())
            })
        };
        digits(parts.next(), 4) && digits(parts.next(), 2) && digits(parts.next(), 2)
    }

    /// The SQL of a new literal in place of this one.
    fn with(&self, text: &str, known: &KnownValue<'_>) -> Option<String> {
        if self.is_number {
            let is_whole = text.chars().all(|c| c.is_ascii_digit());
            let was_whole = self.text.chars().all(|c| c.is_ascii_digit());
            let fits = is_number(text) && (is_whole || !was_whole) && (is_whole || !self.is_limit);
            return fits.then(|| text.to_owned());
        }
        // The value of a date or a pattern is not the text in the question.
        if self.is_date() {
            return None;
        }
        known(self.column.as_ref()?, text).map(|value| quote_literal(&value))
    }
}

fn literals(tokens: &[TokenWithSpan]) -> Vec<Literal> {
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let (text, is_number) = match &token.token {
            Token::Number(text, _) => (text.clone(), true),
            Token::SingleQuotedString(text) => (text.clone(), false),
            _ => continue,
        };
        let before: Vec<&Token> = tokens
            .iter()
            .take(place)
            .rev()
            .map(|token| &token.token)
            .filter(|token| !matches!(token, Token::Whitespace(_)))
            .take(4)
            .collect();
        let column = match before.as_slice() {
            [
                Token::Eq,
                Token::Word(name),
                Token::Period,
                Token::Word(table),
            ] => Some(ColumnName {
                qualifier: Some(folded(table)),
                name: folded(name),
            }),
            [Token::Eq, Token::Word(name), ..] => Some(ColumnName {
                qualifier: None,
                name: folded(name),
            }),
            _ => None,
        };
        let is_limit = matches!(before.first(), Some(Token::Word(word))
            if ["LIMIT", "FIRST", "OFFSET"].contains(&word.value.to_uppercase().as_str()));
        found.push(Literal {
            token: place,
            text,
            is_number,
            column,
            is_limit,
        });
    }
    found
}

/// Words of the example's question that correspond to a literal of its SQL.
struct Slot {
    start: usize,
    end: usize,
    literal: usize,
}

/// The slots: one for each literal that occurs exactly once in the SQL and once in the question.
fn slots(own: &[WrittenWord], literals: &[Literal]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (place, literal) in literals.iter().enumerate() {
        let lower = literal.text.to_lowercase();
        let twice = literals
            .iter()
            .filter(|other| other.text.to_lowercase() == lower)
            .count()
            > 1;
        let parts = written_words(&literal.text);
        if twice || parts.is_empty() {
            continue;
        }
        let starts: Vec<usize> = (0..own.len())
            .filter(|start| {
                own.get(*start..start + parts.len())
                    .is_some_and(|run| run.iter().zip(&parts).all(|(a, b)| a.folded == b.folded))
            })
            .collect();
        if let [start] = starts.as_slice() {
            slots.push(Slot {
                start: *start,
                end: start + parts.len(),
                literal: place,
            });
        }
    }
    slots.sort_by_key(|slot| slot.start);
    let overlap = slots
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if b.start < a.end));
    if overlap { Vec::new() } else { slots }
}

/// The words of the question for each slot; `None` if any other word differs, or if there are several
/// ways to match.
fn fill(own: &[WrittenWord], asked: &[WrittenWord], slots: &[Slot]) -> Option<Vec<String>> {
    let mut filled = Vec::new();
    let (mut at_own, mut at_asked) = (0, 0);
    for (number, slot) in slots.iter().enumerate() {
        let fixed = slot.start - at_own;
        same(
            own.get(at_own..slot.start)?,
            asked.get(at_asked..at_asked + fixed)?,
        )?;
        at_asked += fixed;
        at_own = slot.end;
        // This slot ends where the fixed words before the next slot begin.
        let next = slots.get(number + 1).map_or(own.len(), |next| next.start);
        let after = own.get(at_own..next)?;
        let is_last = number + 1 == slots.len();
        let mut ends = (at_asked + 1..=asked.len().min(at_asked + MAX_WORDS)).filter(|end| {
            let fits = asked
                .get(*end..end + after.len())
                .is_some_and(|run| same(after, run).is_some());
            fits && (!is_last || end + after.len() == asked.len())
        });
        let end = ends.next()?;
        if ends.next().is_some() {
            return None;
        }
        filled.push(joined(asked.get(at_asked..end)?));
        at_asked = end;
    }
    same(own.get(at_own..)?, asked.get(at_asked..)?)?;
    Some(filled)
}

fn same(a: &[WrittenWord], b: &[WrittenWord]) -> Option<()> {
    let equal = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.folded == b.folded);
    equal.then_some(())
}

/// The words as written, separated by single spaces.
fn joined(words: &[WrittenWord]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

fn rewritten(tokens: &[TokenWithSpan], replaced: &[(usize, String)]) -> String {
    tokens
        .iter()
        .enumerate()
        .map(|(place, token)| {
            let new = replaced.iter().find(|(token, _)| *token == place);
            new.map_or_else(|| token.token.to_string(), |(_, sql)| sql.clone())
        })
        .collect()
}

#[cfg(test)]
mod tests;
