//! Checks that a sentence that a model wrote about rows states only what the rows contain.
//!
//! A model with egress `rows` sees the rows and writes a better sentence than a template can. Its
//! statements are verified: each number must be a cell, or the count, sum, difference, ratio, share or
//! rounding of cells; each name must be a cell, a column or a word of the question; and a number beside a
//! name must be from that name's row. A sentence that fails is not repaired: the caller shows the
//! template's sentence.
use std::collections::BTreeSet;

use crate::numbers::{self, Stated, stated};
use crate::understanding::Understanding;
use text2sql_domain::sql_result::{Cell, ResultColumn};

/// Maximum number of rows examined; larger results need no summary in words.
const MAX_ROWS: usize = 200;

/// Minimum length of a cell's text that counts as the name of its row: shorter ones occur by chance.
const SHORTEST_NAME: usize = 2;

/// Whether every number and every name in `sentence` is supported by the question or the rows.
pub fn is_supported(
    sentence: &str,
    understanding: &Understanding,
    columns: &[ResultColumn],
    rows: &[Vec<Cell>],
    is_truncated: bool,
) -> bool {
    if rows.len() > MAX_ROWS {
        return false;
    }
    let facts = Facts::of(rows, columns_meant(sentence, columns), is_truncated);
    let names = facts.names_in(sentence);
    let (asked, said) = (understanding.numbers(), understanding.words());
    supports_names(sentence, said, columns, &names)
        && supports_numbers(sentence, asked, &facts, &names)
}

/// Whether every number that `text` states, in digits or words, is stated by `known` as well.
pub fn states_only_numbers_of(text: &str, known: &str) -> bool {
    let known = stated(known);
    let is_known = |number: &Stated| known.iter().any(|known| known.is_same(number));
    stated(text).iter().all(is_known)
}

/// The columns that the sentence names, or all of them if it names none: a statement about the revenue is
/// not a count of customers.
fn columns_meant(sentence: &str, columns: &[ResultColumn]) -> Vec<bool> {
    let mentioned: Vec<String> = words(sentence).map(|(_, word)| fold(word)).collect();
    let is_named = |column: &ResultColumn| {
        words(&column.name).any(|(_, word)| {
            let word = fold(word);
            mentioned
                .iter()
                .any(|mentioned| *mentioned == word || same_stem(mentioned, &word))
        })
    };
    let named: Vec<bool> = columns.iter().map(is_named).collect();
    if named.contains(&true) {
        named
    } else {
        vec![true; columns.len()]
    }
}

/// A cell's text in the sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    start: usize,
    end: usize,
    row: usize,
}

/// What the rows hold, read once.
struct Facts {
    /// By row, then by column, for the columns that the sentence names.
    numbers: Vec<Vec<Option<f64>>>,
    texts: Vec<Vec<Option<String>>>,
    is_truncated: bool,
}

impl Facts {
    fn of(rows: &[Vec<Cell>], is_meant: Vec<bool>, is_truncated: bool) -> Self {
        let read = |(cell, is_meant): (&Cell, &bool)| {
            let text = cell.text.as_deref().filter(|_| *is_meant);
            text.and_then(numbers::of_cell)
        };
        let is_name = |text: &&str| {
            let is_number = numbers::of_cell(text).is_some();
            text.chars().count() >= SHORTEST_NAME && (!is_number || is_year(text))
        };
        let name = |cell: &Cell| {
            let text = cell.text.as_deref().map(str::trim).filter(is_name)?;
            Some(fold(text))
        };
        Self {
            numbers: rows
                .iter()
                .map(|row| row.iter().zip(&is_meant).map(read).collect())
                .collect(),
            texts: rows
                .iter()
                .map(|row| row.iter().map(name).collect())
                .collect(),
            is_truncated,
        }
    }

    /// Cells whose text occurs in the sentence as whole words, in the order of the sentence; of overlapping
    /// ones the longest.
    fn names_in(&self, sentence: &str) -> Vec<Name> {
        let lower = fold(sentence);
        let mut found = Vec::new();
        for (row, texts) in self.texts.iter().enumerate() {
            for text in texts.iter().flatten() {
                for (start, _) in lower.match_indices(text.as_str()) {
                    let end = start + text.len();
                    if is_whole_word(&lower, start, end) {
                        found.push(Name { start, end, row });
                    }
                }
            }
        }
        found.sort();
        found
            .iter()
            .filter(|name| {
                !found.iter().any(|other| {
                    other.start <= name.start
                        && name.end <= other.end
                        && (other.end - other.start) > (name.end - name.start)
                })
            })
            .cloned()
            .collect()
    }

