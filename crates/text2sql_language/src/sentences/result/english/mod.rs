//! English sentences about a result.

mod frame;
mod nouns;
mod reasons;

use jiff::civil::Date;

use self::frame::with_article;
use self::nouns::{is_plural, many, one_of, predicate_of_one};
use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital, named, says, words_after};
use super::kinds::{
    Change, Extreme, Figure, Groups, List, Measure, Next, Nothing, Point, Ranking, Row, Series,
    Single, SingleKind,
};
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
        let members = named_members(self, list);
        let count = match (list.is_cut, list.count) {
            (true, count) => format!("At least {}", number(count)),
            (false, count) => number(count),
        };
        let is_one = list.count == 1 && !list.is_cut;
        match frame {
            _ if is_one && list.members.len() == 1 => {
                let only = list.members.first().cloned().unwrap_or_default();
                self.single(frame, &Single::name(only))
            }
            Frame::Which {
                noun,
                is_plural: true,
                says: Says::Predicate(says),
            } if !starts_with_number(noun) => {
                format!("{count} {noun} {says}: {members}.")
            }
            Frame::Count {
                things,
                says: Says::Predicate(says),
            } => format!("{count} {things} {says}: {members}."),
            Frame::Count {
                things,
                says: Says::Exists { verb, rest },
            } => {
                let rest = spaced(rest);
                format!(
                    "There {verb} {} {things}{rest}: {members}.",
                    count.to_lowercase()
                )
            }
            Frame::Which {
                noun,
                is_plural: true,
                ..
            } if !starts_with_number(noun) => {
                format!("The answer is {} {noun}: {members}.", count.to_lowercase())
            }
            Frame::What { verb, subject } if verb == "are" || verb == "were" => {
                match list.members.len() == list.count && !list.is_cut {
                    true => format!("{} {verb} {members}.", capital(subject)),
                    false => format!(
                        "{} ({}): {members}.",
                        capital(subject),
                        count.to_lowercase()
                    ),
                }
            }
            Frame::What { subject, .. } => format!(
                "{} ({}): {members}.",
                capital(subject),
                count.to_lowercase()
            ),
            Frame::Phrase(phrase) => {
                format!("{} ({}): {members}.", capital(phrase), count.to_lowercase())
            }
            _ => {
                let things = match &list.things {
                    Some(things) => format!(" {}", many(things)),
                    None if is_one => " result".to_owned(),
                    None => " results".to_owned(),
                };
                format!("{count}{things}: {members}.")
            }
        }
    }

    fn ranking(&self, frame: &Frame, ranking: &Ranking) -> String {
        let known = ranking.figure.clone().map(|known| named_by(frame, known));
        let figure = known.as_ref().map(figure);
        let with = figure
            .as_ref()
            .map_or_else(String::new, |figure| format!(" with {figure}"));
        let others = match (ranking.others.as_slice(), ranking.further) {
            ([], 0) => String::new(),
            ([], more) => format!("; {} more follow", number(more)),
            (others, 0) => format!("; then {}", self.and(others)),
            (others, more) => format!("; then {} and {} more", others.join(", "), number(more)),
        };
        let rest = next(ranking);
        match (ranking.leaders.as_slice(), ranking.equal) {
            ([name], Some(1)) => match frame {
                Frame::Which {
                    is_plural: false,
                    says: Says::Predicate(says),
                    ..
                } if ranking.rows == 1 => {
                    format!("{name} {says}{}{rest}.", after(known.as_ref(), says))
                }
                Frame::What { verb, subject }
                    if (verb == "is" || verb == "was") && ranking.rows == 1 =>
                {
                    format!(
                        "{} {verb} {name}{}{rest}.",
                        capital(subject),
                        after(known.as_ref(), subject)
                    )
                }
                _ => format!("{name} comes first{with}{rest}{others}."),
            },
            ([name], None) => {
                format!("{name} is the first row{with}; others may be equal{others}.")
            }
            (names, Some(equal)) if names.len() as u64 == equal => {
                format!(
                    "{} share the first place{}{rest}{others}.",
                    self.and(names),
                    each(&with)
                )
            }
            ([name], Some(equal)) => {
                format!(
                    "{name} is one of {} that share the first place{}.",
                    grouped(equal),
                    each(&with)
                )
            }
            (names, Some(equal)) => format!(
                "{} are among {} that share the first place{}{rest}.",
                self.and(names),
                grouped(equal),
                each(&with)
            ),
            (names, None) => format!("{}{with}.", self.and(names)),
        }
    }

    fn groups(&self, _: &Frame, groups: &Groups) -> String {
        let heading = heading(&groups.measure, &groups.keys);
        if !groups.all.is_empty() {
            let parts: Vec<String> = groups
                .all
                .iter()
                .map(|(name, value, share)| match share {
                    Some(share) => format!("{} ({share})", named(name, value)),
                    None => named(name, value),
                })
                .collect();
            let total = groups
                .total
                .as_ref()
                .map_or_else(String::new, |total| format!("; {total} in all"));
            return format!("{heading}: {}{total}.", self.and(&parts));
        }
        let things = match groups.keys.as_slice() {
            [key] => many(key),
            _ => "groups".to_owned(),
        };
        let count = number(groups.count);
        let Some(lowest) = &groups.lowest else {
            return format!(
                "{heading}: each of the {count} {things} has {}.",
                groups.highest.value
            );
        };
        let share = |extreme: &Extreme| match (&extreme.share, &groups.total) {
            (Some(share), Some(_)) => format!(" ({share})"),
            _ => String::new(),
        };
        let end = match (&groups.total, groups.is_cut) {
            (Some(total), _) => format!("; {total} in all, in {count} {things}"),
            (None, true) => format!("; {count} {things} are shown"),
            (None, false) => format!("; {count} {things}"),
        };
        format!(
            "{heading}: {} highest{}{}, {} lowest{}{}{end}.",
            extreme(self, &groups.highest),
            with_value(&groups.highest),
            share(&groups.highest),
            extreme(self, lowest),
            with_value(lowest),
            share(lowest),
        )
    }

    fn series(&self, series: &Series) -> String {
        let heading = heading(&series.measure, &[unit(series.unit, false).to_owned()]);
        let mut parts = Vec::new();
        let change = |change: &Change| {
            let percent = change
                .percent
                .as_ref()
                .map_or_else(String::new, |percent| format!(" ({percent})"));
            match change.direction {
                std::cmp::Ordering::Greater => format!("{}{percent} more than", change.difference),
                std::cmp::Ordering::Less => format!("{}{percent} less than", change.difference),
                std::cmp::Ordering::Equal => "as much as".to_owned(),
            }
        };
        let last = &series.last;
        let in_period = |point: &Point| format!("in {}", point.period);
        let before = series
            .before
            .as_ref()
            .map_or_else(String::new, |(point, how)| {
                format!(", {} {} ({})", change(how), in_period(point), point.value)
            });
        if let Some(now) = &series.unfinished {
            parts.push(format!(
                "{} so far {}, which is not over; {} {}{before}",
                now.value,
                in_period(now),
                last.value,
                in_period(last)
            ));
        } else {
            parts.push(format!("{} {}{before}", last.value, in_period(last)));
        }
        if let Some((first, how)) = &series.first {
            let amount = how.percent.as_ref().unwrap_or(&how.difference);
            let trend = match how.direction {
                std::cmp::Ordering::Greater => {
                    format!("{amount} more than in {} ({})", first.period, first.value)
                }
                std::cmp::Ordering::Less => {
                    format!("{amount} less than in {} ({})", first.period, first.value)
                }
                std::cmp::Ordering::Equal => {
                    format!("the same as in {} ({})", first.period, first.value)
                }
            };
            parts.push(format!(
                "that is {trend}, the first {}",
                unit(series.unit, false)
            ));
        }
        let mut extremes = Vec::new();
        extremes.extend(
            series
                .highest
                .as_ref()
                .map(|point| format!("highest {} ({})", in_period(point), point.value)),
        );
        extremes.extend(
            series
                .lowest
                .as_ref()
                .map(|point| format!("lowest {} ({})", in_period(point), point.value)),
        );
        if !extremes.is_empty() {
            parts.push(extremes.join(", "));
        }
        let units = unit(series.unit, series.count != 1);
        parts.extend(
            series
                .total
                .as_ref()
                .map(|total| format!("{total} in all {} {units}", series.count)),
        );
        format!("{heading}: {}.", parts.join("; "))
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

fn starts_with_number(noun: &str) -> bool {
    let first = noun.split(' ').next().unwrap_or_default().to_lowercase();
    let is_word = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve",
        "twenty",
    ];
    first.starts_with(|c: char| c.is_ascii_digit()) || is_word.contains(&first.as_str())
}

