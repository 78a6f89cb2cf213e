//! English sentences about one value.

use super::super::frame::{Frame, Says, capital};
use super::super::kinds::{Single, SingleKind};
use super::frame::with_article;
use super::nouns::{one_of, predicate_of_one};
use super::words::spaced;

/// One value.
pub(super) fn single(frame: &Frame, single: &Single) -> String {
    let value = &single.value;
    match (frame, single.kind) {
        (Frame::Count { things, says }, SingleKind::Number(number)) => {
            counted(things, says, number, value)
        }
        (Frame::YesNo, SingleKind::Truth(is_true)) => match is_true {
            true => "Yes.".to_owned(),
            false => "No.".to_owned(),
        },
        (
            Frame::Which {
                is_plural,
                says: Says::Predicate(says),
                ..
            },
            SingleKind::Name | SingleKind::Time | SingleKind::Number(_),
        ) => {
            let says = match is_plural {
                true => predicate_of_one(says),
                false => Some(says.clone()),
            };
            says.map_or_else(
                || format!("Only {value}."),
                |says| format!("{value} {says}."),
            )
        }
        (Frame::What { verb, subject }, _) if verb == "is" || verb == "was" => {
            format!("{} {verb} {value}.", capital(subject))
        }
        (Frame::What { subject, .. }, _) => format!("{}: {value}.", capital(subject)),
        (Frame::Phrase(phrase), SingleKind::Number(_) | SingleKind::Amount) => {
            let subject = with_article(phrase);
            match subject.starts_with("The ") {
                true => format!("{subject} is {value}."),
                false => format!("{subject}: {value}."),
            }
        }
        (Frame::Phrase(phrase), _) => format!("{}: {value}.", capital(phrase)),
        (_, SingleKind::Time) => format!(
            "The {} is {value}.",
            single.label.as_deref().unwrap_or("date")
        ),
        (_, SingleKind::Number(_) | SingleKind::Amount) => {
            format!(
                "The {} is {value}.",
                single.label.as_deref().unwrap_or("answer")
            )
        }
        (_, SingleKind::Truth(_)) => {
            let label = single.label.as_deref().unwrap_or("The answer");
            format!("{}: {value}.", capital(label))
        }
        (_, SingleKind::Name) => format!("It is {value}."),
    }
}

/// "How many films have rating R" with its number.
fn counted(things: &str, says: &Says, number: i64, value: &str) -> String {
    match (says, number) {
        (Says::Predicate(says), 1) => match predicate_of_one(says) {
            Some(says) => format!("1 {} {says}.", one_of(things)),
            None => format!("The answer is 1 {}.", one_of(things)),
        },
        (Says::Predicate(says), _) => format!("{value} {things} {says}."),
        (Says::Exists { verb, rest }, 1) => {
            let verb = if verb == "were" || verb == "was" {
                "was"
            } else {
                "is"
            };
            format!("There {verb} 1 {}{}.", one_of(things), spaced(rest))
        }
        (Says::Exists { verb, rest }, _) => {
            format!("There {verb} {value} {things}{}.", spaced(rest))
        }
        (Says::Inverted, 1) => format!("The answer is 1 {}.", one_of(things)),
        (Says::Inverted, _) => format!("The answer is {value} {things}."),
    }
}
