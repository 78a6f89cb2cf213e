//! Database values that a question mentions: which of them count, and which literals of a query may mean
//! the same in other words.

use std::sync::Arc;

use super::facts::Facts;
use super::written::{Literal, Written};
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_language::terms::{Analyzer, fold};
use text2sql_language::understanding::{Mark, Understanding};

/// Minimum length of a value that counts as mentioned. Shorter ones are often codes or common words of
/// some language.
const MIN_VALUE_CHARS: usize = 3;

/// Maximum number of foreign keys from a table that the query reads to one that holds a value.
const MAX_STEPS: usize = 2;

/// A database value that the question mentions.
pub(super) struct Value<'a> {
    pub(super) phrase: String,
    pub(super) is_used: bool,
    /// The columns that contain it.
    hits: Vec<&'a ValueHit>,
}

impl Value<'_> {
    /// Why the query has to use it: it is set apart as a value, no other column holds it, and the query reads the table
    /// of that column, or one that references it. Other words of a question are values of some table by chance.
    pub(super) fn proof(
        &self,
        facts: &Facts<'_>,
        asked: &Understanding,
        written: &Written,
    ) -> Option<String> {
        let hit = *self.hits.first()?;
        let is_elsewhere =
            |other: &&ValueHit| (other.table, other.column) != (hit.table, hit.column);
        let is_set_apart = || {
            let mut phrases = asked.phrases().iter();
            phrases.any(|phrase| phrase.mark != Mark::None && fold(&phrase.text) == self.phrase)
        };
        if self.hits.iter().copied().any(|other| is_elsewhere(&other)) || !is_set_apart() {
            return None;
        }
        // "Steven Buchanan", of whom the query has the family name.
        let is_part = written.texts.iter().any(|text| {
            let (one, other) = (
                format!("{} {text}", self.phrase),
                format!("{text} {}", self.phrase),
            );
            asked.folded().contains(&one) || asked.folded().contains(&other)
        });
        if is_part {
            return None;
        }
        let mut tables = facts.tables.iter();
        let owner = tables.find(|table| table.oid == hit.table)?;
        let column = owner
            .columns
            .iter()
            .find(|column| column.number == hit.column)?;
        self.is_near(facts, written).then(|| {
            format!(
                "\"{}\" is a value of {}.{} alone, and the query has no condition with it",
                self.phrase,
                owner.sql_name(),
                quote_identifier(&column.name)
            )
        })
    }

    /// Whether the query reads a table that contains it, or one from which foreign keys lead there. Values of
    /// other tables are probably ordinary words here.
    fn is_near(&self, facts: &Facts<'_>, written: &Written) -> bool {
        let is_read = |table: &&Arc<Table>| written.words.contains(&table.name.to_lowercase());
        let mut reached: Vec<u32> = facts
            .tables
            .iter()
            .filter(is_read)
            .map(|table| table.oid)
            .collect();
        for _ in 0..MAX_STEPS {
            let targets = facts
                .tables
                .iter()
                .filter(|table| reached.contains(&table.oid))
                .flat_map(|table| table.foreign_keys.iter().map(|key| key.target));
            let new: Vec<u32> = targets.filter(|target| !reached.contains(target)).collect();
            reached.extend(new);
        }
        self.hits.iter().any(|hit| reached.contains(&hit.table))
    }
}

/// Whether the phrase is the complete value or one of its stored meanings. The search also finds values
/// by parts and initials.
fn is_whole(phrase: &str, hit: &ValueHit, facts: &Facts<'_>) -> bool {
    if phrase.chars().count() < MIN_VALUE_CHARS {
        return false;
    }
    let means_it = |meaning: &str| fold(meaning).contains(phrase);
    fold(&hit.value) == phrase
        || facts
            .tables
            .iter()
            .filter(|table| table.oid == hit.table)
            .flat_map(|table| &table.columns)
            .filter(|column| column.number == hit.column)
            .flat_map(|column| &column.value_meanings)
            .any(|(value, meaning)| *value == hit.value && means_it(meaning))
}

/// Database values in the question, except words that are also names.
pub(super) fn valued<'a>(
    facts: &Facts<'a>,
    named: &[(String, bool)],
    written: &Written,
) -> Vec<Value<'a>> {
    let analyzer = Analyzer::default();
    let mut values: Vec<Value<'a>> = Vec::new();
    for (phrase, hit) in facts.values.iter().filter(|(_, hit)| hit.similarity >= 1.0) {
        let terms = analyzer.terms(phrase).join(" ");
        let is_name = named
            .iter()
            .any(|(name, _)| analyzer.terms(name).join(" ") == terms);
        let (stored, phrase) = (fold(&hit.value), fold(phrase));
        if terms.is_empty() || is_name || !is_whole(&phrase, hit, facts) {
            continue;
        }
        let is_used = written
            .texts
            .iter()
            .any(|text| text.contains(&stored) || text.contains(&phrase));
        match values.iter_mut().find(|value| value.phrase == phrase) {
            Some(value) => {
                value.is_used |= is_used;
                value.hits.push(hit);
            }
            None => values.push(Value {
                phrase,
                is_used,
                hits: vec![hit],
            }),
        }
    }
    values
}

/// Drops values of the question and literals of the query that may be the same in other words: the
/// question says "Österreich", and the query compares with the country's English name, or with its code
/// in a column that references it. This cannot be verified, so neither counts.
pub(super) fn leave_out_other_words(
    facts: &Facts<'_>,
    written: &Written,
    values: &mut Vec<Value<'_>>,
    literals: &mut Vec<Literal>,
) {
    values.retain(|value| {
        if value.is_used {
            return true;
        }
        let same = literals.iter().position(|literal| {
            !literal.is_asked
                && value
                    .hits
                    .iter()
                    .any(|hit| may_be_the_same(hit, literal, facts, written))
        });
        if let Some(same) = same {
            literals.remove(same);
        }
        same.is_none()
    });
}

/// Whether a literal of the query may stand for the row that contains the value: it is compared with
/// another column of that table, or with a column that references the table.
fn may_be_the_same(
    hit: &ValueHit,
    literal: &Literal,
    facts: &Facts<'_>,
    written: &Written,
) -> bool {
    let has = |name: &str| written.words.contains(&name.to_lowercase());
    let is_compared = |name: &str| name.eq_ignore_ascii_case(&literal.column);
    facts
        .tables
        .iter()
        .filter(|table| has(&table.name))
        .any(|table| {
            let mut keys = table.foreign_keys.iter();
            let of_the_row = table.oid == hit.table
                && table
                    .columns
                    .iter()
                    .any(|column| is_compared(&column.name) && column.number != hit.column);
            of_the_row
                || keys.any(|key| {
                    key.target == hit.table && key.columns.iter().any(|name| is_compared(name))
                })
        })
}
