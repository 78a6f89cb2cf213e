//! The periods of the calendar that a question states: a day, a month, a quarter, a year, or from one to another.

use crate::calendar::{parse_date, plus_days, plus_months};
use crate::periods::dates;
use crate::periods::spans::{self, Span};
use crate::understanding::Understanding;
use crate::words::{Token, TokenKind, placed_text};
use jiff::civil::Date;
use text2sql_domain::word_pairs;
use text2sql_domain::words;

/// Words before a period with which it is read; of other languages than English and German, the word for it.
const BEGINS: &[(&str, &str)] = word_pairs!(
    "in = in, of = of, for = for, during = during, on = on, since = since, before = before, \
     after = after, between = between, from = from, en = in, année = year, año = year, \
     year = year, desde = since, depuis = since, avant = before"
);

/// Words of a range.
const UP_TO: [&str; 4] = ["to", "until", "till", "through"];

/// Words before a period that make it a part of it, another one, or only one end of it.
const CHANGED: &[&str] = words!(
    "first, second, third, fourth, last, end, beginning, start, middle, mid, early, late, \
     half, quarter, month, week, weeks, day, days, date, spring, summer, fall, autumn, \
     winter, semester, term, eve, by, per, each, every, until, till, through, to, and, or, \
     up, same"
);

/// The periods of a question that do not depend on today, with their words; none where one is said in a way that is not
/// read here.
pub fn stated_periods(question: &Understanding) -> Vec<(String, Span)> {
    let Some(today) = parse_date(question.today()) else {
        return Vec::new();
    };
    let tokens: Vec<Token> = question.tokens().iter().map(in_english).collect();
    let mut found = Vec::new();
    let mut years = 0;
    let mut at = 0;
    while at < tokens.len() {
        let Some((span, taken)) = read_at(&tokens, at, today) else {
            at += 1;
            continue;
        };
        let own = tokens.get(at..at + taken).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_changed = before
            .is_some_and(|word| CHANGED.contains(&word.lower.as_str()) || has_digit(&word.lower));
        let is_followed = tokens
            .get(at + taken)
            .is_some_and(|word| has_digit(&word.lower));
        if is_changed || is_followed {
            return Vec::new();
        }
        years += own.iter().filter(|word| is_year(word)).count();
        found.push((placed_text(own), span));
        at += taken;
    }
    // Another year may change what one of them means.
    let all = tokens.iter().filter(|word| is_year(word)).count();
    match years == all {
        true => found,
        false => Vec::new(),
    }
}

fn in_english(token: &Token) -> Token {
    let mut token = token.clone();
    if let Some((_, word)) = BEGINS.iter().find(|(own, _)| *own == token.lower)
        && token.kind != TokenKind::Quoted
    {
        token.lower = (*word).to_owned();
    }
    token
}

fn read_at(tokens: &[Token], at: usize, today: Date) -> Option<(Span, usize)> {
    let rest = tokens.get(at..)?;
    let read = |today: Date| -> Option<(Span, usize)> {
        let first = rest.first()?;
        let begins = first.lower != "year"
            && first.kind != TokenKind::Quoted
            && BEGINS.iter().any(|(_, word)| *word == first.lower);
        if begins {
            // German has "of 2023 until 2024".
            let mut range = rest.to_vec();
            if first.lower == "of"
                && let Some(first) = range.first_mut()
            {
                "from".clone_into(&mut first.lower);
            }
            let (span, taken) = spans::read(&range, today)?;
            // "From 2024" may end with the year or go on.
            let is_range = rest
                .get(..taken)?
                .iter()
                .any(|word| UP_TO.contains(&word.lower.as_str()));
            if first.lower == "of" && !is_range {
                return spans::read(rest, today);
            }
            return (first.lower != "from" || is_range).then_some((span, taken));
        }
        let (period, taken) = dates::read_period(rest, today)?;
        let names_more = rest.get(..taken)?.iter().any(is_year) && taken > 1;
        names_more.then_some(((Some(period.start), Some(period.end)), taken))
    };
    let found = read(today)?;
    // A different day, week, month, quarter and year.
    let another = plus_days(plus_months(today, -17), -9);
    (read(another) == Some(found)).then_some(found)
}

