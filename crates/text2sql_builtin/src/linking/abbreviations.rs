//! "Calif." for California, "Dept." for Department: a word that is the beginning of one stored value, or of a
//! word of it, and of no other. Only values that are known to be all of their column are looked at: what is
//! unique among the most common ones may not be among all.

use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::mention::{ColumnId, Mention, ValueLink};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind, reduce};

/// Fewest letters of a beginning that nobody marked as one with a period.
const FEWEST_LETTERS: usize = 4;

/// Fewest letters of one with a period.
const FEWEST_BEFORE_PERIOD: usize = 2;

/// Most words of a question that are tried: each is compared with every value.
const MAX_SHORTS: usize = 8;

/// A word of the question that nothing is called.
struct Short {
    start: usize,
    end: usize,
    letters: String,
    has_period: bool,
    /// With a period, or with a capital that the first word would not have.
    is_marked: bool,
}

/// Adds the values that words of the question shorten to what was found.
pub(crate) fn add(
    tokens: &[Token],
    tables: &[Arc<Table>],
    found: &mut HashMap<(usize, usize), Mention>,
) {
    let shorts: Vec<Short> = shorts(tokens, found).take(MAX_SHORTS).collect();
    for short in shorts {
        let mut links: Vec<ValueLink> = Vec::new();
        for (table, known) in tables.iter().enumerate() {
            for (column, definition) in known.columns.iter().enumerate() {
                let id = ColumnId { table, column };
                let values = all_values(definition).filter(|value| short.means(value));
                links.extend(values.map(|value| ValueLink {
                    column: id,
                    text: value.clone(),
                    // By itself, a beginning that nothing marks as one needs a noun or a column.
                    is_exact: short.is_marked,
                }));
            }
        }
        let Some(first) = links.first().map(|link| reduce(&link.text)) else {
            continue;
        };
        if links.iter().all(|link| reduce(&link.text) == first) {
            found.entry((short.start, short.end)).or_default().values = links;
        }
    }
}

fn shorts<'t>(
    tokens: &'t [Token],
    found: &HashMap<(usize, usize), Mention>,
) -> impl Iterator<Item = Short> + use<'t> {
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
            true => FEWEST_BEFORE_PERIOD,
            false => FEWEST_LETTERS,
        };
        let is_last = at + 2 >= tokens.len();
        (is_free && letters.chars().count() >= fewest).then(|| Short {
            start: at,
            // The period is the word's own where the sentence goes on.
            end: at + 1 + usize::from(has_period && !is_last),
            letters,
            has_period,
            is_marked: has_period || (at > 0 && token.text != token.lower),
        })
    })
}

impl Short {
    fn means(&self, value: &str) -> bool {
        let first = self.letters.chars().next();
        let begins_alike = |word: &&str| {
            let begin = word.chars().next();
            begin.and_then(|c| c.to_lowercase().next()) == first
        };
        value
            .split(|c: char| !c.is_alphanumeric())
            // Most words are sorted out here, before anything is made of them.
            .filter(begins_alike)
            .any(|word| self.is_short_for(&reduce(word)))
    }

    fn is_short_for(&self, word: &str) -> bool {
        let is_shorter = self.letters.len() < word.len();
        is_shorter
            && (word.starts_with(&self.letters)
                || (self.has_period && is_contracted(&self.letters, word)))
    }
}

/// "dept" for "department": its first and last letter, and others in their order.
fn is_contracted(short: &str, word: &str) -> bool {
    let mut letters = word.chars();
    short.chars().count() > FEWEST_BEFORE_PERIOD
        && short.chars().next() == word.chars().next()
        && short.chars().next_back() == word.chars().next_back()
        && short.chars().all(|c| letters.any(|letter| letter == c))
}

/// The values of a column, where they are known to be all of them.
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
