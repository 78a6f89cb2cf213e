//! Sentences about a result in the words of the catalogue.

mod groups;
mod lists;
mod rankings;
mod reasons;
mod singles;

use jiff::civil::Date;
use text2sql_phrases::{Language, retold, say_count, say_in};

use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital};
use super::grammar::{Grammar, Words};
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single};
use super::phrases::Phrases;

/// A language of the catalogue, with what is known of the words of its questions.
pub struct Worded {
    /// Its language.
    pub language: Language,
    /// Its grammar.
    pub grammar: &'static dyn Grammar,
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

impl Worded {
    /// The parts of an enumeration.
    fn and(&self, parts: &[String]) -> String {
        match parts {
            [front @ .., last] if !front.is_empty() => {
                let front = front.join(", ");
                say_in!(self.language, "{front} and {last}", front, last)
            }
            parts => parts.concat(),
        }
    }

    /// A number with its separators.
    fn number(&self, count: u64) -> String {
        let (thousands, point) = self.separators();
        super::format::grouped(&count.to_string(), thousands, point)
    }

    /// The name of a measure: the built-in engine writes "number of" and the like in English.
    fn measure(&self, name: &str) -> String {
        retold(self.language, "measure", name)
    }

    /// Whether a verb of the question is "is" or "are".
    fn is(&self, kind: Words, verb: &str) -> bool {
        self.grammar.words(kind).contains(&verb)
    }

    /// A row with several values, as the sentence of its name or of its own.
    fn unnamed(&self, row: &Row, further: &str) -> String {
        let parts: Vec<String> = row
            .values
            .iter()
            .map(|(label, value)| {
                let label = self.measure(label);
                match value {
                    Some(value) => {
                        say_in!(self.language, "row^the {label} is {value}", label, value)
                    }
                    None => say_in!(self.language, "row^the {label} is not known", label),
                }
            })
            .collect();
        let parts = match parts.as_slice() {
            [front @ .., last] if !front.is_empty() => {
                let front = front.join(", ");
                say_in!(self.language, "row^{front} and {last}", front, last)
            }
            parts => parts.concat(),
        };
        format!("{}{further}.", capital(&parts))
    }
}

/// What follows the things, with the space before it.
fn spaced(rest: &str) -> String {
    match rest.is_empty() {
        true => String::new(),
        false => format!(" {rest}"),
    }
}

/// The sign that a language writes in numbers.
fn sign(text: &str) -> Option<char> {
    text.chars().next()
}

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
        say_in!(self.language, "{digits}%", digits)
    }

    fn period(&self, unit: TimeUnit, first: Date) -> String {
        let year = first.year();
        match unit {
            TimeUnit::Year => year.to_string(),
            TimeUnit::Quarter => {
                let quarter = (first.month() + 2) / 3;
                say_in!(self.language, "Q{quarter} {year}", quarter, year)
            }
            TimeUnit::Month => {
                let month = usize::try_from(first.month() - 1).unwrap_or_default();
                let month = MONTHS.get(month).copied().unwrap_or_default();
                let month = say_in!(self.language, month);
                say_in!(self.language, "{month} {year}", month, year)
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
                "; {more} more columns",
                more
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
                    None => say_in!(self.language, "no {label}", label),
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
                "{equal} rows share the first place: one of them is shown",
                equal
            ),
            None => say_count!(
                self.language,
                rows,
                "{rows} more row is equal to the last one and is not shown",
                "{rows} more rows are equal to the last one and are not shown",
                rows
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