fn named_members(phrases: &English, list: &List) -> String {
    let further = list.count.saturating_sub(list.members.len());
    let mut members = list.members.clone();
    match (further, list.is_cut) {
        (0, false) => phrases.and(&members),
        (_, true) => {
            members.push("more".to_owned());
            phrases.and(&members)
        }
        (more, false) => {
            members.push(format!("{} more", number(more)));
            phrases.and(&members)
        }
    }
}

fn figure(figure: &Figure) -> String {
    let value = &figure.value;
    match &figure.of {
        Measure::Things(things) if figure.is_one => format!("{value} {}", one_of(things)),
        Measure::Things(things) => format!("{value} {things}"),
        Measure::Count => value.clone(),
        Measure::Named(name) => format!("{name} {value}"),
    }
}

/// The figure of a count with the word of the question: "the most films".
fn named_by(frame: &Frame, figure: Figure) -> Figure {
    let things = match figure.of {
        Measure::Count | Measure::Things(_) => {
            words_after(frame.statement(), &["most", "fewest"], |word| {
                is_plural(&word.to_lowercase())
            })
        }
        Measure::Named(_) => None,
    };
    match things {
        Some(things) => Figure {
            of: Measure::Things(things),
            ..figure
        },
        None => figure,
    }
}

/// The figure after a statement, without the words that the statement has.
fn after(known: Option<&Figure>, statement: &str) -> String {
    match known {
        Some(Figure {
            value,
            of: Measure::Things(name) | Measure::Named(name),
            ..
        }) if says(statement, name) => {
            format!(": {value}")
        }
        Some(known) => format!(": {}", figure(known)),
        None => String::new(),
    }
}

