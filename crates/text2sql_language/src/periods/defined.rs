//! A period in the words of a definition: "last 7 days", "year starting in April", "from 1 October to 31 March",
//! in English or German.

use super::spans::Span;
use super::{Period, dates, spans};
use crate::calendar::{parse_date, plus_days, plus_months};
use crate::english::lexicon::month_of;
use crate::german;
use crate::words::{Token, TokenKind, tokenise};
use jiff::civil::Date;
use text2sql_domain::words;

/// The days that a term stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinedPeriod {
    /// Days counted from today, in these words.
    Relative(String),
    /// Always the same days.
    Fixed(Span),
    /// Days of every year.
    Yearly(Yearly),
}

/// Days of every year: a fiscal year, a season.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Yearly {
    /// Month and day of the first day.
    start: (i8, i8),
    /// Month and day of the last day; `None` if it lasts a year.
    end: Option<(i8, i8)>,
    /// Whether it is called after the year in which it begins, instead of that in which it ends.
    is_named_after_first: bool,
}

/// Two days that differ in year, quarter, month, week and day: what they have in common is not counted from today.
const ONE_DAY: &str = "2026-03-18";
const ANOTHER_DAY: &str = "2024-09-07";

impl DefinedPeriod {
    /// Reads the words of a definition; `None` if they are no period.
    pub fn read(text: &str) -> Option<Self> {
        let (one, another) = (parse_date(ONE_DAY)?, parse_date(ANOTHER_DAY)?);
        let spans = || Some((span_of(text, one)?, span_of(text, another)?));
        match spans() {
            Some((one, another)) if one == another => Some(Self::Fixed(one)),
            Some(_) => Some(Self::Relative(text.to_owned())),
            None => Yearly::read(text).map(Self::Yearly),
        }
    }

    /// Its days. Of a period of every year: those of the one that began last.
    pub fn days(&self, today: Date) -> Option<Span> {
        match self {
            Self::Relative(text) => span_of(text, today),
            Self::Fixed(span) => Some(*span),
            Self::Yearly(yearly) => Some(closed(yearly.at(today, 0))),
        }
    }
}

fn closed(period: Period) -> Span {
    (Some(period.start), Some(period.end))
}

/// The days of a text that is a period as a whole.
fn span_of(text: &str, today: Date) -> Option<Span> {
    [tokenise(text), german::words_of_grammar(text)]
        .iter()
        .find_map(|tokens| whole(tokens, today))
}

fn whole(tokens: &[Token], today: Date) -> Option<Span> {
    let is_end = |token: &&Token| token.kind == TokenKind::Stop;
    let end = tokens.len() - tokens.iter().rev().take_while(is_end).count();
    let article = usize::from(tokens.first().is_some_and(|token| token.lower == "the"));
    let tokens = tokens.get(article..end)?;
    let (span, taken) = spans::read(tokens, today).or_else(|| {
        let (period, taken) = dates::read_period(tokens, today)?;
        Some((closed(period), taken))
    })?;
    (taken == tokens.len()).then_some(span)
}

impl Yearly {
    /// The one that began last before or on the day, and `offset` later.
    pub fn at(&self, today: Date, offset: i32) -> Period {
        let this_year = self.starting_in(today.year());
        let begun = if this_year.start <= today { 0 } else { -1 };
        self.starting_in_year(i32::from(today.year()) + begun + offset)
    }

    /// The one called after a year.
    pub fn of_year(&self, year: i16) -> Period {
        let same = self.starting_in(year);
        let ends_later = plus_days(same.end, -1).year() > year;
        match ends_later && !self.is_named_after_first {
            true => self.starting_in_year(i32::from(year) - 1),
            false => same,
        }
    }

    /// The one that begins in a year.
    pub fn starting_in(&self, year: i16) -> Period {
        let start = day_of(year, self.start);
        let end = match self.end {
            None => day_of(year.saturating_add(1), self.start),
            Some(end) => {
                let same_year = day_of(year, end);
                let last = match same_year >= start {
                    true => same_year,
                    false => day_of(year.saturating_add(1), end),
                };
                plus_days(last, 1)
            }
        };
        Period { start, end }
    }

