//! The columns of a result by what they are for: which name a row, and which measure it.

use std::collections::BTreeSet;
use text2sql_domain::{word_pairs, words};

use super::facts::{Output, QueryFacts, Role};
use super::format::{MAX_NAME, Number, is_amount, is_number_type, is_time_type, said};
use super::found::Found;
use super::frame::Frame;
use super::kinds::Measure;
use super::periods::first_day;
use super::phrases::Phrases;
use crate::names::readable;
use text2sql_domain::sql_result::{Cell, ResultColumn};

/// Names that PostgreSQL or a writer gives to columns without saying what they hold.
const GENERIC: &[&str] = words!(
    "column, count, sum, avg, min, max, round, coalesce, n, num, cnt, number, total, value, \
     anzahl, result, answer, date trunc, extract, date part, to char, bool, exists, case, x, a, b"
);

/// Words that name a row.
const NAMES: &[&str] = words!("name, title, label, description, bezeichnung, titel");

/// Two columns that make one name.
const NAME_PARTS: &[(&str, &str)] = word_pairs!(
    "first name = last name, firstname = lastname, given name = family name, \
     given name = surname, forename = surname, first name = surname, vorname = nachname, \
     fname = lname"
);

/// A result with what its columns are for.
pub(super) struct Table<'a> {
    pub(super) found: &'a Found<'a>,
    pub(super) phrases: &'a dyn Phrases,
    pub(super) rows: &'a [Vec<Cell>],
    /// The columns whose values name a row.
    pub(super) names: Vec<usize>,
    /// The columns that measure it.
    pub(super) measures: Vec<usize>,
}

impl<'a> Table<'a> {
    pub(super) fn of(found: &'a Found<'a>, phrases: &'a dyn Phrases) -> Self {
        let mut table = Self {
            found,
            phrases,
            rows: &found.execution.rows,
            names: Vec::new(),
            measures: Vec::new(),
        };
        let columns = 0..found.execution.columns.len();
        table.measures = columns.filter(|at| table.is_measure(*at)).collect();
        table.names = table.name_columns();
        if let Some(key) = table.key_of_equal_names() {
            table.names = vec![key];
        }
        table
    }