    fn column(&self, column: usize) -> Vec<f64> {
        let cells = self.numbers.iter().filter_map(|row| row.get(column));
        cells.copied().flatten().collect()
    }

    fn width(&self) -> usize {
        self.numbers.first().map_or(0, Vec::len)
    }

    /// Numbers of one row.
    fn row(&self, row: usize) -> impl Iterator<Item = f64> + '_ {
        self.numbers
            .get(row)
            .into_iter()
            .flatten()
            .copied()
            .flatten()
    }

    /// Whether a number describes the whole result: its row count, or the sum of a column.
    fn is_of_the_whole(&self, number: &Stated) -> bool {
        let count = self.numbers.len() as f64;
        // For a truncated result, neither count nor sum is known.
        if self.is_truncated {
            return false;
        }
        if number.is_plain() && number.matches(count) {
            return true;
        }
        (0..self.width()).any(|column| {
            let cells = self.column(column);
            cells.len() > 1 && number.is_plain() && number.matches(cells.iter().sum())
        })
    }

    /// Whether a number is supported by these rows: a cell, its share of the column, or a difference or
    /// ratio of two cells in one column.
    fn is_about(&self, number: &Stated, rows: &BTreeSet<usize>) -> bool {
        (0..self.width()).any(|column| {
            let cells: Vec<f64> = rows
                .iter()
                .filter_map(|row| self.numbers.get(*row)?.get(column).copied().flatten())
                .collect();
            self.is_share(number, &cells, column)
                || number.is_plain() && cells.iter().any(|cell| number.matches(*cell))
                || number.is_plain() && cells.len() > 1 && number.matches(cells.iter().sum())
                || is_between(number, &cells)
        })
    }

    fn is_share(&self, number: &Stated, cells: &[f64], column: usize) -> bool {
        let all = self.column(column);
        let total: f64 = all.iter().sum();
        let is_whole = !self.is_truncated && all.len() > 1 && all.iter().all(|cell| *cell >= 0.0);
        is_whole
            && total > 0.0
            && number.is_percent
            && (cells
                .iter()
                .any(|cell| number.matches(100.0 * cell / total))
                || number.matches(100.0 * cells.iter().sum::<f64>() / total))
    }
}

/// Whether the number is a difference or a ratio of two of the cells.
fn is_between(number: &Stated, cells: &[f64]) -> bool {
    let is_difference = |a: f64, b: f64| number.is_plain() && number.matches(a - b);
    let pairs = cells.iter().enumerate().flat_map(|(i, a)| {
        let others = cells.iter().enumerate().filter(move |(j, _)| *j != i);
        others.map(move |(_, b)| (*a, *b))
    });
    let mut pairs = pairs.filter(|(a, b)| a != b);
    pairs.any(|(a, b)| {
        if number.is_percent {
            b != 0.0
                && (number.matches(100.0 * a / b) || number.matches(100.0 * ((a - b) / b).abs()))
        } else {
            is_difference(a, b) || (b != 0.0 && number.matches(a / b) && (number.is_ratio || a > b))
        }
    })
}

fn supports_numbers(sentence: &str, asked: &[Stated], facts: &Facts, names: &[Name]) -> bool {
    let rows: BTreeSet<usize> = names.iter().map(|name| name.row).collect();
    let inside_a_name = |number: &Stated| {
        names
            .iter()
            .any(|name| name.start <= number.start && number.start < name.end)
    };
    let numbers: Vec<Stated> = stated(sentence)
        .into_iter()
        .filter(|number| !inside_a_name(number))
        .collect();
    let is_supported = |number: &Stated| {
        asked.iter().any(|known| known.is_same(number))
            || facts.is_of_the_whole(number)
            || facts.is_about(number, &rows_meant(facts, &rows))
    };
    numbers.iter().all(is_supported) && belongs_to_its_name(sentence, asked, facts, names, &numbers)
}

/// The rows that a number may come from: the named ones; without names the first and the last, which
/// summarise an ordered result.
fn rows_meant(facts: &Facts, named: &BTreeSet<usize>) -> BTreeSet<usize> {
    if !named.is_empty() {
        return named.clone();
    }
    match facts.numbers.len() {
        0 => BTreeSet::new(),
        1 => BTreeSet::from([0]),
        // The last row of a truncated result is not the last one.
        _ if facts.is_truncated => BTreeSet::from([0]),
        count => BTreeSet::from([0, count - 1]),
    }
}

