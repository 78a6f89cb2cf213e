//! Which of the values found for a question it means, and in which column.
//!
//! A word of the question may equal a value by chance: "de" the code of Germany, "average" a review, "5" a key.
//! Such a hint costs more than it helps, because it crowds out the one that matters. So a word counts that is
//! set apart (quoted, a code, a name), that stands beside the word for its column ("status check"), or that is
//! neither general nor a name of the schema. Of several columns, the one whose table the question speaks of comes
//! first.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::linking::{Phrases, is_spelled_alike};
use crate::found_table::{FoundTable, Reason};
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Column, Table};
use text2sql_language::edit_distance::is_typo;
use text2sql_language::plain_words::NamesNothing;
use text2sql_language::terms::{Analyzer, fold, split};
use text2sql_language::understanding::{Mark, SpokenPhrase, Understanding};

/// Maximum number of values for one phrase, and for a question: more are not read but skipped.
const MAX_OF_PHRASE: usize = 3;
const MAX_VALUES: usize = 10;

/// A column with more distinct values holds names rather than categories.
const MAX_CATEGORIES: f64 = 50.0;

/// Letters of a code with a sign behind it: "A+", "B--".
const MAX_CODE: usize = 4;

/// How many of the best found tables a question speaks of, whatever their names.
pub(crate) const BEST_TABLES: usize = 5;

/// Minimum number of letters of initials that are not written as a code.
const MIN_INITIALS: usize = 3;

/// What the values are judged by: the question and the tables that were retrieved for it.
pub struct Scene<'a> {
    tables: HashMap<u32, TableInScene<'a>>,
    /// Stems of the question's words.
    words: HashSet<String>,
    /// Whole names of tables, and names and words of names of tables that the question speaks of.
    names: HashSet<String>,
    /// Whether the person who asks writes names with capital letters.
    has_capitals: bool,
    plain: &'a NamesNothing,
    analyzer: &'a Analyzer,
}

struct TableInScene<'a> {
    table: &'a Table,
    name: Rc<[String]>,
    is_spoken_of: bool,
}

impl<'a> Scene<'a> {
    /// The scene of a question over the tables; `found` says how they were found, if they were searched for.
    pub fn new(
        understanding: &'a Understanding,
        tables: &'a [Arc<Table>],
        found: &[FoundTable],
        analyzer: &'a Analyzer,
    ) -> Self {
        let words: HashSet<String> = understanding
            .parts()
            .iter()
            .map(|word| analyzer.stem(word))
            .collect();
        let is_said =
            |name: &[String]| !name.is_empty() && name.iter().all(|word| words.contains(word));
        let mut spoken: HashSet<u32> = HashSet::new();
        for (place, entry) in found.iter().enumerate() {
            let is_found = entry.reasons.iter().any(|reason| *reason != Reason::Value);
            if place < BEST_TABLES && is_found {
                spoken.insert(entry.table);
            }
        }
        let stems = |name: &str| analyzer.terms_of_name(name);
        let mut in_scene: HashMap<u32, TableInScene<'a>> = HashMap::new();
        for table in tables {
            let name = stems(&table.name);
            let is_called =
                is_said(&name) || table.synonyms.iter().any(|name| is_said(&stems(name)));
            if is_called {
                spoken.insert(table.oid);
            }
            let entry = TableInScene {
                table,
                name,
                is_spoken_of: false,
            };
            in_scene.insert(table.oid, entry);
        }
        // Values are often in a table that those refer to.
        let referred: Vec<u32> = tables
            .iter()
            .filter(|table| spoken.contains(&table.oid))
            .flat_map(|table| table.foreign_keys.iter().map(|key| key.target))
            .collect();
        let mut names = HashSet::new();
        for (oid, entry) in &mut in_scene {
            names.insert(name_key(entry.name.to_vec()));
            entry.is_spoken_of = spoken.contains(oid) || referred.contains(oid);
            if entry.is_spoken_of {
                names.extend(entry.name.iter().cloned());
                for column in &entry.table.columns {
                    let stems = stems(&column.name);
                    names.extend(stems.iter().cloned());
                    names.insert(name_key(stems.to_vec()));
                }
            }
        }
        let marks = |phrase: &SpokenPhrase| phrase.mark == Mark::Name;
        Self {
            tables: in_scene,
            names,
            has_capitals: understanding.phrases().iter().any(marks),
            words,
            plain: understanding.plain_words(),
            analyzer,
        }
    }