    fn starting_in_year(&self, year: i32) -> Period {
        let year = i16::try_from(year.clamp(1, 9998)).unwrap_or(1);
        self.starting_in(year)
    }

    /// Whether it has quarters: a whole year has.
    pub fn is_whole_year(&self) -> bool {
        self.end.is_none()
    }

    /// A quarter of such a year, `number` from 1 to 4.
    pub fn quarter_of(&self, year: Period, number: i32) -> Period {
        let start = plus_months(year.start, 3 * (number - 1));
        Period {
            start,
            end: plus_months(start, 3),
        }
    }

    /// The quarter of such a year that holds the day, and `offset` later.
    pub fn quarter_at(&self, today: Date, offset: i32) -> Period {
        let year = self.at(today, 0);
        let has_begun = |number: &i32| self.quarter_of(year, *number).start <= today;
        let number = (1..=4).rev().find(has_begun).unwrap_or(1);
        self.quarter_of(year, number + offset)
    }

    fn read(text: &str) -> Option<Self> {
        let tokens = tokenise(text);
        let words: Vec<&str> = tokens
            .iter()
            .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Number))
            .map(|token| token.lower.as_str())
            .filter(|word| !FILLERS.contains(word))
            .collect();
        let (words, is_named_after_first) = match words.iter().position(|word| NAMED.contains(word))
        {
            Some(at) => (words.get(..at)?, named_after_first(words.get(at + 1..)?)?),
            None => (words.as_slice(), false),
        };
        let is_year = words.first().is_some_and(|word| YEARS.contains(word));
        let rest = words.get(usize::from(is_year)..)?;
        let (start, has_day, taken) = month_day(rest)?;
        let rest = rest.get(taken..)?;
        if rest.is_empty() {
            // "April" alone is a month, and whose is not known.
            return is_year.then_some(Self {
                start,
                end: None,
                is_named_after_first,
            });
        }
        let (first, rest) = rest.split_first()?;
        let (end, ends_with_day, taken) = TO.contains(first).then(|| month_day(rest))??;
        // "October to March" has all of March; "1 October to March" is not clear.
        let end = if ends_with_day { end } else { (end.0, 31) };
        let is_clear = taken == rest.len() && has_day == ends_with_day && !is_year;
        is_clear.then_some(Self {
            start,
            end: Some(end),
            is_named_after_first,
        })
    }
}

/// The day of a year; the last of the month where that is shorter.
fn day_of(year: i16, (month, day): (i8, i8)) -> Date {
    let first = Date::new(year, month, 1).unwrap_or(Date::ZERO);
    let last = first.days_in_month();
    plus_days(first, i32::from(day.min(last)) - 1)
}

/// Words of a definition that say nothing by themselves.
const FILLERS: &[&str] = words!(
    "a, an, the, of, in, on, with, that, which, from, each, every, always, starting, starts, \
     start, beginning, begins, between, ein, eine, das, der, die, den, dem, im, am, mit, vom, \
     von, ab, jedes, jeden, jeweils, beginnend, beginnt, beginn, startet, zwischen, zum"
);
const YEARS: &[&str] = &["year", "jahr", "geschäftsjahr", "wirtschaftsjahr"];
const TO: &[&str] = &["to", "until", "till", "through", "and", "bis", "und"];
const NAMED: &[&str] = &["named", "called", "benannt", "genannt"];

/// "after its first year", "nach dem letzten Jahr".
fn named_after_first(words: &[&str]) -> Option<bool> {
    words.iter().find_map(|word| match *word {
        "first" | "ersten" | "start" | "beginn" => Some(true),
        "last" | "letzten" | "end" | "ende" => Some(false),
        _ => None,
    })
}

/// A month with or without a day: its month and day (the first, if none is there), whether the day is there, and the
/// number of words.
fn month_day(words: &[&str]) -> Option<((i8, i8), bool, usize)> {
    let day = |word: &str| -> Option<i8> {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
        digits.parse().ok().filter(|day| (1..=31).contains(day))
    };
    let first = words.first()?;
    if let Some(month) = month(first) {
        return match words.get(1).and_then(|word| day(word)) {
            Some(number) => Some(((month, number), true, 2)),
            None => Some(((month, 1), false, 1)),
        };
    }
    let number = day(first)?;
    let month = month(words.get(1)?)?;
    Some(((month, number), true, 2))
}

