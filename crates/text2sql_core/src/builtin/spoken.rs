//! Which periods a question speaks of that only today's date tells: for the prompt, and for people.

use super::dates::Date;
use super::german::{self, Language};
use super::placed_text;
use super::request::Span;
use super::spans;
use super::words::Token;

/// A stretch of the question that means days counted from today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenPeriod {
    /// The words, as they were said.
    pub said: String,
    /// The first day, `YYYY-MM-DD`; `None` where it reaches back without end.
    pub from: Option<String>,
    /// The first day that is no longer in it; `None` where it has no end.
    pub before: Option<String>,
    is_german: bool,
}

impl SpokenPeriod {
    /// "2026-10-01 up to but without 2026-11-01", in the language of the question.
    pub fn days(&self) -> String {
        let is_one_day = match (&self.from, &self.before) {
            (Some(from), Some(before)) => {
                Date::parse(from).map(|day| day.plus_days(1)) == Date::parse(before)
            }
            _ => false,
        };
        match (&self.from, &self.before, self.is_german) {
            (Some(from), Some(_), _) if is_one_day => from.clone(),
            (Some(from), Some(before), false) => format!("{from} up to but without {before}"),
            (Some(from), Some(before), true) => format!("{from} bis ausschließlich {before}"),
            (Some(from), None, false) => format!("{from} and later"),
            (Some(from), None, true) => format!("ab {from}"),
            (None, Some(before), false) => format!("before {before}"),
            (None, Some(before), true) => format!("vor {before}"),
            (None, None, _) => String::new(),
        }
    }

    /// "'last month' is 2026-10-01 up to but without 2026-11-01", in the language of the question.
    pub fn statement(&self) -> String {
        let is = if self.is_german { "ist" } else { "is" };
        format!("'{}' {is} {}", self.said, self.days())
    }
}

/// Words that leave a period what it is: they are not said again.
const PLAIN_PREPOSITIONS: &[&str] = &["in", "during", "on", "for", "of", "within", "over", "from"];

/// Words after which a period is that of another one: "the same month last year".
const COMPARISONS: &[&str] = &["same", "gleichen", "gleiche", "selben", "selbe"];

/// How many tokens before a period such a word may stand.
const COMPARISON_REACH: usize = 3;

/// The periods of the question that are counted from today, in order. `today` is `YYYY-MM-DD`.
pub fn spoken_periods(question: &str, today: &str) -> Vec<SpokenPeriod> {
    let Some(today) = Date::parse(today) else {
        return Vec::new();
    };
    let (tokens, language) = german::tokenise(question);
    let mut periods: Vec<SpokenPeriod> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((span, taken)) = read_at(&tokens, at, today, language) else {
            at += 1;
            continue;
        };
        let (from, before) = span;
        let said = placed_text(tokens.get(at..at + taken).unwrap_or_default());
        at += taken;
        let period = SpokenPeriod {
            said,
            from: from.map(|day| day.to_string()),
            before: before.map(|day| day.to_string()),
            is_german: language == Language::German,
        };
        if !periods.contains(&period) {
            periods.push(period);
        }
    }
    periods
}

fn read_at(tokens: &[Token], at: usize, today: Date, language: Language) -> Option<(Span, usize)> {
    let rest = tokens.get(at..)?;
    let first = rest.first()?;
    let (span, taken) = spans::read(rest, today)?;
    let joins_two = taken > 3 && first.lower == "from";
    if PLAIN_PREPOSITIONS.contains(&first.lower.as_str()) && !joins_two {
        return None;
    }
    // A name with a capital, such as that of a song, is no day.
    let is_name = taken == 1
        && at > 0
        && language == Language::English
        && first.text.starts_with(char::is_uppercase)
        && !first.text.chars().all(char::is_uppercase);
    let is_of_another = tokens
        .get(at.saturating_sub(COMPARISON_REACH)..at)
        .unwrap_or_default()
        .iter()
        .any(|token| COMPARISONS.contains(&token.lower.as_str()));
    (!is_name && !is_of_another && is_relative(rest, span, today)).then_some((span, taken))
}