    fn column(&self, hit: &ValueHit) -> Option<(&TableInScene<'a>, &'a Column)> {
        let entry = self.tables.get(&hit.table)?;
        let mut columns = entry.table.columns.iter();
        let column = columns.find(|column| column.number == hit.column)?;
        Some((entry, column))
    }

    /// Which name the words beside the phrase have in common with the column.
    fn beside(&self, phrase: &SpokenPhrase, entry: &TableInScene<'_>, column: &Column) -> Beside {
        let own = self.analyzer.terms(&phrase.text);
        // With pairs of neighbours joined: "postal code" of `postalcode`.
        let beside = self.analyzer.terms_of_words(&phrase.beside);
        let is_beside = |word: &String| beside.contains(word) && !own.contains(word);
        let name = &column.name;
        let column = self.analyzer.terms_of_name(name);
        // The last word of a name says what it is, unless every second column is called so.
        let last = split(name).pop();
        let is_telling = last.is_some_and(|word| !self.plain.is_general(&word));
        let head = column.last().filter(|_| is_telling);
        let is_whole = column.len() > 1 && column.iter().all(is_beside);
        match () {
            () if is_whole || head.is_some_and(is_beside) => Beside::Head,
            () if column.iter().any(is_beside) => Beside::Column,
            () if entry.name.iter().any(is_beside) => Beside::Table,
            () => Beside::Nothing,
        }
    }

    /// How well the question speaks of this value in this column; `None` if it does not.
    fn score(&self, phrase: &SpokenPhrase, hit: &ValueHit) -> Option<u32> {
        let (entry, column) = self.column(hit)?;
        if differs_in_sign(phrase, &hit.value) {
            return None;
        }
        let is_marked = phrase.mark != Mark::None;
        let beside = self.beside(phrase, entry, column);
        let fit = Fit::of(phrase, hit, column, self.analyzer);
        // The owner of the data says that the word is a value, also where a table is called by it.
        let is_stored = fit == Fit::Meaning && entry.is_spoken_of && !phrase.is_general;
        if !is_marked
            && beside != Beside::Head
            && !is_stored
            && names_no_value(phrase, &self.names, self.analyzer)
        {
            return None;
        }
        let name = self.analyzer.terms_of_name(&column.name);
        let is_column_said = name.iter().any(|word| self.words.contains(word));
        let is_near = entry.is_spoken_of || beside != Beside::Nothing || is_column_said;
        let is_category = column
            .statistics
            .as_ref()
            .and_then(|facts| facts.distinct_values)
            .is_none_or(|distinct| distinct <= MAX_CATEGORIES);
        let may_be_meant = match fit {
            Fit::Spelled => {
                // "the price", where the person who asks would have written "Price"; "well", where a name is
                // "Wells".
                let is_one_word = !phrase.text.contains(char::is_whitespace);
                let is_capital = hit.value.starts_with(char::is_uppercase) && self.has_capitals;
                let is_other_form = fold(&phrase.text) != fold(&hit.value);
                let is_other_word = is_one_word && !is_category && (is_capital || is_other_form);
                is_marked || !is_other_word || matches!(beside, Beside::Head | Beside::Column)
            }
            Fit::Meaning => true,
            Fit::Initials => is_near && !is_short(phrase) && (is_marked || is_category),
            Fit::Beginning => is_marked || is_near,
            // A word in small letters is the word that it is, not a misspelt name: "worth" no customer WARTH.
            Fit::Typo => is_marked || (is_near && (is_category || beside != Beside::Nothing)),
            Fit::Similar => is_marked,
        };
        let points = [
            (matches!(fit, Fit::Spelled | Fit::Meaning), 8),
            (matches!(beside, Beside::Head | Beside::Column), 6),
            (beside == Beside::Table, 2),
            (entry.is_spoken_of, 4),
            (is_column_said, 2),
            (is_category, 2),
            (hit.value == phrase.text, 1),
        ];
        let points = points.iter().filter(|(holds, _)| *holds);
        may_be_meant.then(|| points.map(|(_, points)| points).sum())
    }
}

