//! Sentences about a result in the words of the catalogue.

mod groups;
mod lists;
mod rankings;
mod reasons;
mod singles;
mod speaker;

use jiff::civil::Date;
use text2sql_phrases::{say_count, say_in};

pub use self::speaker::Worded;
use self::speaker::sign;

use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital};
use super::grammar::Words;
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single};
use super::phrases::Phrases;

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

impl Phrases for Worded {
    fn frame(&self, question: &str) -> Frame {
        self.grammar.frame(question)
    }

    fn separators(&self) -> (Option<char>, char) {
        let thousands = say_in!(self.language, "thousands^,");
        let point = say_in!(self.language, "decimal^.");
        (sign(&thousands), sign(&point).unwrap_or('.'))
    }

    fn percent(&self, digits: &str) -> String {
        say_in!(self.language, "{digits}%")
    }

    fn period(&self, unit: TimeUnit, first: Date) -> String {
        let year = first.year();
        match unit {
            TimeUnit::Year => year.to_string(),
            TimeUnit::Quarter => {
                let quarter = (first.month() + 2) / 3;
                say_in!(self.language, "Q{quarter} {year}")
            }
            TimeUnit::Month => {
                let month = usize::try_from(first.month() - 1).unwrap_or_default();
                let month = MONTHS.get(month).copied().unwrap_or_default();
                let month = say_in!(self.language, month);
                say_in!(self.language, "{month} {year}")
            }
            TimeUnit::Week => say_in!(self.language, "the week from {day}", day = first),
            TimeUnit::Day => first.to_string(),
        }
    }

    fn truth(&self, is_true: bool) -> String {
        match is_true {
            true => say_in!(self.language, "yes"),
            false => say_in!(self.language, "no"),
        }
    }

    fn no_key(&self) -> String {
        say_in!(self.language, "(none)")
    }

    fn single(&self, frame: &Frame, single: &Single) -> String {
        singles::single(self, frame, single)
    }

    fn row(&self, frame: &Frame, row: &Row) -> String {
        let further = match row.further {
            0 => String::new(),
            more => say_count!(
                self.language,
                more as u64,
                "; {more} more column",
                "; {more} more columns"
            ),
        };
        let Some(name) = &row.name else {
            return self.unnamed(row, &further);
        };
        let values: Vec<String> = row
            .values
            .iter()
            .map(|(label, value)| {
                let label = self.measure(label);
                match value {
                    Some(value) => format!("{label} {value}"),
                    None => say_in!(self.language, "no {label}"),
                }
            })
            .collect();
        let values = values.join(", ");
        match frame {
            Frame::Which {
                is_plural: false,
                says: Says::Predicate(says),
                ..
            } => format!("{name} {says}: {values}{further}."),
            Frame::What { verb, subject } if self.is(Words::IsOne, verb) => {
                format!("{} {verb} {name}: {values}{further}.", capital(subject))
            }
            _ => format!("{name}: {values}{further}."),
        }
    }

    fn list(&self, frame: &Frame, list: &List) -> String {
        lists::list(self, frame, list)
    }

    fn ranking(&self, frame: &Frame, ranking: &Ranking) -> String {
        rankings::ranking(self, frame, ranking)
    }

    fn groups(&self, _: &Frame, groups: &Groups) -> String {
        groups::groups(self, groups)
    }

    fn series(&self, series: &Series) -> String {
        groups::series(self, series)
    }

    fn nothing(&self, frame: &Frame, nothing: &Nothing) -> String {
        reasons::nothing(self, frame, nothing)
    }

    fn left_out(&self, rows: u64, first_place: Option<u64>) -> String {
        match first_place {
            Some(equal) => say_in!(
                self.language,
                "{equal} rows share the first place: one of them is shown"
            ),
            None => say_count!(
                self.language,
                rows,
                "{rows} more row is equal to the last one and is not shown",
                "{rows} more rows are equal to the last one and are not shown"
            ),
        }
    }

    fn rows(&self, count: usize, is_cut: bool) -> String {
        let count = count as u64;
        match is_cut {
            // A limit reached before the first row still means that there is one.
            true => say_count!(
                self.language,
                count.max(1),
                "At least {rows} row was found.",
                "At least {rows} rows were found.",
                rows = self.number(count.max(1))
            ),
            false => say_count!(
                self.language,
                count,
                "{rows} row was found.",
                "{rows} rows were found.",
                rows = self.number(count)
            ),
        }
    }
}