/// Whether another today gives other days.
fn is_relative(tokens: &[Token], span: Span, today: Date) -> bool {
    // Another day, week, month, quarter and year.
    let another = today.plus_months(-17).plus_days(-9);
    spans::read(tokens, another).is_some_and(|(other, _)| other != span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, expect: &[&str]) {
        let found: Vec<String> = spoken_periods(question, "2026-11-21")
            .iter()
            .map(SpokenPeriod::statement)
            .collect();
        assert_eq!(found, expect, "{question}");
    }

    #[test]
    fn tells_the_days_of_periods_in_english() {
        check(
            "How many orders were placed last month?",
            &["'last month' is 2026-10-01 up to but without 2026-11-01"],
        );
        check(
            "Revenue this quarter by country",
            &["'this quarter' is 2026-10-01 up to but without 2027-01-01"],
        );
        check(
            "What is the year-to-date revenue?",
            &["'year-to-date' is 2026-01-01 up to but without 2026-11-22"],
        );
        check(
            "revenue year to date",
            &["'year to date' is 2026-01-01 up to but without 2026-11-22"],
        );
        check(
            "Open invoices as of today",
            &["'as of today' is before 2026-11-22"],
        );
        check("Orders placed yesterday", &["'yesterday' is 2026-11-20"]);
        check(
            "Orders of the last 7 days",
            &["'last 7 days' is 2026-11-15 up to but without 2026-11-22"],
        );
        check(
            "New customers since January",
            &["'since January' is 2026-01-01 and later"],
        );
        check(
            "New customers since December",
            &["'since December' is 2025-12-01 and later"],
        );
        check(
            "Compare this year with last year",
            &[
                "'this year' is 2026-01-01 up to but without 2027-01-01",
                "'last year' is 2025-01-01 up to but without 2026-01-01",
            ],
        );
        check(
            "sales from 2024 to today",
            &["'from 2024 to today' is 2024-01-01 up to but without 2026-11-22"],
        );
    }

    #[test]
    fn tells_the_days_of_periods_in_german() {
        check(
            "Wie viele Bestellungen gab es letzten Monat?",
            &["'letzten Monat' ist 2026-10-01 bis ausschließlich 2026-11-01"],
        );
        check(
            "Umsatz dieses Jahr",
            &["'dieses Jahr' ist 2026-01-01 bis ausschließlich 2027-01-01"],
        );
        check(
            "Umsatz im Vorjahr",
            &["'Vorjahr' ist 2025-01-01 bis ausschließlich 2026-01-01"],
        );
        check(
            "Bestellungen der letzten 7 Tage",
            &["'letzten 7 Tage' ist 2026-11-15 bis ausschließlich 2026-11-22"],
        );
        check(
            "Umsatz seit Jahresbeginn je Land",
            &["'seit Jahresbeginn' ist 2026-01-01 bis ausschließlich 2026-11-22"],
        );
        check(
            "Welche Bestellungen gab es gestern?",
            &["'gestern' ist 2026-11-20"],
        );
        check(
            "Neue Kunden seit Januar",
            &["'seit Januar' ist ab 2026-01-01"],
        );
        check(
            "Welche Bestellungen kamen vor 3 Tagen?",
            &["'vor 3 Tagen' ist 2026-11-18"],
        );
    }

    #[test]
    fn leaves_alone_what_today_does_not_tell() {
        for question in [
            "How many orders were placed in 2024?",
            "Orders in March 2025",
            "Sales since Easter",
            "How many albums are called 'Today'?",
            "Who sang Yesterday?",
            "The last 5 orders",
            "Customers with the last name Smith",
            "Revenue of the last fiscal year",
            "Revenue against the same month last year",
            "The last week of July 2022",
        ] {
            check(question, &[]);
        }
    }
}
