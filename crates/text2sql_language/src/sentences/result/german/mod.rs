//! German sentences about a result. Names of tables and columns are not translated.

mod frame;
mod groups;
mod lists;
mod rankings;
mod reasons;
mod singles;
mod words;

use jiff::civil::Date;

use self::words::{in_german, number};
use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital};
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single};
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

    fn single(&self, frame: &Frame, single: &Single) -> String {
        singles::single(frame, single)
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
