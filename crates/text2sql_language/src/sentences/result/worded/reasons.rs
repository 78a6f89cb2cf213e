//! Why nothing was found.

use text2sql_phrases::{say_count, say_in};

use super::super::facts::Reason;
use super::super::frame::{Frame, Says};
use super::super::grammar::Words;
use super::super::kinds::{Nothing, NothingKind};
use super::speaker::{Worded, spaced};

/// The sentences about an empty result.
pub(super) fn nothing(worded: &Worded, frame: &Frame, nothing: &Nothing) -> String {
    let mut sentence = finding(worded, frame, nothing);
    for reason in &nothing.reasons {
        if let Some(reason) = said(worded, reason) {
            sentence.push(' ');
            sentence.push_str(&reason);
        }
    }
    sentence
}

fn finding(worded: &Worded, frame: &Frame, nothing: &Nothing) -> String {
    let (language, grammar) = (worded.language, worded.grammar);
    let period = nothing.reasons.iter().find_map(|reason| match reason {
        Reason::Period { from, to } => Some(days(worded, from.as_deref(), to.as_deref())),
        _ => None,
    });
    match (&nothing.kind, frame) {
        (
            NothingKind::Zero | NothingKind::NoRows,
            Frame::Count {
                things,
                says: Says::Predicate(says),
            },
        )
        | (
            NothingKind::NoRows,
            Frame::Which {
                noun: things,
                is_plural: true,
                says: Says::Predicate(says),
            },
        ) if !grammar.says(Words::Negations, says) => {
            say_in!(language, "No {things} {says}.")
        }
        (
            NothingKind::Zero | NothingKind::NoRows,
            Frame::Count {
                things,
                says: Says::Exists { verb, rest },
            },
        ) if !grammar.says(Words::Grouping, things) => say_in!(
            language,
            "There {verb} no {things}{rest}.",
            rest = spaced(rest)
        ),
        (NothingKind::Zero, Frame::Count { things, .. }) => {
            say_in!(language, "The answer is no {things} (0).")
        }
        (NothingKind::Zero, _) => say_in!(language, "The answer is {value}.", value = 0),
        (NothingKind::NotStored, _) => say_in!(language, "No value is stored for this."),
        (NothingKind::NoRows | NothingKind::NoValue, _) => say_in!(
            language,
            "Nothing was found{period}.",
            period = period.unwrap_or_default()
        ),
    }
}

fn days(worded: &Worded, from: Option<&str>, to: Option<&str>) -> String {
    let language = worded.language;
    match (from, to) {
        (Some(from), Some(to)) if from == to => say_in!(language, " on {from}"),
        (Some(from), Some(to)) => say_in!(language, " from {from} to {to}"),
        (Some(from), None) => say_in!(language, " from {from} on"),
        (None, Some(to)) => say_in!(language, " up to {to}"),
        (None, None) => String::new(),
    }
}

fn said(worded: &Worded, reason: &Reason) -> Option<String> {
    let language = worded.language;
    Some(match reason {
        Reason::Period { .. } => return None,
        Reason::LastDate { column, day } => {
            say_in!(language, "The last date in {column} is {day}.")
        }
        Reason::FirstDate { column, day } => {
            say_in!(language, "The first date in {column} is {day}.")
        }
        Reason::Condition { sql, nearest } if nearest.is_empty() => {
            say_in!(language, "No row meets `{sql}`; without it there are rows.")
        }
        Reason::Condition { sql, nearest } => say_count!(
            language,
            nearest.len() as u64,
            "No row meets `{sql}`; the nearest value is {values}.",
            "No row meets `{sql}`; the nearest values are {values}.",
            values = nearest.join(", ")
        ),
        Reason::GroupCondition(sql) => say_in!(
            language,
            "No group meets `{sql}`; without it there are rows."
        ),
        Reason::Join(sql) => say_in!(language, "`{sql}` finds no match for any row."),
        Reason::Together(parts) => match parts.as_slice() {
            [only] => say_in!(
                language,
                "Read in order, `{only}` is the first condition after which no row is left."
            ),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
                let and = say_in!(language, " and ");
                say_in!(
                    language,
                    "No row meets {parts} together.",
                    parts = parts.join(&and)
                )
            }
        },
        Reason::EmptyTable(table) => {
            say_in!(language, "The table {table} has no rows that you may see.")
        }
        Reason::NoValues => say_in!(language, "There are rows, but none of them has a value."),
    })
}
