//! Sentences about lists.

use text2sql_phrases::{say_count, say_in};

use super::super::frame::{Frame, Says, capital};
use super::super::grammar::Words;
use super::super::kinds::{List, Single};
use super::singles::single;
use super::speaker::{Worded, spaced};

/// Several rows.
pub(super) fn list(worded: &Worded, frame: &Frame, list: &List) -> String {
    let (language, members) = (worded.language, named_members(worded, list));
    let number = worded.number(list.count as u64);
    let count = match list.is_cut {
        true => say_in!(language, "at least {number}"),
        false => number,
    };
    let is_one = list.count == 1 && !list.is_cut;
    let said = match frame {
        _ if is_one && list.members.len() == 1 => {
            let only = list.members.first().cloned().unwrap_or_default();
            return single(worded, frame, &Single::name(only));
        }
        Frame::Which {
            noun: things,
            is_plural: true,
            says: Says::Predicate(says),
        } if !starts_with_number(worded, things) => format!("{count} {things} {says}: {members}."),
        Frame::Count {
            things,
            says: Says::Predicate(says),
        } => format!("{count} {things} {says}: {members}."),
        Frame::Count {
            things,
            says: Says::Exists { verb, rest },
        } => say_in!(
            language,
            "There {verb} {count} {things}{rest}: {members}.",
            rest = spaced(rest)
        ),
        Frame::Which {
            noun: things,
            is_plural: true,
            ..
        } if !starts_with_number(worded, things) => {
            say_in!(language, "The answer is {count} {things}: {members}.")
        }
        Frame::What { verb, subject }
            if worded.is(Words::AreMany, verb)
                && list.members.len() == list.count
                && !list.is_cut =>
        {
            format!("{subject} {verb} {members}.")
        }
        Frame::What { subject, .. } | Frame::Phrase(subject) => {
            format!("{subject} ({count}): {members}.")
        }
        _ => match list
            .things
            .as_ref()
            .and_then(|things| worded.grammar.many(things))
        {
            Some(things) => format!("{count} {things}: {members}."),
            None => say_count!(
                language,
                if is_one { 1 } else { list.count.max(2) as u64 },
                "{count} result: {members}.",
                "{count} results: {members}."
            ),
        },
    };
    capital(&said)
}

fn named_members(worded: &Worded, list: &List) -> String {
    let further = list.count.saturating_sub(list.members.len());
    let mut members = list.members.clone();
    match (further, list.is_cut) {
        (0, false) => {}
        (_, true) => members.push(say_in!(worded.language, "members^more")),
        (more, false) => {
            let number = worded.number(more as u64);
            members.push(say_in!(worded.language, "{number} more"));
        }
    }
    worded.and(&members)
}

fn starts_with_number(worded: &Worded, noun: &str) -> bool {
    let first = noun.split(' ').next().unwrap_or_default().to_lowercase();
    first.starts_with(|c: char| c.is_ascii_digit()) || worded.is(Words::Numbers, &first)
}