/// If several rows are named, a number that is a cell of one of them must be next to that row's name:
/// before or after it, the same way throughout the sentence.
fn belongs_to_its_name(
    sentence: &str,
    asked: &[Stated],
    facts: &Facts,
    names: &[Name],
    numbers: &[Stated],
) -> bool {
    let rows: BTreeSet<usize> = names.iter().map(|name| name.row).collect();
    if rows.len() < 2 {
        return true;
    }
    let cell_rows = |number: &Stated| -> BTreeSet<usize> {
        rows.iter()
            .copied()
            .filter(|row| {
                facts
                    .row(*row)
                    .any(|cell| number.is_plain() && number.matches(cell))
            })
            .collect()
    };
    let cells: Vec<&Stated> = numbers
        .iter()
        .filter(|number| !asked.iter().any(|known| known.is_same(number)))
        .filter(|number| !cell_rows(number).is_empty())
        .collect();
    let clause_of = |position: usize| {
        let before = sentence.get(..position).unwrap_or_default();
        before.matches([';', '.']).count()
    };
    let fits = |pick: &dyn Fn(&Stated) -> Option<usize>| {
        cells
            .iter()
            .all(|number| pick(number).is_some_and(|row| cell_rows(number).contains(&row)))
    };
    let name_before = |number: &Stated| {
        let before = names.iter().rfind(|name| name.end <= number.start)?;
        (clause_of(before.start) == clause_of(number.start)).then_some(before.row)
    };
    let name_after = |number: &Stated| {
        let after = names.iter().find(|name| name.start >= number.start)?;
        (clause_of(after.start) == clause_of(number.start)).then_some(after.row)
    };
    fits(&name_before) || fits(&name_after)
}

/// Whether every word that looks like a name occurs in a named cell, in the question, or in a column name.
fn supports_names(
    sentence: &str,
    asked: &[String],
    columns: &[ResultColumn],
    names: &[Name],
) -> bool {
    let known: BTreeSet<String> = asked
        .iter()
        .flat_map(|word| words(word))
        .chain(columns.iter().flat_map(|column| words(&column.name)))
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let mut starts_sentence = true;
    let mut last_end = 0;
    for (start, word) in words(sentence) {
        let between = sentence.get(last_end..start).unwrap_or_default();
        starts_sentence |= between.contains(['.', '!', '?', ':', '\n']);
        // Not an apostrophe: a quotation mark follows a space.
        let is_quoted = between
            .strip_suffix(['"', '\'', '“', '„', '«', '‘'])
            .is_some_and(|before| {
                before.ends_with(char::is_whitespace) || last_end + before.len() == 0
            });
        let looks_like_name = word.chars().next().is_some_and(char::is_uppercase) || is_quoted;
        let in_cell = names
            .iter()
            .any(|name| name.start <= start && start < name.end);
        let lower = word.to_lowercase();
        let is_known =
            in_cell || known.contains(&lower) || known.iter().any(|known| same_stem(known, &lower));
        // The first word of a sentence is always capitalised, but a quoted one is a name.
        if looks_like_name && !is_known && (!starts_sentence || is_quoted) {
            return false;
        }
        starts_sentence = false;
        last_end = start + word.len();
    }
    true
}

/// Words that differ in their ending only: "customers", "customer".
pub fn same_stem(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let longest = a.chars().count().max(b.chars().count());
    common >= 4 && longest - common <= 2
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut words = Vec::new();
    let mut start = None;
    for (position, c) in text.char_indices() {
        match (c.is_alphabetic(), start) {
            (true, None) => start = Some(position),
            (false, Some(from)) => {
                words.push((from, text.get(from..position).unwrap_or_default()));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        words.push((from, text.get(from..).unwrap_or_default()));
    }
    words.into_iter()
}

/// Whether a whole number names its row rather than measuring it, as in a result by year.
fn is_year(text: &str) -> bool {
    text.len() == 4 && (text.starts_with("19") || text.starts_with("20"))
}

/// Lower case, byte for byte in the same place: a letter whose small form has another length stays.
fn fold(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(small), None) if small.len_utf8() == c.len_utf8() => small,
                _ => c,
            }
        })
        .collect()
}

fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    [before, after]
        .into_iter()
        .flatten()
        .all(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests;
