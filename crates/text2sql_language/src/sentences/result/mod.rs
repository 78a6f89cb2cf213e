//! The sentence that states the answer, made from the rows: what was found, in the words of the question where they
//! can be turned, else in those of the columns.
//!
//! `facts` is what is known beside the rows, `table` reads rows and columns, `kinds` is what a sentence says,
//! `worded` puts that in the words of the catalogue, and `grammar` knows the words of the question.

pub mod facts;
mod format;
mod found;
mod frame;
mod grammar;
mod groups;
mod kinds;
mod neutral;
mod nothing;
mod periods;
mod phrases;
mod ranking;
mod series;
mod table;
#[cfg(test)]
mod tests;
mod values;
mod worded;

use self::facts::Places;
use self::frame::{Frame, capital};
use self::grammar::{English, German, Grammar, Unread};
use self::kinds::Single;
use self::neutral::Neutral;
use self::phrases::Phrases;
use self::table::Table;
use self::worded::Worded;
use crate::understanding::Understanding;
use text2sql_phrases::Language;

pub use self::found::Found;
pub use self::nothing::{is_empty, is_zero};

/// The sentence about a result, in the language of the question.
pub fn sentence(found: &Found<'_>) -> String {
    let phrases = phrases_of(found.understanding);
    let frame = match found.is_off_topic {
        true => Frame::Unknown,
        false => phrases.frame(found.understanding.text()),
    };
    say(found, &*phrases, &frame)
}

/// The note about rows that are equal to the last one and not shown; `None` if there are none.
pub fn left_out(understanding: &Understanding, places: &Places, limit: u64) -> Option<String> {
    let first_place = (limit == 1).then_some(places.equal);
    let phrases = phrases_of(understanding);
    (places.left_out > 0).then(|| phrases.left_out(places.left_out, first_place))
}

/// Whether the catalogue has the language of the question. Without, a sentence of a model says more.
pub fn has_rules(understanding: &Understanding) -> bool {
    let language = understanding.written_language();
    language.and_then(Language::named).is_some()
}

fn say(found: &Found<'_>, phrases: &dyn Phrases, frame: &Frame) -> String {
    let execution = found.execution;
    if let Some(nothing) = nothing::of(found) {
        return phrases.nothing(frame, &nothing);
    }
    if execution.columns.is_empty() || execution.rows.is_empty() {
        return phrases.rows(execution.rows.len(), execution.is_truncated);
    }
    let table = Table::of(found, phrases);
    let said = of_rows(&table, frame);
    // "customer 148" is no name, which would keep its case.
    if table.is_named_by_id() {
        capital(&said)
    } else {
        said
    }
}

fn of_rows(table: &Table<'_>, frame: &Frame) -> String {
    let (found, phrases) = (table.found, table.phrases);
    let execution = found.execution;
    if let Some(ranking) = ranking::of(table) {
        return phrases.ranking(frame, &ranking);
    }
    match execution.rows.as_slice() {
        [_] if !execution.is_truncated && execution.columns.len() == 1 => {
            match values::single(table) {
                Some(single) => phrases.single(frame, &single),
                None => phrases.rows(1, false),
            }
        }
        [_] if !execution.is_truncated
            && (!found.facts.is_grouped || groups::of(table, frame).is_empty()) =>
        {
            let row = values::row(table);
            match row.name {
                Some(value) if row.values.is_empty() => phrases.single(frame, &Single::name(value)),
                _ => phrases.row(frame, &row),
            }
        }
        _ => {
            if let Some(series) = series::of(table, frame) {
                return phrases.series(&series);
            }
            let groups = groups::of(table, frame);
            if !groups.is_empty() {
                let sentences: Vec<String> = groups
                    .iter()
                    .map(|groups| phrases.groups(frame, groups))
                    .collect();
                return sentences.join(" ");
            }
            phrases.list(frame, &values::list(table))
        }
    }
}

/// The words of the question's language.
fn phrases_of(understanding: &Understanding) -> Box<dyn Phrases> {
    let tag = understanding.written_language();
    let grammar: &'static dyn Grammar = match tag {
        Some("en") => &English,
        Some("de") => &German,
        _ => &Unread,
    };
    match tag.and_then(Language::named) {
        Some(language) => Box::new(Worded {
            language,
            grammar,
            question: understanding.text().to_owned(),
        }),
        None => Box::new(Neutral),
    }
}