fn has_digit(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
}

fn is_year(token: &Token) -> bool {
    let year = token.lower.parse::<u16>();
    token.lower.len() == 4 && year.is_ok_and(|year| (1900..2100).contains(&year))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let shown = |day: Option<Date>| day.map_or("…".to_owned(), |day| day.to_string());
        let found = stated_periods(&Understanding::of(text, "2026-11-21"));
        let found: Vec<String> = found
            .into_iter()
            .map(|(text, (from, before))| format!("{text}: {} {}", shown(from), shown(before)))
            .collect();
        found.join(", ")
    }

    #[test]
    fn periods_of_the_calendar_are_read_in_full_or_not_at_all() {
        for (question, expected) in [
            ("Fees in 2025", "in 2025: 2025-01-01 2026-01-01"),
            (
                "Fees in the first quarter of 2025",
                "in the first quarter of 2025: 2025-01-01 2025-04-01",
            ),
            ("Fees in Q3 2025", "in Q3 2025: 2025-07-01 2025-10-01"),
            (
                "Fees in Q3 of 2025 by berth",
                "in Q3 of 2025: 2025-07-01 2025-10-01",
            ),
            (
                "Fees of the 2nd quarter of 2025",
                "of the 2nd quarter of 2025: 2025-04-01 2025-07-01",
            ),
            (
                "Second half of 2024: how many boats?",
                "Second half of 2024: 2024-07-01 2025-01-01",
            ),
            ("Fees in H1 2025", "in H1 2025: 2025-01-01 2025-07-01"),
            ("Fees in May 2025", "in May 2025: 2025-05-01 2025-06-01"),
            ("Fees on 2025-05-04", "on 2025-05-04: 2025-05-04 2025-05-05"),
            (
                "Fees since the second quarter of 2025",
                "since the second quarter of 2025: 2025-04-01 …",
            ),
            (
                "Fees between 2023 and 2025",
                "between 2023 and 2025: 2023-01-01 2026-01-01",
            ),
            (
                "Fees from March 2023 to May 2024",
                "from March 2023 to May 2024: 2023-03-01 2024-06-01",
            ),
            (
                "Wie hoch waren die Gebühren im ersten Quartal 2025?",
                "im ersten Quartal 2025: 2025-01-01 2025-04-01",
            ),
            (
                "Wie hoch waren die Gebühren im 2. Quartal 2025?",
                "im 2 Quartal 2025: 2025-04-01 2025-07-01",
            ),
            (
                "Wie hoch waren die Gebühren im zweiten Halbjahr 2025?",
                "im zweiten Halbjahr 2025: 2025-07-01 2026-01-01",
            ),
            (
                "Wie viele Boote kamen von 2023 bis 2024?",
                "von 2023 bis 2024: 2023-01-01 2025-01-01",
            ),
            ("Wie viele Boote kamen vor 2024?", "vor 2024: … 2024-01-01"),
            (
                "Combien de bateaux en 2025?",
                "en 2025: 2025-01-01 2026-01-01",
            ),
            (
                "Wie viele Boote gab es im dritten Quartal im Jahr 2025?",
                "im dritten Quartal im Jahr 2025: 2025-07-01 2025-10-01",
            ),
            ("Fees in 2024 and in 2025", ""),
            ("Fees in the spring of 2025", ""),
            ("Fees in the last week of July 2025", ""),
            ("Fees in 2024 and 2025", ""),
            ("Fees from 2025", ""),
            ("Fees by 2025", ""),
            ("Fees until March 2025", ""),
            ("Fees last year", ""),
            ("Boats named '2025'", ""),
        ] {
            assert_eq!(read(question), expected, "{question}");
        }
    }
}
