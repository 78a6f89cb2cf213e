//! Why nothing was found, in German.

use super::super::facts::Reason;
use super::super::frame::{Frame, Says, bare};
use super::super::kinds::{Nothing, NothingKind};

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
        text.split(' ').any(|word| {
            let word = bare(word);
            ["nie", "nicht", "niemals", "ohne"].contains(&word.as_str()) || word.starts_with("kein")
        })
    };
    match (&nothing.kind, frame) {
        (
            NothingKind::Zero | NothingKind::NoRows,
            Frame::Count {
                things,
                says: Says::Predicate(says),
            },
        ) if !negated(says) => {
            format!("Keine {things} {says}.")
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
            format!("Es {verb} keine {things}{rest}.")
        }
        (
            NothingKind::NoRows,
            Frame::Which {
                noun,
                is_plural: true,
                says: Says::Predicate(says),
            },
        ) if !negated(says) => {
            format!("Keine {noun} {says}.")
        }
        (NothingKind::Zero, _) => "Die Antwort ist 0.".to_owned(),
        (NothingKind::NotStored, _) => "Dafür ist kein Wert gespeichert.".to_owned(),
        (NothingKind::NoRows | NothingKind::NoValue, _) => {
            format!("Es wurde nichts gefunden{}.", period.unwrap_or_default())
        }
    }
}

/// Whether the things are counted by groups.
fn grouped(things: &str) -> bool {
    things
        .split(' ')
        .any(|word| ["je", "pro", "nach"].contains(&bare(word).as_str()))
}

fn days(from: Option<&str>, to: Option<&str>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if from == to => format!(" am {from}"),
        (Some(from), Some(to)) => format!(" von {from} bis {to}"),
        (Some(from), None) => format!(" ab {from}"),
        (None, Some(to)) => format!(" bis {to}"),
        (None, None) => String::new(),
    }
}

fn said(reason: &Reason) -> Option<String> {
    Some(match reason {
        Reason::Period { .. } => return None,
        Reason::LastDate { column, day } => format!("Das letzte Datum in {column} ist {day}."),
        Reason::FirstDate { column, day } => format!("Das erste Datum in {column} ist {day}."),
        Reason::Condition { sql, nearest } if nearest.is_empty() => {
            format!("Keine Zeile erfüllt `{sql}`; ohne diese Bedingung gibt es Zeilen.")
        }
        Reason::Condition { sql, nearest } => {
            format!(
                "Keine Zeile erfüllt `{sql}`; am nächsten kommen {}.",
                nearest.join(", ")
            )
        }
        Reason::GroupCondition(sql) => {
            format!("Keine Gruppe erfüllt `{sql}`; ohne diese Bedingung gibt es Zeilen.")
        }
        Reason::Join(sql) => format!("`{sql}` findet zu keiner Zeile eine passende."),
        Reason::Together(parts) => match parts.as_slice() {
            [only] => format!(
                "Der Reihe nach ist `{only}` die erste Bedingung, nach der keine Zeile übrig ist."
            ),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
                format!("Keine Zeile erfüllt {} zugleich.", parts.join(" und "))
            }
        },
        Reason::EmptyTable(table) => {
            format!("Die Tabelle {table} hat keine Zeilen, die Sie sehen dürfen.")
        }
        Reason::NoValues => "Es gibt Zeilen, aber keine von ihnen hat einen Wert.".to_owned(),
    })
}
