//! The question with days instead of terms, for the built-in engine: "recent orders" is "orders from 2026-10-23 to
//! 2026-11-21".

use super::term::{NamedPeriod, Relation};
use crate::calendar::plus_days;
use crate::understanding::Understanding;
use text2sql_phrases::Language;

/// The text of the question with days instead of the terms; `None` where a term cannot be replaced.
pub fn with_days(understanding: &Understanding, periods: &[NamedPeriod]) -> Option<String> {
    let mut text = understanding.text().to_owned();
    // From the end, so that the places before stay what they are.
    for period in periods.iter().rev() {
        let days = days(period, understanding.language())?;
        let place = understanding.place_of(period.place.clone())?;
        match period.noun_end {
            Some(end) => {
                let noun = understanding.place_of(period.place.end..end)?;
                text.insert_str(noun.end, &format!(" {days}"));
                text.replace_range(place.start..noun.start, "");
            }
            None => text.replace_range(place, &days),
        }
    }
    Some(text)
}

fn days(period: &NamedPeriod, language: Language) -> Option<String> {
    let (from, before) = period.days?;
    let is_german = language.tag() == "de";
    let (since, until, after) = match is_german {
        true => ("seit", "vor", "nach"),
        false => ("since", "before", "after"),
    };
    Some(match (period.relation, from, before) {
        (Relation::Since, Some(from), _) => format!("{since} {from}"),
        (Relation::Before, Some(from), _) => format!("{until} {from}"),
        (Relation::After, _, Some(before)) => format!("{after} {}", plus_days(before, -1)),
        (Relation::Within, Some(from), Some(before)) => {
            let last = plus_days(before, -1);
            match (is_german, from == last) {
                (true, true) => format!("am {from}"),
                (false, true) => format!("on {from}"),
                (true, false) => format!("zwischen {from} und {last}"),
                (false, false) => format!("from {from} to {last}"),
            }
        }
        (Relation::Within, Some(from), None) => format!("{since} {from}"),
        (Relation::Within, None, Some(before)) => format!("{until} {before}"),
        _ => return None,
    })
}
