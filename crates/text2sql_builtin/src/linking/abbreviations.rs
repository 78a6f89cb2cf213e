//! "Calif." for California, "Dept." for Department: a word that begins exactly one stored value or one word
//! of it. Only columns whose values are all known are considered, because a match that is unique among
//! the most common values may not be unique among all.

use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::mention::{ColumnId, Mention, ValueLink};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind, reduce};

/// Minimum number of letters of an abbreviation without a period.
const MIN_LETTERS: usize = 4;

/// Minimum number of letters of an abbreviation with a period.
const MIN_BEFORE_PERIOD: usize = 2;

/// Maximum number of words tried per question: each is compared with every value.
const MAX_ABBREVIATIONS: usize = 8;

/// A word of the question that may abbreviate a value.
struct Abbreviation {
    start: usize,
    end: usize,
    letters: String,
    has_period: bool,
    /// Followed by a period, or capitalised inside the sentence.
    is_marked: bool,
}

/// Adds links to the values that words of the question abbreviate.
pub(crate) fn add(
    tokens: &[Token],
    tables: &[Arc<Table>],
    found: &mut HashMap<(usize, usize), Mention>,
) {
    let shorts: Vec<Abbreviation> = abbreviations(tokens, found)
        .take(MAX_ABBREVIATIONS)
        .collect();
    if shorts.is_empty() {
        return;
    }
    let begins: Vec<char> = shorts.iter().filter_map(Abbreviation::begin).collect();
    let mut links: Vec<Vec<ValueLink>> = shorts.iter().map(|_| Vec::new()).collect();
    for (table, known) in tables.iter().enumerate() {
        for (column, definition) in known.columns.iter().enumerate() {
            for value in all_values(definition) {
                let words = words_with(&begins, value);
                for (short, links) in shorts.iter().zip(&mut links) {
                    if words.iter().any(|word| short.means(word)) {
                        links.push(ValueLink {
                            column: ColumnId { table, column },
                            text: value.clone(),
                            // An unmarked abbreviation needs a noun or a column beside it.
                            is_exact: short.is_marked,
                        });
                    }
                }
            }
        }
    }
    for (short, links) in shorts.into_iter().zip(links) {
        let Some(first) = links.first().map(|link| reduce(&link.text)) else {
            continue;
        };
        if links.iter().all(|link| reduce(&link.text) == first) {
            found.entry((short.start, short.end)).or_default().values = links;
        }
    }
}

fn abbreviations<'t>(
    tokens: &'t [Token],
    found: &HashMap<(usize, usize), Mention>,
) -> impl Iterator<Item = Abbreviation> + use<'t> {
    let covered: Vec<bool> = (0..tokens.len())
        .map(|at| found.keys().any(|(start, end)| *start <= at && at < *end))
        .collect();
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let is_free = token.kind == TokenKind::Word
            && token.number.is_none()
            && !covered.get(at).copied().unwrap_or(true)
            && !lexicon::is_known(&token.lower)
            && token.lower.chars().all(char::is_alphabetic);
        let has_period = tokens
            .get(at + 1)
            .is_some_and(|next| next.kind == TokenKind::Stop && next.text == ".");
        let letters = reduce(&token.lower);
        let fewest = match has_period {
            true => MIN_BEFORE_PERIOD,
            false => MIN_LETTERS,
        };
        let is_last = at + 2 >= tokens.len();
        (is_free && letters.chars().count() >= fewest).then(|| Abbreviation {
            start: at,
            // The period belongs to the abbreviation if the sentence continues.
            end: at + 1 + usize::from(has_period && !is_last),
            letters,
            has_period,
            is_marked: has_period || (at > 0 && token.text != token.lower),
        })
    })
}

impl Abbreviation {
    fn begin(&self) -> Option<char> {
        self.letters.chars().next()
    }

    fn means(&self, word: &str) -> bool {
        begin_of(word) == self.begin() && self.is_short_for(&reduce(word))
    }

    fn is_short_for(&self, word: &str) -> bool {
        let is_shorter = self.letters.len() < word.len();
        is_shorter
            && (word.starts_with(&self.letters)
                || (self.has_period && is_contracted(&self.letters, word)))
    }
}

fn begin_of(word: &str) -> Option<char> {
    word.chars().next()?.to_lowercase().next()
}

/// The words of a value that begin with one of these letters: few, and reading a value takes longer than comparing them.
fn words_with<'v>(begins: &[char], value: &'v str) -> Vec<&'v str> {
    let is_looked_for = |word: &&str| begin_of(word).is_some_and(|begin| begins.contains(&begin));
    value
        .split(|c: char| !c.is_alphanumeric())
        .filter(is_looked_for)
        .collect()
}

/// "dept" for "department": first and last letter, and others in order.
fn is_contracted(short: &str, word: &str) -> bool {
    let mut letters = word.chars();
    short.chars().count() > MIN_BEFORE_PERIOD
        && short.chars().next() == word.chars().next()
        && short.chars().next_back() == word.chars().next_back()
        && short.chars().all(|c| letters.any(|letter| letter == c))
}

/// The values of a column, if all of them are known.
fn all_values(column: &Column) -> impl Iterator<Item = &String> {
    let is_text = column.category == TypeCategory::Text && !column.is_private;
    let statistics = column.statistics.as_ref().filter(|statistics| {
        let known = statistics.most_common_values.len() as f64;
        is_text
            && statistics
                .distinct_values
                .is_some_and(|all| all > 0.0 && all <= known)
    });
    let common = statistics.into_iter();
    let common = common.flat_map(|statistics| &statistics.most_common_values);
    column.enum_labels.iter().chain(common)
}