/// What the words beside a phrase name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// The last word of the column's name.
    Head,
    /// Another word of it.
    Column,
    /// Its table.
    Table,
    Nothing,
}

/// How a phrase fits a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// It equals the value except for case, accents, punctuation and plural.
    Spelled,
    /// By a stored meaning of the value.
    Meaning,
    Initials,
    /// By the letters that it begins with.
    Beginning,
    /// It equals the value except for a letter or two.
    Typo,
    /// By some of its letters: part of a longer value.
    Similar,
}

impl Fit {
    fn of(phrase: &SpokenPhrase, hit: &ValueHit, column: &Column, analyzer: &Analyzer) -> Self {
        let has_meaning = || {
            column
                .value_meanings
                .iter()
                .any(|(value, _)| *value == hit.value)
        };
        match () {
            () if is_spelled_alike(&phrase.text, &hit.value, analyzer) => Self::Spelled,
            () if hit.similarity >= 1.0 && has_meaning() => Self::Meaning,
            () if hit.similarity >= 1.0 => Self::Initials,
            () if is_typo(&fold(&phrase.text), &fold(&hit.value)) => Self::Typo,
            () if phrase.may_be_short && is_beginning(&phrase.text, &hit.value) => Self::Beginning,
            () => Self::Similar,
        }
    }
}

/// A column whose points are fewer than those of the best by this many merely holds the same value.
const FAR: u32 = 5;

/// The hits that the question means, those of the first phrase first and the best column of each first; a few
/// of each phrase and a few of all.
pub fn choose(phrases: &Phrases, hits: &[ValueHit], scene: &Scene<'_>) -> Vec<ValueHit> {
    let scored: Vec<(u32, &ValueHit)> = hits
        .iter()
        .filter_map(|hit| Some((scene.score(phrases.of_hit(hit)?, hit)?, hit)))
        .collect();
    let text = |hit: &ValueHit| phrases.of_hit(hit).map_or("", |phrase| &phrase.text);
    let is_same = |one: &ValueHit, other: &ValueHit| {
        (one.table, one.column, &one.value) == (other.table, other.column, &other.value)
    };
    // A longer phrase covers its parts; where it is no better than a part, the part is what is meant.
    let is_covered = |(score, hit): &(u32, &ValueHit)| {
        scored.iter().any(|(other_score, other)| {
            let is_longer = text(other).len() > text(hit).len() && text(other).contains(text(hit));
            let is_shorter = text(hit).len() > text(other).len() && text(hit).contains(text(other));
            other.phrase != hit.phrase
                && match (
                    is_same(hit, other),
                    other.similarity.total_cmp(&hit.similarity),
                ) {
                    (true, Ordering::Equal) => {
                        is_longer || (!is_shorter && other.phrase < hit.phrase)
                    }
                    (true, order) => order.is_gt(),
                    (false, order) => is_longer && other_score + FAR > *score && order.is_ge(),
                }
        })
    };
    let mut kept: Vec<(u32, &ValueHit)> = scored
        .iter()
        .filter(|entry| !is_covered(entry))
        .copied()
        .collect();
    kept.sort_by_key(|(score, hit)| (std::cmp::Reverse(*score), hit.phrase));
    let mut chosen: Vec<(u32, &ValueHit)> = Vec::new();
    for (score, hit) in kept {
        let of_phrase = chosen
            .iter()
            .filter(|(_, known)| known.phrase == hit.phrase);
        let best = of_phrase.clone().map(|(score, _)| *score).max();
        let is_far = best.is_some_and(|best| score + FAR <= best);
        if of_phrase.count() < MAX_OF_PHRASE && !is_far && chosen.len() < MAX_VALUES {
            chosen.push((score, hit));
        }
    }
    chosen.sort_by_key(|(score, hit)| (hit.phrase, std::cmp::Reverse(*score)));
    chosen.into_iter().map(|(_, hit)| hit.clone()).collect()
}

/// Maximum number of tables that a word brings in by its value alone: what more of them hold identifies none.
const MAX_TABLES: usize = 3;

