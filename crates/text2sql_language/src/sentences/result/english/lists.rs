//! English sentences about lists.

use super::super::frame::{Frame, Says, capital};
use super::super::kinds::{List, Single};
use super::nouns::many;
use super::singles::single;
use super::words::{and, number, spaced};

/// Several rows.
pub(super) fn list(frame: &Frame, list: &List) -> String {
    let members = named_members(list);
    let count = match (list.is_cut, list.count) {
        (true, count) => format!("At least {}", number(count)),
        (false, count) => number(count),
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
            format!("{count} {noun} {says}: {members}.")
        }
        Frame::Count {
            things,
            says: Says::Predicate(says),
        } => format!("{count} {things} {says}: {members}."),
        Frame::Count {
            things,
            says: Says::Exists { verb, rest },
        } => {
            let rest = spaced(rest);
            format!(
                "There {verb} {} {things}{rest}: {members}.",
                count.to_lowercase()
            )
        }
        Frame::Which {
            noun,
            is_plural: true,
            ..
        } if !starts_with_number(noun) => {
            format!("The answer is {} {noun}: {members}.", count.to_lowercase())
        }
        Frame::What { verb, subject } if verb == "are" || verb == "were" => {
            match list.members.len() == list.count && !list.is_cut {
                true => format!("{} {verb} {members}.", capital(subject)),
                false => format!(
                    "{} ({}): {members}.",
                    capital(subject),
                    count.to_lowercase()
                ),
            }
        }
        Frame::What { subject, .. } => format!(
            "{} ({}): {members}.",
            capital(subject),
            count.to_lowercase()
        ),
        Frame::Phrase(phrase) => {
            format!("{} ({}): {members}.", capital(phrase), count.to_lowercase())
        }
        _ => {
            let things = match &list.things {
                Some(things) => format!(" {}", many(things)),
                None if is_one => " result".to_owned(),
                None => " results".to_owned(),
            };
            format!("{count}{things}: {members}.")
        }
    }
}

fn named_members(list: &List) -> String {
    let further = list.count.saturating_sub(list.members.len());
    let mut members = list.members.clone();
    match (further, list.is_cut) {
        (0, false) => and(&members),
        (_, true) => {
            members.push("more".to_owned());
            and(&members)
        }
        (more, false) => {
            members.push(format!("{} more", number(more)));
            and(&members)
        }
    }
}

fn starts_with_number(noun: &str) -> bool {
    let first = noun.split(' ').next().unwrap_or_default().to_lowercase();
    let is_word = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve",
        "twenty",
    ];
    first.starts_with(|c: char| c.is_ascii_digit()) || is_word.contains(&first.as_str())
}
