//! English sentences about a result.

mod frame;
mod groups;
mod lists;
mod nouns;
mod rankings;
mod reasons;
mod singles;
mod words;

use jiff::civil::Date;

use self::nouns::many;
use self::words::{and, number};
use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital};
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single};
use super::phrases::Phrases;

/// English.
pub struct English;

/// A noun in the plural.
pub(super) fn plural(noun: &str) -> String {
    many(noun)
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Phrases for English {
    fn frame(&self, question: &str) -> Frame {
        frame::read(question)
    }

    fn separators(&self) -> (Option<char>, char) {
        (Some(','), '.')
    }

    fn percent(&self, digits: &str) -> String {
        format!("{digits}%")
    }

    fn period(&self, unit: TimeUnit, first: Date) -> String {
        let month = usize::try_from(first.month())
            .ok()
            .and_then(|month| MONTHS.get(month.checked_sub(1)?));
        match unit {
            TimeUnit::Year => first.year().to_string(),
            TimeUnit::Quarter => format!("Q{} {}", (first.month() + 2) / 3, first.year()),
            TimeUnit::Month => format!("{} {}", month.copied().unwrap_or_default(), first.year()),
            TimeUnit::Week => format!("the week from {first}"),
            TimeUnit::Day => first.to_string(),
        }
    }

    fn truth(&self, is_true: bool) -> &'static str {
        if is_true { "yes" } else { "no" }
    }

    fn no_key(&self) -> &'static str {
        "(none)"
    }

    fn single(&self, frame: &Frame, single: &Single) -> String {
        singles::single(frame, single)
    }

    fn row(&self, frame: &Frame, row: &Row) -> String {
        let further = match row.further {
            0 => String::new(),
            1 => "; 1 more column".to_owned(),
            more => format!("; {more} more columns"),
        };
        let said = |(label, value): &(String, Option<String>)| match value {
            Some(value) => format!("{label} {value}"),
            None => format!("no {label}"),
        };
        if let Some(name) = &row.name {
            let values = row.values.iter().map(said).collect::<Vec<_>>().join(", ");
            return match frame {
                Frame::Which {
                    is_plural: false,
                    says: Says::Predicate(says),
                    ..
                } => {
                    format!("{name} {says}: {values}{further}.")
                }
                Frame::What { verb, subject } if verb == "is" || verb == "was" => {
                    format!("{} {verb} {name}: {values}{further}.", capital(subject))
                }
                _ => format!("{name}: {values}{further}."),
            };
        }
        let values: Vec<String> = row
            .values
            .iter()
            .enumerate()
            .map(|(at, (label, value))| {
                let article = if at == 0 { "The" } else { "the" };
                match value {
                    Some(value) => format!("{article} {label} is {value}"),
                    None => format!("{article} {label} is not known"),
                }
            })
            .collect();
        format!("{}{further}.", and(&values))
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
            (Some(equal), _) => format!("{equal} rows share the first place: one of them is shown"),
            (None, 1) => "1 more row is equal to the last one and is not shown".to_owned(),
            (None, rows) => format!("{rows} more rows are equal to the last one and are not shown"),
        }
    }

    fn rows(&self, count: usize, is_cut: bool) -> String {
        let rows = if count == 1 { "row" } else { "rows" };
        match is_cut {
            // A limit reached before the first row still means that there is one.
            true if count <= 1 => "At least 1 row was found.".to_owned(),
            true => format!("At least {} rows were found.", number(count)),
            false if count == 1 => "1 row was found.".to_owned(),
            false => format!("{} {rows} were found.", number(count)),
        }
    }
}
