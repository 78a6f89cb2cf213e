//! Dates and periods in words, counted from a given today: this crate has no clock.

use super::period::{Period, months};
use super::relative;
use crate::calendar::{parse_date, plus_days, plus_months};
use crate::english::lexicon::month_of;
use crate::words::{Token, TokenKind};
use jiff::civil::Date;

fn year_of(token: &Token) -> Option<i16> {
    let is_year = token.kind == TokenKind::Number && token.text.len() == 4;
    let year = is_year.then(|| token.text.parse::<i16>().ok())??;
    (1500..=2200).contains(&year).then_some(year)
}

/// Reads a period that begins with the first token, and returns the number of tokens read.
pub fn read_period(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    let skipped = usize::from(tokens.first()?.lower == "the");
    let rest = tokens.get(skipped..)?;
    if let Some((period, taken)) = read_absolute(rest).or_else(|| read_last_of_year(rest)) {
        return Some((period, taken + skipped));
    }
    let (period, taken) = relative::read(rest, today)?;
    // "the last week of July 2022" is not counted from today.
    let belongs = rest.get(taken).is_some_and(|token| token.lower == "of")
        && rest.get(taken + 1..).is_some_and(|tokens| {
            let article = usize::from(tokens.first().is_some_and(|token| token.lower == "the"));
            tokens.get(article..).and_then(read_absolute).is_some()
        });
    (!belongs).then_some((period, taken + skipped))
}

/// "last quarter of 2024": the final one of that year.
fn read_last_of_year(tokens: &[Token]) -> Option<(Period, usize)> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.lower == word);
    if !is(0, "last") || !is(2, "of") {
        return None;
    }
    let count = match tokens.get(1)?.lower.as_str() {
        "month" => 1,
        "quarter" => 3,
        _ => return None,
    };
    let year_at = 3 + usize::from(is(3, "the")) + usize::from(is(3, "year"));
    let year_at = year_at + usize::from(is(3, "the") && is(4, "year"));
    let year = year_of(tokens.get(year_at)?)?;
    let start = Date::new(year, 13 - count, 1).ok()?;
    Some((months(start, i32::from(count)), year_at + 1))
}

fn read_absolute(tokens: &[Token]) -> Option<(Period, usize)> {
    let first = tokens.first()?;
    let second = tokens.get(1);
    let day = |date: Date| Period {
        start: date,
        end: plus_days(date, 1),
    };
    if matches!(first.kind, TokenKind::Date | TokenKind::Quoted)
        && let Some(date) = parse_date(&first.text)
    {
        return Some((day(date), 1));
    }
    if first.lower == "year" {
        let (period, taken) = read_absolute(tokens.get(1..)?)?;
        return Some((period, taken + 1));
    }
    if let Some(year) = year_of(first) {
        return Some((months(Date::new(year, 1, 1).ok()?, 12), 1));
    }
    if let Some(month) = month_of(&first.lower) {
        if let Some(year) = second.and_then(year_of) {
            return Some((months(Date::new(year, month, 1).ok()?, 1), 2));
        }
        if second.is_some_and(|token| token.lower == "of")
            && let Some(year) = tokens.get(2).and_then(year_of)
        {
            return Some((months(Date::new(year, month, 1).ok()?, 1), 3));
        }
        let number = second.and_then(day_of_month)?;
        let comma = usize::from(
            tokens
                .get(2)
                .is_some_and(|token| token.kind == TokenKind::Comma),
        );
        let year = tokens.get(2 + comma).and_then(year_of)?;
        return Some((day(Date::new(year, month, number).ok()?), 3 + comma));
    }
    if let Some(date) = german_date(&first.text) {
        return Some((day(date), 1));
    }
    // "1 July 2025", "1st of July 2025", and "1. Juli 2025", where the stop is a token.
    let joint = usize::from(second.is_some_and(|token| matches!(token.lower.as_str(), "." | "of")));
    if let (Some(number), Some(month)) = (
        day_of_month(first),
        tokens
            .get(1 + joint)
            .and_then(|token| month_of(&token.lower)),
    ) {
        let year = tokens.get(2 + joint).and_then(year_of)?;
        return Some((day(Date::new(year, month, number).ok()?), 3 + joint));
    }
    part_of_year(tokens)
}