    pub(super) fn facts(&self) -> &'a QueryFacts {
        self.found.facts
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.found.execution.is_truncated
    }

    /// Whether LIMIT may leave out some of what the question asks for.
    pub(super) fn is_limited(&self) -> bool {
        let found = self.found;
        found.facts.is_limited(found.understanding, self.rows.len())
    }

    pub(super) fn column(&self, at: usize) -> Option<&'a ResultColumn> {
        self.found.execution.columns.get(at)
    }

    pub(super) fn output(&self, at: usize) -> Output {
        let facts = self.facts();
        let is_known = facts.outputs.len() == self.found.execution.columns.len();
        let known = facts.outputs.get(at).filter(|_| is_known);
        let mut output = known.cloned().unwrap_or_default();
        // A taught word that the question says goes before a name of another language.
        let understanding = self.found.understanding;
        let is_count = matches!(output.role, Role::Count | Role::DistinctCount);
        if !is_count && understanding.written_language() != Some("en") {
            let mut taught = std::mem::take(&mut output.taught).into_iter();
            let asked = taught.find(|word| says_words(understanding.text(), word));
            output.label = asked.or(output.label);
        }
        output
    }

    /// The text of a cell, as the server wrote it.
    pub(super) fn text(row: &[Cell], at: usize) -> Option<&str> {
        row.get(at)?.text.as_deref()
    }

    /// The value of a cell; `None` if it is NULL.
    pub(super) fn said(&self, row: &[Cell], at: usize, max: usize) -> Option<String> {
        let (text, column) = (Self::text(row, at)?, self.column(at)?);
        let output = self.output(at);
        if let Role::Time(unit) = output.role
            && let Some(day) = first_day(text, unit)
        {
            return Some(self.phrases.period(unit, day));
        }
        Some(said(self.phrases, text, column, &output, max))
    }

    /// The number of a cell.
    pub(super) fn number(&self, row: &[Cell], at: usize) -> Option<Number> {
        let column = self.column(at)?;
        let is_number = is_number_type(&column.type_name);
        is_number
            .then(|| Number::read(Self::text(row, at)?, &column.type_name))
            .flatten()
    }

    /// What a person calls a column; `None` if its name says nothing.
    pub(super) fn label(&self, at: usize) -> Option<String> {
        let output = self.output(at);
        if matches!(output.role, Role::Count | Role::DistinctCount) {
            return match self.measure(at, None) {
                Measure::Things(things) => Some(format!("number of {things}")),
                _ => None,
            };
        }
        if let Some(label) = output.label {
            return Some(label);
        }
        let name = readable(&self.column(at)?.name);
        (!GENERIC.contains(&name.as_str()) && !name.is_empty()).then_some(name)
    }

    /// The name of a row.
    pub(super) fn name_of(&self, row: &[Cell]) -> String {
        let parts: Vec<String> = self
            .names
            .iter()
            .map(|at| self.part_of_name(row, *at))
            .collect();
        let is_person = self.is_one_name();
        parts.join(if is_person { " " } else { ", " })
    }

    fn part_of_name(&self, row: &[Cell], at: usize) -> String {
        let is_number = self.column(at).is_some_and(|column| {
            column.type_name.ends_with("int") || column.type_name == "integer"
        });
        let said = match is_number && !self.measures.contains(&at) {
            // A number that names a row is no amount.
            true => Self::text(row, at).map(str::to_owned),
            false => self.said(row, at, MAX_NAME),
        };
        let Some(said) = said else {
            return self.phrases.no_key();
        };
        // A number alone is no name.
        let name = self
            .column(at)
            .map(|column| readable(&column.name))
            .unwrap_or_default();
        match name
            .strip_suffix(" id")
            .or_else(|| name.strip_suffix(" nr"))
        {
            Some(thing) if self.is_id(at) && self.names.len() == 1 => format!("{thing} {said}"),
            _ => said,
        }
    }

    /// What the names of the rows are, such as "category".
    pub(super) fn keys(&self) -> Vec<String> {
        if self.is_one_name() {
            let first = self.names.first().and_then(|at| self.label(*at));
            return first
                .map(|first| first.replace("first name", "name"))
                .into_iter()
                .collect();
        }
        self.names
            .iter()
            .filter_map(|at| {
                let column = readable(&self.column(*at)?.name);
                let label = self.label(*at).unwrap_or(column);
                let thing = [" id", " name", " title"]
                    .iter()
                    .find_map(|end| label.strip_suffix(end));
                Some(thing.unwrap_or(&label).to_owned())
            })
            .collect()
    }

    pub(super) fn is_id(&self, at: usize) -> bool {
        let output = self.output(at);
        let name = self
            .column(at)
            .map(|column| readable(&column.name))
            .unwrap_or_default();
        output.role == Role::Id || name == "id" || name.ends_with(" id")
    }

    /// Whether the rows are named by a number that identifies them.
    pub(super) fn is_named_by_id(&self) -> bool {
        matches!(self.names.as_slice(), [only] if self.is_id(*only))
    }

    fn is_measure(&self, at: usize) -> bool {
        let Some(column) = self.column(at) else {
            return false;
        };
        let output = self.output(at);
        match output.role {
            Role::Count | Role::DistinctCount | Role::Sum | Role::Measure => {
                is_number_type(&column.type_name)
            }
            Role::Id | Role::Time(_) => false,
            // A stored number is what the groups are made by.
            Role::Value => {
                !self.facts().is_grouped && is_amount(column, &output) && !self.is_id(at)
            }
            Role::Unknown => is_amount(column, &output) && !self.is_id(at),
        }
    }

    /// Whether the column is called a name, or the row is named by parts of one or by its key.
    pub(super) fn is_called_name(&self) -> bool {
        let [only] = self.names.as_slice() else {
            return self.is_one_name();
        };
        let name = self
            .column(*only)
            .map(|column| readable(&column.name))
            .unwrap_or_default();
        self.output(*only).label.is_some()
            || name
                .rsplit(' ')
                .next()
                .is_some_and(|last| NAMES.contains(&last))
    }

    /// Whether the names of a row are the parts of one.
    fn is_one_name(&self) -> bool {
        let [first, last] = self.names.as_slice() else {
            return false;
        };
        let name = |at: usize| {
            self.column(at)
                .map(|column| readable(&column.name))
                .unwrap_or_default()
        };
        is_name_pair(&name(*first), &name(*last))
    }

    fn name_columns(&self) -> Vec<usize> {
        let columns = &self.found.execution.columns;
        let others: Vec<usize> = (0..columns.len())
            .filter(|at| !self.measures.contains(at))
            .collect();
        let has_values = |at: &usize| self.rows.iter().any(|row| Self::text(row, *at).is_some());
        let is_computed = |at: usize| {
            matches!(
                self.output(at).role,
                Role::Count | Role::DistinctCount | Role::Sum | Role::Measure
            )
        };
        let is_name = |at: &usize| !self.is_id(*at) && !is_computed(*at) && has_values(at);
        let named: Vec<usize> = others.iter().copied().filter(is_name).collect();
        let readable_at = |at: usize| {
            columns
                .get(at)
                .map(|column| readable(&column.name))
                .unwrap_or_default()
        };
        // Read once: a result may have 1,600 columns.
        let parts: Vec<(usize, String)> = named
            .iter()
            .map(|at| (*at, readable_at(*at)))
            .filter(|(_, name)| is_name_part(name))
            .collect();
        let pair = parts.iter().find_map(|(first, one)| {
            let (last, _) = parts.iter().find(|(_, other)| is_name_pair(one, other))?;
            Some(vec![*first, *last])
        });
        if let Some(pair) = pair {
            return pair;
        }
        let is_text = |at: usize| {
            columns.get(at).is_some_and(|column| {
                !is_number_type(&column.type_name)
                    && !is_time_type(&column.type_name)
                    && column.type_name != "boolean"
            })
        };
        if self.facts().is_grouped && !named.is_empty() {
            return named;
        }
        let called = named.iter().find(|at| {
            let name = readable_at(**at);
            is_text(**at)
                && name
                    .rsplit(' ')
                    .next()
                    .is_some_and(|last| NAMES.contains(&last))
        });
        let first_text = named.iter().find(|at| is_text(**at));
        let any = called.or(first_text).or(named.first()).or(others.first());
        any.copied()
            .or((!columns.is_empty()).then_some(0))
            .into_iter()
            .collect()
    }

    /// The column that tells rows of the same name apart, if there are such rows.
    fn key_of_equal_names(&self) -> Option<usize> {
        if self.facts().is_grouped || self.rows.len() < 2 {
            return None;
        }
        let values = |columns: &[usize]| -> BTreeSet<Vec<Option<&str>>> {
            let value =
                |row: &'a Vec<Cell>| columns.iter().map(|at| Self::text(row, *at)).collect();
            self.rows.iter().map(value).collect()
        };
        let is_unique = |columns: &[usize]| values(columns).len() == self.rows.len();
        if is_unique(&self.names) {
            return None;
        }
        let mut columns = 0..self.found.execution.columns.len();
        columns.find(|at| self.is_id(*at) && is_unique(&[*at]))
    }

    /// What a measure is.
    pub(super) fn measure(&self, at: usize, frame: Option<&Frame>) -> Measure {
        let name = self
            .column(at)
            .map(|column| readable(&column.name))
            .unwrap_or_default();
        self.measure_of(&self.output(at), &name, frame)
    }

    /// What a measure is that has this name.
    pub(super) fn measure_of(&self, output: &Output, name: &str, frame: Option<&Frame>) -> Measure {
        let is_generic = GENERIC.contains(&name) || name.is_empty();
        let name = &without_repetition(name);
        if !matches!(output.role, Role::Count | Role::DistinctCount) {
            return match (&output.label, is_generic) {
                (Some(label), _) => Measure::Named(without_repetition(label)),
                (None, false) => Measure::Named(name.to_owned()),
                (None, true) => Measure::Count,
            };
        }
        if let Some(things) = frame.and_then(counted_things) {
            return Measure::Things(things);
        }
        let counted = [
            "number of ",
            "num ",
            "count of ",
            "total number of ",
            "n ",
            "anzahl ",
        ]
        .iter()
        .find_map(|start| name.strip_prefix(start))
        .or_else(|| name.strip_suffix(" count"))
        .or_else(|| name.strip_suffix(" total"))
        .unwrap_or(name.as_str());
        match (is_generic, &output.label) {
            (false, _) => Measure::Things(plural_of(counted)),
            (true, Some(label)) => Measure::Things(plural_of(label)),
            (true, None) => Measure::Count,
        }
    }
}

