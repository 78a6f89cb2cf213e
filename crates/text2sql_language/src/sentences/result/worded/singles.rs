//! Sentences about one value.

use text2sql_phrases::say_in;

use super::super::frame::{Frame, Says, capital};
use super::super::grammar::Words;
use super::super::kinds::{Single, SingleKind};
use super::speaker::{Worded, spaced};

/// One value.
pub(super) fn single(worded: &Worded, frame: &Frame, single: &Single) -> String {
    let (language, value) = (worded.language, &single.value);
    let label = single.label.as_ref().map(|label| worded.measure(label));
    match (frame, single.kind, label) {
        (Frame::Count { things, says }, SingleKind::Number(1), _) => {
            one(worded, things, says, value)
        }
        (Frame::Count { things, says }, SingleKind::Number(_), _) => match says {
            Says::Predicate(says) => format!("{value} {things} {says}."),
            Says::Exists { verb, rest } => say_in!(
                language,
                "There {verb} {value} {things}{rest}.",
                rest = spaced(rest)
            ),
            Says::Inverted => say_in!(language, "The answer is {value} {things}."),
        },
        (Frame::YesNo, SingleKind::Truth(true), _) => say_in!(language, "Yes."),
        (Frame::YesNo, SingleKind::Truth(false), _) => say_in!(language, "No."),
        (
            Frame::Which {
                is_plural,
                says: Says::Predicate(says),
                ..
            },
            SingleKind::Name | SingleKind::Time | SingleKind::Number(_),
            _,
        ) => {
            let says = match is_plural {
                true => worded.grammar.predicate_of_one(says),
                false => Some(says.clone()),
            };
            match says {
                Some(says) => format!("{value} {says}."),
                None => say_in!(language, "Only {value}."),
            }
        }
        (Frame::What { verb, subject }, _, _) if worded.is(Words::IsOne, verb) => {
            format!("{} {verb} {value}.", capital(subject))
        }
        (Frame::What { subject, .. }, _, _) => format!("{}: {value}.", capital(subject)),
        (Frame::Phrase(phrase), SingleKind::Number(_) | SingleKind::Amount, _) => {
            match worded.grammar.as_subject(phrase) {
                Some(subject) => say_in!(language, "{subject} is {value}."),
                None => format!("{}: {value}.", capital(phrase)),
            }
        }
        (Frame::Phrase(phrase), _, _) => format!("{}: {value}.", capital(phrase)),
        (_, SingleKind::Time, Some(label)) => {
            say_in!(language, "time^The {label} is {value}.")
        }
        (_, SingleKind::Time, None) => say_in!(language, "The date is {value}."),
        (_, SingleKind::Number(_) | SingleKind::Amount, Some(label)) => {
            capital(&say_in!(language, "The {label} is {value}."))
        }
        (_, SingleKind::Number(_) | SingleKind::Amount, None) => {
            say_in!(language, "The answer is {value}.")
        }
        (_, SingleKind::Truth(_), Some(label)) => format!("{}: {value}.", capital(&label)),
        (_, SingleKind::Truth(_), None) => say_in!(language, "The answer: {value}."),
        (_, SingleKind::Name, _) => say_in!(language, "It is {value}."),
    }
}

/// "How many films have rating R" where there is one.
fn one(worded: &Worded, things: &str, says: &Says, value: &str) -> String {
    let (language, grammar) = (worded.language, worded.grammar);
    let Some(thing) = grammar.one_of(things) else {
        return say_in!(language, "The answer is {value}.");
    };
    let of_one = |verb: &str| grammar.predicate_of_one(verb);
    match says {
        Says::Predicate(says) => match of_one(says) {
            Some(says) => format!("{value} {thing} {says}."),
            None => say_in!(language, "The answer is {value} {things}.", things = thing),
        },
        Says::Exists { verb, rest } => say_in!(
            language,
            "There {verb} {value} {things}{rest}.",
            verb = of_one(verb).unwrap_or_else(|| verb.clone()),
            things = thing,
            rest = spaced(rest)
        ),
        Says::Inverted => say_in!(language, "The answer is {value} {things}.", things = thing),
    }
}
