//! Years of a question that its query has no condition with, where it has one with another year.

use jiff::civil::Date;
use text2sql_language::calendar::{parse_date, plus_days};
use text2sql_phrases::say;
use text2sql_sql::tree::Tree;

use super::date_ranges::{Days, bounds, days_in_words};
use super::said::{Asked, Said, Used, is_year};
use super::{Check, Finding};

pub(super) fn find(
    tree: &Tree<'_>,
    sql: &str,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let years: Vec<i16> = said
        .question
        .words()
        .iter()
        .filter(|word| is_year(word))
        .filter_map(|word| word.parse().ok())
        .collect();
    // What owners say of days may have other bounds than the year.
    let is_taught = asked.periods.iter().any(|period| period.means.is_some())
        || !asked.definitions.is_empty()
        || asked.is_instructed;
    if years.is_empty() || is_taught {
        return None;
    }
    let used = Used::of(sql)?;
    let kept = bounds(tree, parse_date(said.question.today())?);
    let mut missing = years.iter().filter(|year| {
        !used.numbers.contains(&f64::from(**year))
            && !kept.iter().any(|days| touches(*days, **year))
    });
    let missing = missing.next()?;
    let other = kept
        .iter()
        .find(|days| !years.iter().any(|year| touches(**days, *year)));
    // Both of two conditions are on one of two years.
    let is_doubled = || {
        let ends = |days: &&Days| days.0.is_some() && days.1.is_some();
        let mut whole = kept.iter().filter(ends);
        let first = whole.next()?;
        let mut others = whole.peekable();
        others.peek()?;
        (years.len() > 1 && others.all(|other| other == first)).then_some(first)
    };
    let kept = other.or_else(is_doubled)?;
    Some(
        Check::Period.error(say!(
            "The question says {year}, and the query has no condition with it: it keeps {kept}.",
            year = missing,
            kept = days_in_words(*kept)
        ))
        .with_fix(say!("keep {days}", days = missing)),
    )
}

/// Whether days are those of a year, or end or begin with it.
fn touches(days: Days, year: i16) -> bool {
    let is_near = |day: Date| {
        [-1, 0, 1]
            .into_iter()
            .any(|by| plus_days(day, by).year() == year)
    };
    match days {
        (Some(from), Some(before)) => from.year() <= year && plus_days(before, -1).year() >= year,
        (Some(day), None) | (None, Some(day)) => is_near(day),
        (None, None) => true,
    }
}