fn each(with: &str) -> String {
    if with.is_empty() {
        String::new()
    } else {
        format!("{with} each")
    }
}

fn next(ranking: &Ranking) -> String {
    let Some(Next { name, value, gap }) = &ranking.next else {
        return String::new();
    };
    let more = if ranking.is_descending {
        "more"
    } else {
        "less"
    };
    match gap {
        Some(gap) => format!(", {gap} {more} than {name} ({value})"),
        None => format!(", before {name} ({value})"),
    }
}

fn extreme(phrases: &English, extreme: &Extreme) -> String {
    let verb = if extreme.equal == 1 { "is" } else { "are" };
    match extreme.names.len() == extreme.equal {
        true => format!("{} {verb}", phrases.and(&extreme.names)),
        false => format!("{} of them {verb}", number(extreme.equal)),
    }
}

fn with_value(extreme: &Extreme) -> String {
    match extreme.equal {
        1 => format!(" with {}", extreme.value),
        _ => format!(" with {} each", extreme.value),
    }
}

/// "Total revenue by status"
fn heading(measure: &Measure, keys: &[String]) -> String {
    let measure = match measure {
        Measure::Things(things) => format!("number of {things}"),
        Measure::Count => "number".to_owned(),
        Measure::Named(name) => name.clone(),
    };
    format!("{} by {}", capital(&measure), English.and(keys))
}

fn unit(unit: TimeUnit, is_plural: bool) -> &'static str {
    match (unit, is_plural) {
        (TimeUnit::Year, false) => "year",
        (TimeUnit::Year, true) => "years",
        (TimeUnit::Quarter, false) => "quarter",
        (TimeUnit::Quarter, true) => "quarters",
        (TimeUnit::Month, false) => "month",
        (TimeUnit::Month, true) => "months",
        (TimeUnit::Week, false) => "week",
        (TimeUnit::Week, true) => "weeks",
        (TimeUnit::Day, false) => "day",
        (TimeUnit::Day, true) => "days",
    }
}

fn number(count: usize) -> String {
    grouped(count as u64)
}

fn grouped(count: u64) -> String {
    super::format::grouped(&count.to_string(), Some(','), '.')
}