/// The tables that the values vote for, best first: each with its similarity, shared among the tables that hold
/// the value. `names` are whole names of tables and columns in the question, by [`name_key`]; `found` are the
/// tables that other legs found.
pub fn votes(
    phrases: &Phrases,
    hits: &[ValueHit],
    names: &HashSet<String>,
    found: &HashSet<u32>,
    analyzer: &Analyzer,
) -> Vec<(u32, f64)> {
    let mut votes: HashMap<u32, f64> = HashMap::new();
    for (place, phrase) in phrases.said.iter().enumerate() {
        let is_marked = phrase.mark != Mark::None;
        if !is_marked && names_no_value(phrase, names, analyzer) {
            continue;
        }
        let is_telling = |hit: &&ValueHit| {
            if differs_in_sign(phrase, &hit.value) {
                return false;
            }
            let is_near = is_marked || found.contains(&hit.table);
            match hit.similarity >= 1.0 {
                true => !is_short(phrase) || is_spelled_alike(&phrase.text, &hit.value, analyzer),
                false => is_near,
            }
        };
        let of_phrase = hits.iter().filter(|hit| hit.phrase == place);
        let of_phrase: Vec<&ValueHit> = of_phrase.filter(is_telling).collect();
        let mut tables: HashMap<u32, f32> = HashMap::new();
        for hit in of_phrase {
            let best = tables.entry(hit.table).or_default();
            *best = best.max(hit.similarity);
        }
        if tables.len() > MAX_TABLES {
            tables.retain(|table, _| found.contains(table));
        }
        let share = 1.0 / tables.len().max(1) as f64;
        for (table, similarity) in tables {
            let vote = votes.entry(table).or_default();
            *vote = vote.max(f64::from(similarity) * share);
        }
    }
    let mut votes: Vec<(u32, f64)> = votes.into_iter().collect();
    votes.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    votes
}

/// Maximum number of tables that are shown because they hold what the question names; more hold a word of everybody.
const MAX_HOLDING: usize = 5;

/// The tables that hold, exactly as spelled, what the question sets apart as a name, a code or by quotation marks, where few
/// do: no word of the question need be like their names.
pub fn holding(phrases: &Phrases, hits: &[ValueHit], analyzer: &Analyzer) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut covered: Vec<&str> = Vec::new();
    for (place, phrase) in phrases.said.iter().enumerate() {
        let is_part = covered.iter().any(|known| known.contains(&phrase.text));
        if phrase.mark == Mark::None || phrase.is_general || is_part {
            continue;
        }
        let of_phrase = hits.iter().filter(|hit| hit.phrase == place);
        let spelled = of_phrase.filter(|hit| {
            !differs_in_sign(phrase, &hit.value)
                && is_spelled_alike(&phrase.text, &hit.value, analyzer)
        });
        let tables: HashSet<u32> = spelled.map(|hit| hit.table).collect();
        if !tables.is_empty() {
            covered.push(&phrase.text);
        }
        if tables.len() <= MAX_HOLDING {
            found.extend(tables);
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_HOLDING);
    found
}

/// A name by its stems, whatever their order.
pub fn name_key(mut stems: Vec<String>) -> String {
    stems.sort_unstable();
    stems.join(" ")
}

/// Whether the words of a phrase that nothing sets apart mean no value: general words, numbers, and names of the
/// schema.
fn names_no_value(phrase: &SpokenPhrase, names: &HashSet<String>, analyzer: &Analyzer) -> bool {
    let is_name = || names.contains(&name_key(analyzer.terms(&phrase.text)));
    phrase.is_general || phrase.is_number || is_name()
}

/// Whether a short code and a value differ in the sign behind them: "A+" is neither A nor A-.
fn differs_in_sign(phrase: &SpokenPhrase, value: &str) -> bool {
    let value = value.trim();
    let has_sign = |text: &str| text.ends_with(['+', '-', '#']);
    phrase.mark == Mark::Code
        && value.chars().count() <= MAX_CODE
        && (has_sign(&phrase.text) || has_sign(value))
        && !value.eq_ignore_ascii_case(&phrase.text)
}

fn is_beginning(phrase: &str, value: &str) -> bool {
    fold(value).starts_with(&fold(phrase))
}

/// Whether a phrase that is not written as a code is too short for initials.
fn is_short(phrase: &SpokenPhrase) -> bool {
    let letters = phrase.text.chars().filter(|c| c.is_alphabetic()).count();
    !matches!(phrase.mark, Mark::Code | Mark::Quoted) && letters < MIN_INITIALS
}