fn month(word: &str) -> Option<i8> {
    const GERMAN: [(&str, i8); 8] = [
        ("januar", 1),
        ("jänner", 1),
        ("februar", 2),
        ("märz", 3),
        ("mai", 5),
        ("juni", 6),
        ("juli", 7),
        ("oktober", 10),
    ];
    let german = || GERMAN.iter().find(|(name, _)| *name == word);
    match word {
        "dezember" => Some(12),
        _ => month_of(word).or_else(|| german().map(|(_, number)| *number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str, today: &str) -> String {
        let Some(period) = DefinedPeriod::read(text) else {
            return "no period".to_owned();
        };
        let (from, before) = period.days(parse_date(today).unwrap()).unwrap();
        let text = |day: Option<Date>| day.map_or("…".to_owned(), |day| day.to_string());
        format!("{} to {}", text(from), text(before))
    }

    #[test]
    fn a_definition_says_days_in_english_or_german() {
        for (text, expect) in [
            ("last 7 days", "2026-11-15 to 2026-11-22"),
            ("the last 7 days", "2026-11-15 to 2026-11-22"),
            ("letzte 7 Tage", "2026-11-15 to 2026-11-22"),
            ("die letzten 30 Tage", "2026-10-23 to 2026-11-22"),
            ("this month", "2026-11-01 to 2026-12-01"),
            ("year to date", "2026-01-01 to 2026-11-22"),
            ("from 2026-04-01 to 2026-09-30", "2026-04-01 to 2026-10-01"),
            ("since 2026-04-01", "2026-04-01 to …"),
            ("year starting in April", "2026-04-01 to 2027-04-01"),
            ("a year that starts on 6 April", "2026-04-06 to 2027-04-06"),
            ("Jahr ab April", "2026-04-01 to 2027-04-01"),
            (
                "Jahr, das am 1. Dezember beginnt",
                "2025-12-01 to 2026-12-01",
            ),
            ("from 1 October to 31 March", "2026-10-01 to 2027-04-01"),
            ("vom 1. Oktober bis 31. März", "2026-10-01 to 2027-04-01"),
            ("October to March", "2026-10-01 to 2027-04-01"),
            ("Mai bis August", "2026-05-01 to 2026-09-01"),
            ("December 1st to February 29th", "2025-12-01 to 2026-03-01"),
            ("April", "no period"),
            ("soon", "no period"),
            ("last 7 days of work", "no period"),
            ("7 days", "no period"),
            ("", "no period"),
        ] {
            assert_eq!(days(text, "2026-11-21"), expect, "{text}");
        }
    }

    #[test]
    fn a_period_of_every_year_is_called_after_its_last_year_unless_the_definition_says_otherwise() {
        let of_year = |text: &str| match DefinedPeriod::read(text) {
            Some(DefinedPeriod::Yearly(yearly)) => yearly.of_year(2025).start.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(of_year("year starting in April"), "2024-04-01");
        assert_eq!(
            of_year("year starting in April, named after its first year"),
            "2025-04-01"
        );
        assert_eq!(
            of_year("Jahr ab April, benannt nach dem ersten Jahr"),
            "2025-04-01"
        );
        assert_eq!(of_year("year starting in January"), "2025-01-01");
        assert_eq!(of_year("May to August"), "2025-05-01");
    }

    #[test]
    fn a_leap_day_and_the_end_of_a_season_are_days_of_the_calendar() {
        assert_eq!(
            days("from 1 December to 29 February", "2024-02-29"),
            "2023-12-01 to 2024-03-01"
        );
        assert_eq!(
            days("from 1 December to 29 February", "2025-02-28"),
            "2024-12-01 to 2025-03-01"
        );
        assert_eq!(
            days("year starting on 29 February", "2025-03-01"),
            "2025-02-28 to 2026-02-28"
        );
        assert_eq!(
            days("year starting in April", "2026-04-01"),
            "2026-04-01 to 2027-04-01"
        );
        assert_eq!(
            days("year starting in April", "2026-03-31"),
            "2025-04-01 to 2026-04-01"
        );
    }
}