/// "01.07.2025"
fn german_date(text: &str) -> Option<Date> {
    let mut parts = text.split('.');
    let (Some(day), Some(month), Some(year), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let is_year = year.len() == 4;
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    date.ok().filter(|_| is_year)
}

/// "The first quarter of 2025", "second half 2025", "Q3 2025", "H1 of 2025".
fn part_of_year(tokens: &[Token]) -> Option<(Period, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let months_of = |part: &str| match part {
        "quarter" | "q" => Some(3),
        "half" | "h" => Some(6),
        _ => None,
    };
    // "2." is two tokens in German.
    let dot = usize::from(word(1) == ".");
    let (number, length, taken) = match months_of(word(1 + dot)) {
        Some(length) => (ordinal(word(0))?, length, 2 + dot),
        None => {
            let (part, number) = word(0).split_at_checked(1)?;
            (number.parse().ok()?, months_of(part)?, 1)
        }
    };
    // German has "im ersten Quartal im Jahr 2025".
    let of = usize::from(matches!(word(taken), "of" | "in"));
    let year_at = taken + of + usize::from(of == 1 && word(taken + 1) == "the");
    let year_at = year_at + usize::from(word(year_at) == "year");
    let year = year_of(tokens.get(year_at)?)?;
    let start = Date::new(year, 1, 1).ok()?;
    let is_part = number >= 1 && number * length <= 12;
    is_part.then(|| {
        let start = plus_months(start, (number - 1) * length);
        (months(start, length), year_at + 1)
    })
}

/// "First", "2nd", "3".
fn ordinal(word: &str) -> Option<i32> {
    const WORDS: [&str; 4] = ["first", "second", "third", "fourth"];
    let in_words = (1..).zip(WORDS).find(|(_, own)| *own == word);
    in_words.map(|(number, _)| number).or_else(|| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
        digits
            .parse()
            .ok()
            .filter(|number| (1..=4).contains(number))
    })
}

