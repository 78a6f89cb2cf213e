//! English sentences about a result.

mod frame;
mod groups;
mod lists;
mod nouns;
mod rankings;
mod reasons;

use jiff::civil::Date;

use self::frame::with_article;
use self::nouns::{many, one_of, predicate_of_one};
use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital};
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single, SingleKind};
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

    fn and(&self, parts: &[String]) -> String {
        match parts {
            [front @ .., before, last] => {
                let front: String = front.iter().map(|part| format!("{part}, ")).collect();
                format!("{front}{before} and {last}")
            }
            [only] => only.clone(),
            [] => String::new(),
        }
    }

    fn single(&self, frame: &Frame, single: &Single) -> String {
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
        format!("{}{further}.", self.and(&values))
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

fn spaced(rest: &str) -> String {
    if rest.is_empty() {
        String::new()
    } else {
        format!(" {rest}")
    }
}

fn number(count: usize) -> String {
    grouped(count as u64)
}

fn grouped(count: u64) -> String {
    super::format::grouped(&count.to_string(), Some(','), '.')
}
