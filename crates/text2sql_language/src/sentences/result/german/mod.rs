//! German sentences about a result. Names of tables and columns are not translated.

mod frame;
mod reasons;

use jiff::civil::Date;

use super::facts::TimeUnit;
use super::frame::{Frame, Says, capital, named, says, words_after};
use super::kinds::{
    Change, Extreme, Figure, Groups, List, Measure, Next, Nothing, Ranking, Row, Series, Single,
    SingleKind,
};
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
        let members = named_members(self, list);
        let count = match list.is_cut {
            true => format!("mindestens {}", number(list.count)),
            false => number(list.count),
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
                format!("{} {noun} {says}: {members}.", capital(&count))
            }
            Frame::Count {
                things,
                says: Says::Predicate(says),
            } => format!("{} {things} {says}: {members}.", capital(&count)),
            Frame::Count {
                things,
                says: Says::Exists { verb, rest },
            } => {
                format!("Es {verb} {count} {things}{}: {members}.", spaced(rest))
            }
            Frame::Which {
                noun,
                is_plural: true,
                ..
            } if !starts_with_number(noun) => {
                format!("Die Antwort sind {count} {noun}: {members}.")
            }
            Frame::What { verb, subject } if verb == "sind" || verb == "waren" => {
                match list.members.len() == list.count && !list.is_cut {
                    true => format!("{} {verb} {members}.", capital(subject)),
                    false => format!("{} ({count}): {members}.", capital(subject)),
                }
            }
            Frame::What { subject, .. } => format!("{} ({count}): {members}.", capital(subject)),
            Frame::Phrase(phrase) => format!("{} ({count}): {members}.", capital(phrase)),
            _ => format!("{} Treffer: {members}.", capital(&count)),
        }
    }

    fn ranking(&self, frame: &Frame, ranking: &Ranking) -> String {
        let known = ranking.figure.clone().map(|known| named_by(frame, known));
        let figure = known.as_ref().map(figure);
        let with = figure
            .as_ref()
            .map_or_else(String::new, |figure| format!(" ({figure})"));
        let with_each = figure
            .as_ref()
            .map_or_else(String::new, |figure| format!(" (je {figure})"));
        let others = match (ranking.others.as_slice(), ranking.further) {
            ([], 0) => String::new(),
            ([], more) => format!("; {} weitere folgen", number(more)),
            (others, 0) => format!("; dann {}", self.and(others)),
            (others, more) => format!("; dann {} und {} weitere", others.join(", "), number(more)),
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
                    if (verb == "ist" || verb == "war") && ranking.rows == 1 =>
                {
                    format!(
                        "{} {verb} {name}{}{rest}.",
                        capital(subject),
                        after(known.as_ref(), subject)
                    )
                }
                _ => format!("{name} steht vorn{with}{rest}{others}."),
            },
            ([name], None) => {
                format!("{name} ist die erste Zeile{with}; andere können gleichauf sein{others}.")
            }
            (names, Some(equal)) if names.len() as u64 == equal => {
                format!(
                    "{} teilen sich den ersten Platz{with_each}{rest}{others}.",
                    self.and(names)
                )
            }
            ([name], Some(equal)) => {
                format!(
                    "{name} ist eine von {} Zeilen, die sich den ersten Platz teilen{with_each}.",
                    grouped(equal)
                )
            }
            (names, Some(equal)) => format!(
                "{} gehören zu {} Zeilen, die sich den ersten Platz teilen{with_each}{rest}.",
                self.and(names),
                grouped(equal)
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
                .map_or_else(String::new, |total| format!("; insgesamt {total}"));
            return format!("{heading}: {}{total}.", self.and(&parts));
        }
        let count = number(groups.count);
        let Some(lowest) = &groups.lowest else {
            return format!(
                "{heading}: alle {count} Gruppen haben {}.",
                groups.highest.value
            );
        };
        let share = |extreme: &Extreme| match (&extreme.share, &groups.total) {
            (Some(share), Some(_)) => format!(" ({share})"),
            _ => String::new(),
        };
        let end = match (&groups.total, groups.is_cut) {
            (Some(total), _) => format!("; insgesamt {total} in {count} Gruppen"),
            (None, true) => format!("; {count} Gruppen werden gezeigt"),
            (None, false) => format!("; {count} Gruppen"),
        };
        format!(
            "{heading}: am höchsten {}{}, am niedrigsten {}{}{end}.",
            extreme(self, &groups.highest),
            share(&groups.highest),
            extreme(self, lowest),
            share(lowest),
        )
    }

    fn series(&self, series: &Series) -> String {
        let heading = heading(&series.measure, &[unit(series.unit, false).to_owned()]);
        let change = |change: &Change| {
            let percent = change
                .percent
                .as_ref()
                .map_or_else(String::new, |percent| format!(" ({percent})"));
            match change.direction {
                std::cmp::Ordering::Greater => format!("{}{percent} mehr als", change.difference),
                std::cmp::Ordering::Less => format!("{}{percent} weniger als", change.difference),
                std::cmp::Ordering::Equal => "so viel wie".to_owned(),
            }
        };
        let last = &series.last;
        let before = series
            .before
            .as_ref()
            .map_or_else(String::new, |(point, how)| {
                format!(", {} {} ({})", change(how), point.period, point.value)
            });
        let mut parts = Vec::new();
        parts.extend(
            series
                .unfinished
                .as_ref()
                .map(|now| format!("{} bisher {} (noch nicht zu Ende)", now.period, now.value)),
        );
        parts.push(format!("{} {}{before}", last.period, last.value));
        if let Some((first, how)) = &series.first {
            let amount = how.percent.as_ref().unwrap_or(&how.difference);
            parts.push(match how.direction {
                std::cmp::Ordering::Greater => format!(
                    "das sind {amount} mehr als am Anfang, {} ({})",
                    first.period, first.value
                ),
                std::cmp::Ordering::Less => format!(
                    "das sind {amount} weniger als am Anfang, {} ({})",
                    first.period, first.value
                ),
                std::cmp::Ordering::Equal => format!(
                    "das ist so viel wie am Anfang, {} ({})",
                    first.period, first.value
                ),
            });
        }
        let mut extremes = Vec::new();
        extremes.extend(
            series
                .highest
                .as_ref()
                .map(|point| format!("am höchsten {} ({})", point.period, point.value)),
        );
        extremes.extend(
            series
                .lowest
                .as_ref()
                .map(|point| format!("am niedrigsten {} ({})", point.period, point.value)),
        );
        if !extremes.is_empty() {
            parts.push(extremes.join(", "));
        }
        let units = unit(series.unit, series.count != 1);
        parts.extend(
            series
                .total
                .as_ref()
                .map(|total| format!("insgesamt {total} in {} {units}", series.count)),
        );
        format!("{heading}: {}.", parts.join("; "))
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

fn starts_with_number(noun: &str) -> bool {
    let first = noun.split(' ').next().unwrap_or_default().to_lowercase();
    let words = [
        "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "zwölf",
        "zwanzig",
    ];
    first.starts_with(|c: char| c.is_ascii_digit()) || words.contains(&first.as_str())
}

fn named_members(phrases: &German, list: &List) -> String {
    let further = list.count.saturating_sub(list.members.len());
    let mut members = list.members.clone();
    match (further, list.is_cut) {
        (0, false) => phrases.and(&members),
        (_, true) => {
            members.push("weitere".to_owned());
            phrases.and(&members)
        }
        (more, false) => {
            members.push(format!("{} weitere", number(more)));
            phrases.and(&members)
        }
    }
}

fn figure(figure: &Figure) -> String {
    let value = &figure.value;
    match &figure.of {
        Measure::Things(things) => format!("{value} {things}"),
        Measure::Count => value.clone(),
        Measure::Named(name) => format!("{} {value}", in_german(name)),
    }
}

/// The figure of a count with the word of the question: "die meisten Filme".
fn named_by(frame: &Frame, figure: Figure) -> Figure {
    let is_noun = |word: &str| word.starts_with(char::is_uppercase);
    let things = match figure.of {
        Measure::Count | Measure::Things(_) => {
            words_after(frame.statement(), &["meisten", "wenigsten"], is_noun)
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

/// The figure after a statement. What is counted is named by the question, not by a column in another language.
fn after(known: Option<&Figure>, statement: &str) -> String {
    match known {
        Some(Figure {
            value,
            of: Measure::Things(_),
            ..
        }) => format!(": {value}"),
        Some(Figure {
            value,
            of: Measure::Named(name),
            ..
        }) if says(statement, name) => format!(": {value}"),
        Some(known) => format!(": {}", figure(known)),
        None => String::new(),
    }
}

fn next(ranking: &Ranking) -> String {
    let Some(Next { name, value, gap }) = &ranking.next else {
        return String::new();
    };
    let more = if ranking.is_descending {
        "mehr"
    } else {
        "weniger"
    };
    match gap {
        Some(gap) => format!(", {gap} {more} als {name} ({value})"),
        None => format!(", vor {name} ({value})"),
    }
}

fn extreme(phrases: &German, extreme: &Extreme) -> String {
    let value = &extreme.value;
    match (extreme.names.len() == extreme.equal, extreme.equal) {
        (true, 1) => format!("{} mit {value}", phrases.and(&extreme.names)),
        (true, _) => format!("{} mit je {value}", phrases.and(&extreme.names)),
        (false, equal) => format!("{} Gruppen mit je {value}", number(equal)),
    }
}

/// "Summe von revenue je status"
fn heading(measure: &Measure, keys: &[String]) -> String {
    let measure = match measure {
        Measure::Things(things) => format!("Anzahl {things}"),
        Measure::Count => "Anzahl".to_owned(),
        Measure::Named(name) => in_german(name),
    };
    format!("{} je {}", capital(&measure), German.and(keys))
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

fn unit(unit: TimeUnit, is_plural: bool) -> &'static str {
    match (unit, is_plural) {
        (TimeUnit::Year, false) => "Jahr",
        (TimeUnit::Year, true) => "Jahren",
        (TimeUnit::Quarter, false) => "Quartal",
        (TimeUnit::Quarter, true) => "Quartalen",
        (TimeUnit::Month, false) => "Monat",
        (TimeUnit::Month, true) => "Monaten",
        (TimeUnit::Week, false) => "Woche",
        (TimeUnit::Week, true) => "Wochen",
        (TimeUnit::Day, false) => "Tag",
        (TimeUnit::Day, true) => "Tagen",
    }
}

fn number(count: usize) -> String {
    grouped(count as u64)
}

fn grouped(count: u64) -> String {
    super::format::grouped(&count.to_string(), Some('.'), ',')
}