fn day_of_month(token: &Token) -> Option<i8> {
    let digits = token
        .lower
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokenise;

    #[test]
    fn periods_are_half_open() {
        let today = parse_date("2026-03-31").unwrap();
        let check = |text: &str, expect: Option<(&str, &str)>| {
            let found = read_period(&tokenise(text), today)
                .map(|(period, _)| (period.start.to_string(), period.end.to_string()));
            let expect = expect.map(|(start, end)| (start.to_owned(), end.to_owned()));
            assert_eq!(found, expect, "{text}");
        };
        check("2024", Some(("2024-01-01", "2025-01-01")));
        check("the year 2024", Some(("2024-01-01", "2025-01-01")));
        check("March 2025", Some(("2025-03-01", "2025-04-01")));
        check("1 July 2025", Some(("2025-07-01", "2025-07-02")));
        check("the 1st of July 2025", Some(("2025-07-01", "2025-07-02")));
        check("1. July 2025", Some(("2025-07-01", "2025-07-02")));
        check("01.07.2025", Some(("2025-07-01", "2025-07-02")));
        check("1.7.2025", Some(("2025-07-01", "2025-07-02")));
        check("1.7.25", None);
        check("31.2.2025", None);
        check("December of 2025", Some(("2025-12-01", "2026-01-01")));
        check("Q4 2025", Some(("2025-10-01", "2026-01-01")));
        check(
            "the fourth quarter of 2025",
            Some(("2025-10-01", "2026-01-01")),
        );
        check("Q4 of 2025", Some(("2025-10-01", "2026-01-01")));
        check("2nd quarter 2025", Some(("2025-04-01", "2025-07-01")));
        check(
            "the first half of the year 2025",
            Some(("2025-01-01", "2025-07-01")),
        );
        check("third half of 2025", None);
        check("h2 2025", Some(("2025-07-01", "2026-01-01")));
        check("2024-02-29", Some(("2024-02-29", "2024-03-01")));
        check("5 May 2020", Some(("2020-05-05", "2020-05-06")));
        check("May 5th, 2020", Some(("2020-05-05", "2020-05-06")));
        check("today", Some(("2026-03-31", "2026-04-01")));
        check("last month", Some(("2026-02-01", "2026-03-01")));
        check("last year", Some(("2025-01-01", "2026-01-01")));
        check("this quarter", Some(("2026-01-01", "2026-04-01")));
        check("this week", Some(("2026-03-30", "2026-04-06")));
        check("the last 30 days", Some(("2026-03-02", "2026-04-01")));
        check(
            "the last quarter of 2024",
            Some(("2024-10-01", "2025-01-01")),
        );
        check("last month of 2022", Some(("2022-12-01", "2023-01-01")));
        check(
            "last month of the year 2022",
            Some(("2022-12-01", "2023-01-01")),
        );
        check("the last week of July 2022", None);
        check("the last 3 months of 2024", None);
        check("March", None);
        check("tomorrow", Some(("2026-04-01", "2026-04-02")));
        check(
            "the day before yesterday",
            Some(("2026-03-29", "2026-03-30")),
        );
        check("next month", Some(("2026-04-01", "2026-05-01")));
        check("next 7 days", Some(("2026-03-31", "2026-04-07")));
        check("last 2 quarters", Some(("2025-10-01", "2026-04-01")));
        check("year to date", Some(("2026-01-01", "2026-04-01")));
        check("MTD", Some(("2026-03-01", "2026-04-01")));
        check("this quarter so far", Some(("2026-01-01", "2026-04-01")));
        check("so far this week", Some(("2026-03-30", "2026-04-01")));
        check("3 days ago", Some(("2026-03-28", "2026-03-29")));
        check("two months ago", Some(("2026-01-01", "2026-02-01")));
        check(
            "the last 8 weeks excluding the current week",
            Some(("2026-02-02", "2026-03-30")),
        );
        check("last 8 full weeks", Some(("2026-02-02", "2026-03-30")));
        check(
            "last 3 months, not counting this month",
            Some(("2025-12-01", "2026-03-01")),
        );
        check(
            "past 2 quarters (excluding the current one)",
            Some(("2025-07-01", "2026-01-01")),
        );
        check("last 2 calendar years", Some(("2024-01-01", "2026-01-01")));
        check(
            "last 7 days excluding today",
            Some(("2026-03-24", "2026-03-31")),
        );
        check(
            "last 3 months without today",
            Some(("2025-12-31", "2026-03-31")),
        );
        check(
            "last 30 days excluding the current week",
            Some(("2026-03-02", "2026-03-30")),
        );
        check("the last full month", Some(("2026-02-01", "2026-03-01")));
        check("next 2 full weeks", Some(("2026-04-06", "2026-04-20")));
        check("last year to date", Some(("2025-01-01", "2025-04-01")));
        check("last month to date", Some(("2026-02-01", "2026-03-01")));
        check("last 3 months", Some(("2026-01-01", "2026-04-01")));
        check("past 2 quarters", Some(("2025-10-01", "2026-04-01")));
        check("last fiscal year", None);
        check("previous fiscal quarter", None);
        check("3 orders ago", None);
        check("2023-02-29", None);
    }

    #[test]
    fn month_ends_leap_days_and_week_starts_are_those_of_the_calendar() {
        let check = |today: &str, text: &str, expect: (&str, &str)| {
            let today = parse_date(today).unwrap();
            let (period, _) = read_period(&tokenise(text), today).unwrap();
            let found = (period.start.to_string(), period.end.to_string());
            assert_eq!(
                (found.0.as_str(), found.1.as_str()),
                expect,
                "{today} {text}"
            );
        };
        check("2024-02-29", "last year", ("2023-01-01", "2024-01-01"));
        check(
            "2024-02-29",
            "last year to date",
            ("2023-01-01", "2023-03-01"),
        );
        check("2024-02-29", "last 1 years", ("2023-03-01", "2024-03-01"));
        check("2026-05-31", "last 3 months", ("2026-03-01", "2026-06-01"));
        check(
            "2026-05-31",
            "last 3 full months",
            ("2026-02-01", "2026-05-01"),
        );
        check(
            "2026-05-31",
            "last month to date",
            ("2026-04-01", "2026-05-01"),
        );
        // Weeks begin on Monday (ISO 8601), also across the end of a year.
        check("2027-01-03", "this week", ("2026-12-28", "2027-01-04"));
        check(
            "2027-01-03",
            "last 2 full weeks",
            ("2026-12-14", "2026-12-28"),
        );
        check(
            "2027-01-04",
            "last 2 full weeks",
            ("2026-12-21", "2027-01-04"),
        );
        check(
            "2026-01-01",
            "past 2 full quarters",
            ("2025-07-01", "2026-01-01"),
        );
        check(
            "2026-12-31",
            "last full quarter",
            ("2026-07-01", "2026-10-01"),
        );
    }
}
