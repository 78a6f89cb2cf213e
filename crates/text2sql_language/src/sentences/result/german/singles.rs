//! German sentences about one value.

use super::super::frame::{Frame, Says, capital};
use super::super::kinds::{Single, SingleKind};
use super::words::{in_german, spaced};

/// One value.
pub(super) fn single(frame: &Frame, single: &Single) -> String {
    let value = &single.value;
    match (frame, single.kind) {
        (Frame::Count { .. }, SingleKind::Number(1)) => "Die Antwort ist 1.".to_owned(),
        (Frame::Count { things, says }, SingleKind::Number(_)) => match says {
            Says::Predicate(says) => format!("{value} {things} {says}."),
            Says::Exists { verb, rest } => {
                format!("Es {verb} {value} {things}{}.", spaced(rest))
            }
            Says::Inverted => format!("Die Antwort ist {value} {things}."),
        },
        (Frame::YesNo, SingleKind::Truth(is_true)) => match is_true {
            true => "Ja.".to_owned(),
            false => "Nein.".to_owned(),
        },
        (
            Frame::Which {
                is_plural: false,
                says: Says::Predicate(says),
                ..
            },
            SingleKind::Name | SingleKind::Time | SingleKind::Number(_),
        ) => {
            format!("{value} {says}.")
        }
        (Frame::Which { .. }, _) => format!("Es ist nur {value}."),
        (Frame::What { verb, subject }, _) if verb == "ist" || verb == "war" => {
            format!("{} {verb} {value}.", capital(subject))
        }
        (Frame::What { subject, .. }, _) => format!("{}: {value}.", capital(subject)),
        (Frame::Phrase(phrase), _) => format!("{}: {value}.", capital(phrase)),
        (_, SingleKind::Time) => format!("Das Datum ist {value}."),
        (_, SingleKind::Number(_) | SingleKind::Amount | SingleKind::Truth(_)) => {
            match &single.label {
                Some(label) => format!("{}: {value}.", capital(&in_german(label))),
                None => format!("Die Antwort ist {value}."),
            }
        }
        (_, SingleKind::Name) => format!("Es ist {value}."),
    }
}
