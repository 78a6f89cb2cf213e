//! German sentences about lists.

use super::super::frame::{Frame, Says, capital};
use super::super::kinds::{List, Single};
use super::singles::single;
use super::words::{and, number, spaced};

/// Several rows.
pub(super) fn list(frame: &Frame, list: &List) -> String {
    let members = named_members(list);
    let count = match list.is_cut {
        true => format!("mindestens {}", number(list.count)),
        false => number(list.count),
    };
    let is_one = list.count == 1 && !list.is_cut;
    match frame {
        _ if is_one && list.members.len() == 1 => {
            let only = list.members.first().cloned().unwrap_or_default();
            single(frame, &Single::name(only))
        }
        Frame::Which {
            noun,
            is_plural: true,
            says: Says::Predicate(says),
        } if !starts_with_number(noun) => {
            format!("{} {noun} {says}: {members}.", capital(&count))
        }
        Frame::Count {
            things,
            says: Says::Predicate(says),
        } => format!("{} {things} {says}: {members}.", capital(&count)),
        Frame::Count {
            things,
            says: Says::Exists { verb, rest },
        } => {
            format!("Es {verb} {count} {things}{}: {members}.", spaced(rest))
        }
        Frame::Which {
            noun,
            is_plural: true,
            ..
        } if !starts_with_number(noun) => {
            format!("Die Antwort sind {count} {noun}: {members}.")
        }
        Frame::What { verb, subject } if verb == "sind" || verb == "waren" => {
            match list.members.len() == list.count && !list.is_cut {
                true => format!("{} {verb} {members}.", capital(subject)),
                false => format!("{} ({count}): {members}.", capital(subject)),
            }
        }
        Frame::What { subject, .. } => format!("{} ({count}): {members}.", capital(subject)),
        Frame::Phrase(phrase) => format!("{} ({count}): {members}.", capital(phrase)),
        _ => format!("{} Treffer: {members}.", capital(&count)),
    }
}

fn named_members(list: &List) -> String {
    let further = list.count.saturating_sub(list.members.len());
    let mut members = list.members.clone();
    match (further, list.is_cut) {
        (0, false) => and(&members),
        (_, true) => {
            members.push("weitere".to_owned());
            and(&members)
        }
        (more, false) => {
            members.push(format!("{} weitere", number(more)));
            and(&members)
        }
    }
}

fn starts_with_number(noun: &str) -> bool {
    let first = noun.split(' ').next().unwrap_or_default().to_lowercase();
    let words = [
        "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "zwölf",
        "zwanzig",
    ];
    first.starts_with(|c: char| c.is_ascii_digit()) || words.contains(&first.as_str())
}
