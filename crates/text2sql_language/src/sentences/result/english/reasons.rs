//! Why nothing was found, in English.

use super::super::facts::Reason;
use super::super::frame::{Frame, Says, bare};
use super::super::kinds::{Nothing, NothingKind};

/// Words that turn a statement with "no" into its opposite.
const NEGATIONS: &[&str] = &[
    "no", "not", "never", "without", "none", "nothing", "don't", "didn't", "aren't", "weren't",
];

/// The sentences about an empty result.
pub(super) fn nothing(frame: &Frame, nothing: &Nothing) -> String {
    let mut sentence = finding(frame, nothing);
    for reason in &nothing.reasons {
        if let Some(reason) = said(reason) {
            sentence.push(' ');
            sentence.push_str(&reason);
        }
    }
    sentence
}

fn finding(frame: &Frame, nothing: &Nothing) -> String {
    let period = nothing.reasons.iter().find_map(|reason| match reason {
        Reason::Period { from, to } => Some(days(from.as_deref(), to.as_deref())),
        _ => None,
    });
    let negated = |text: &str| {
        text.split(' ')
            .any(|word| NEGATIONS.contains(&bare(word).as_str()))
    };
    match (&nothing.kind, frame) {
        (
            NothingKind::Zero | NothingKind::NoRows,
            Frame::Count {
                things,
                says: Says::Predicate(says),
            },
        ) if !negated(says) => {
            format!("No {things} {says}.")
        }
        (
            NothingKind::Zero | NothingKind::NoRows,
            Frame::Count {
                things,
                says: Says::Exists { verb, rest },
            },
        ) if !grouped(things) => {
            let rest = if rest.is_empty() {
                String::new()
            } else {
                format!(" {rest}")
            };
            format!("There {verb} no {things}{rest}.")
        }
        (NothingKind::Zero, Frame::Count { things, .. }) => {
            format!("The answer is no {things} (0).")
        }
        (
            NothingKind::NoRows,
            Frame::Which {
                noun,
                is_plural: true,
                says: Says::Predicate(says),
            },
        ) if !negated(says) => {
            format!("No {noun} {says}.")
        }
        (NothingKind::Zero, _) => "The answer is 0.".to_owned(),
        (NothingKind::NotStored, _) => "No value is stored for this.".to_owned(),
        (NothingKind::NoRows | NothingKind::NoValue, _) => {
            format!("Nothing was found{}.", period.unwrap_or_default())
        }
    }
}

/// Whether the things are counted by groups.
fn grouped(things: &str) -> bool {
    things
        .split(' ')
        .any(|word| ["per", "by", "each"].contains(&bare(word).as_str()))
}

fn days(from: Option<&str>, to: Option<&str>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if from == to => format!(" on {from}"),
        (Some(from), Some(to)) => format!(" from {from} to {to}"),
        (Some(from), None) => format!(" from {from} on"),
        (None, Some(to)) => format!(" up to {to}"),
        (None, None) => String::new(),
    }
}

fn said(reason: &Reason) -> Option<String> {
    Some(match reason {
        Reason::Period { .. } => return None,
        Reason::LastDate { column, day } => format!("The last date in {column} is {day}."),
        Reason::FirstDate { column, day } => format!("The first date in {column} is {day}."),
        Reason::Condition { sql, nearest } if nearest.is_empty() => {
            format!("No row meets `{sql}`; without it there are rows.")
        }
        Reason::Condition { sql, nearest } => {
            let values = if nearest.len() == 1 {
                "value is"
            } else {
                "values are"
            };
            format!(
                "No row meets `{sql}`; the nearest {values} {}.",
                nearest.join(", ")
            )
        }
        Reason::GroupCondition(sql) => {
            format!("No group meets `{sql}`; without it there are rows.")
        }
        Reason::Join(sql) => format!("`{sql}` finds no match for any row."),
        Reason::Together(parts) => match parts.as_slice() {
            [only] => format!(
                "Read in order, `{only}` is the first condition after which no row is left."
            ),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
                format!("No row meets {} together.", parts.join(" and "))
            }
        },
        Reason::EmptyTable(table) => format!("The table {table} has no rows that you may see."),
        Reason::NoValues => "There are rows, but none of them has a value.".to_owned(),
    })
}
