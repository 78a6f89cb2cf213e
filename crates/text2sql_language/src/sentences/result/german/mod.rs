//! German sentences about a result. Names of tables and columns are not translated.

mod frame;
mod groups;
mod lists;
mod rankings;
mod reasons;

use jiff::civil::Date;

use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital};
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single, SingleKind};
use super::phrases::Phrases;

/// German.
pub struct German;

const MONTHS: [&str; 12] = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

impl Phrases for German {
    fn frame(&self, question: &str) -> Frame {
        frame::read(question)
    }

    fn separators(&self) -> (Option<char>, char) {
        (Some('.'), ',')
    }

    fn percent(&self, digits: &str) -> String {
        format!("{digits} %")
    }

    fn period(&self, unit: TimeUnit, first: Date) -> String {
        let month = usize::try_from(first.month())
            .ok()
            .and_then(|month| MONTHS.get(month.checked_sub(1)?));
        match unit {
            TimeUnit::Year => first.year().to_string(),
            TimeUnit::Quarter => format!("{}. Quartal {}", (first.month() + 2) / 3, first.year()),
            TimeUnit::Month => format!("{} {}", month.copied().unwrap_or_default(), first.year()),
            TimeUnit::Week => format!("Woche ab {first}"),
            TimeUnit::Day => first.to_string(),
        }
    }

    fn truth(&self, is_true: bool) -> &'static str {
        if is_true { "ja" } else { "nein" }
    }

    fn no_key(&self) -> &'static str {
        "(ohne Angabe)"
    }

    fn and(&self, parts: &[String]) -> String {
        match parts {
            [front @ .., before, last] => {
                let front: String = front.iter().map(|part| format!("{part}, ")).collect();
                format!("{front}{before} und {last}")
            }
            [only] => only.clone(),
            [] => String::new(),
        }
    }

    fn single(&self, frame: &Frame, single: &Single) -> String {
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

    fn row(&self, frame: &Frame, row: &Row) -> String {
        let further = match row.further {
            0 => String::new(),
            1 => "; 1 weitere Spalte".to_owned(),
            more => format!("; {more} weitere Spalten"),
        };
        let values: Vec<String> = row
            .values
            .iter()
            .map(|(label, value)| match value {
                Some(value) => format!("{} {value}", in_german(label)),
                None => format!("{} unbekannt", in_german(label)),
            })
            .collect();
        let values = values.join(", ");
        match (&row.name, frame) {
            (
                Some(name),
                Frame::Which {
                    is_plural: false,
                    says: Says::Predicate(says),
                    ..
                },
            ) => {
                format!("{name} {says}: {values}{further}.")
            }
            (Some(name), Frame::What { verb, subject }) if verb == "ist" || verb == "war" => {
                format!("{} {verb} {name}: {values}{further}.", capital(subject))
            }
            (Some(name), _) => format!("{name}: {values}{further}."),
            (None, _) => format!("{}{further}.", capital(&values)),
        }
    }

    fn list(&self, frame: &Frame, list: &List) -> String {
        lists::list(frame, list)
    }

    fn ranking(&self, frame: &Frame, ranking: &Ranking) -> String {
        rankings::ranking(frame, ranking)
    }

    fn groups(&self, _: &Frame, groups: &Groups) -> String {
        groups::groups(groups)
    }

    fn series(&self, series: &Series) -> String {
        groups::series(series)
    }

    fn nothing(&self, frame: &Frame, nothing: &Nothing) -> String {
        reasons::nothing(frame, nothing)
    }

    fn left_out(&self, rows: u64, first_place: Option<u64>) -> String {
        match (first_place, rows) {
            (Some(equal), _) => {
                format!("{equal} Zeilen teilen sich den ersten Platz: eine davon wird gezeigt")
            }
            (None, 1) => {
                "1 weitere Zeile ist gleichauf mit der letzten und wird nicht gezeigt".to_owned()
            }
            (None, rows) => format!(
                "{rows} weitere Zeilen sind gleichauf mit der letzten und werden nicht gezeigt"
            ),
        }
    }

    fn rows(&self, count: usize, is_cut: bool) -> String {
        match (count, is_cut) {
            (0 | 1, true) => "Mindestens 1 Zeile wurde gefunden.".to_owned(),
            (count, true) => format!("Mindestens {} Zeilen wurden gefunden.", number(count)),
            (1, false) => "1 Zeile wurde gefunden.".to_owned(),
            (count, false) => format!("{} Zeilen wurden gefunden.", number(count)),
        }
    }
}

fn spaced(rest: &str) -> String {
    if rest.is_empty() {
        String::new()
    } else {
        format!(" {rest}")
    }
}

/// The words that the built-in engine puts before the name of a measure.
fn in_german(name: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("number of ", "Anzahl "),
        ("average ", "Durchschnitt von "),
        ("total ", "Summe von "),
        ("minimum ", "Minimum von "),
        ("maximum ", "Maximum von "),
        ("median ", "Median von "),
    ];
    WORDS
        .iter()
        .find_map(|(english, german)| Some(format!("{german}{}", name.strip_prefix(english)?)))
        .unwrap_or_else(|| name.to_owned())
}

fn number(count: usize) -> String {
    grouped(count as u64)
}

fn grouped(count: u64) -> String {
    super::format::grouped(&count.to_string(), Some('.'), ',')
}