/// "total total" as "total": the sum of a column called `total`.
fn without_repetition(name: &str) -> String {
    let mut words: Vec<&str> = name.split(' ').collect();
    words.dedup();
    words.join(" ")
}

/// A thing that is counted by a name in the singular, such as `film_count`, in the plural.
fn plural_of(counted: &str) -> String {
    if counted.ends_with('s') || !counted.is_ascii() {
        return counted.to_owned();
    }
    super::grammar::english_plural(counted)
}

/// Whether a text has these words one behind the other, in any case.
fn says_words(text: &str, words: &str) -> bool {
    let of = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (text, words) = (of(text), of(words));
    !words.is_empty() && text.windows(words.len()).any(|some| some == words)
}

fn is_name_part(name: &str) -> bool {
    let mut parts = NAME_PARTS.iter();
    parts.any(|(one, other)| name.ends_with(one) || name.ends_with(other))
}

fn is_name_pair(first: &str, last: &str) -> bool {
    NAME_PARTS
        .iter()
        .any(|(one, other)| first.ends_with(one) && last.ends_with(other))
}

/// "films" of "How many films are there per category?"
fn counted_things(frame: &Frame) -> Option<String> {
    let Frame::Count { things, .. } = frame else {
        return None;
    };
    const BEFORE_KEYS: &[&str] = &[
        "per", "by", "in", "for", "each", "je", "pro", "nach", "of", "from", "with",
    ];
    let words = things
        .split(' ')
        .take_while(|word| !BEFORE_KEYS.contains(&word.to_lowercase().as_str()));
    let things = words.collect::<Vec<_>>().join(" ");
    (!things.is_empty()).then_some(things)
}
