//! Periods that are counted from today: "last month", "year to date", "3 days ago".

use super::period::Period;
use super::unit::Unit;
use super::whole_units;
use crate::calendar::plus_days;
use crate::words::{Token, TokenKind};
use jiff::civil::Date;

/// Maximum number of units that a period may reach back or ahead.
const MAX_UNITS: i32 = 1000;

/// Reads a relative period at the first token, and returns the number of tokens read.
pub fn read(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    // "Today" in quotes is a title.
    if tokens.first()?.kind == TokenKind::Quoted {
        return None;
    }
    single_word(tokens, today)
        .or_else(|| to_date(tokens, today))
        .or_else(|| ago(tokens, today))
        .or_else(|| several(tokens, today))
        .or_else(|| neighbour(tokens, today))
}

fn is(tokens: &[Token], words: &[&str]) -> bool {
    words
        .iter()
        .enumerate()
        .all(|(i, word)| tokens.get(i).is_some_and(|token| token.lower == *word))
}

fn single_word(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    if is(tokens, &["day", "before", "yesterday"]) {
        return Some((Unit::Day.at(today, -2), 3));
    }
    if is(tokens, &["day", "after", "tomorrow"]) {
        return Some((Unit::Day.at(today, 2), 3));
    }
    let offset = match tokens.first()?.lower.as_str() {
        "today" => 0,
        "yesterday" => -1,
        "tomorrow" => 1,
        _ => return None,
    };
    Some((Unit::Day.at(today, offset), 1))
}

/// From the beginning of the unit until today: "year to date", "this month so far".
fn to_date(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    let until_today = |unit: Unit, taken: usize| {
        let period = Period {
            end: plus_days(today, 1),
            ..unit.at(today, 0)
        };
        Some((period, taken))
    };
    let first = tokens.first()?.lower.as_str();
    match first {
        "ytd" | "year-to-date" => return until_today(Unit::Year, 1),
        "qtd" | "quarter-to-date" => return until_today(Unit::Quarter, 1),
        "mtd" | "month-to-date" => return until_today(Unit::Month, 1),
        "wtd" | "week-to-date" => return until_today(Unit::Week, 1),
        _ => {}
    }
    let unit_at = |at: usize| tokens.get(at).and_then(|token| Unit::of(&token.lower));
    let rest = |from: usize| tokens.get(from..).unwrap_or_default();
    if let Some(unit) = Unit::of(first)
        && is(rest(1), &["to", "date"])
    {
        return until_today(unit, 3);
    }
    let says_this = |at: usize| is(rest(at), &["this"]) || is(rest(at), &["current"]);
    if says_this(0)
        && let Some(unit) = unit_at(1)
        && (is(rest(2), &["so", "far"]) || is(rest(2), &["to", "date"]))
    {
        return until_today(unit, 4);
    }
    // The part of the one before that has the days of this one.
    if matches!(first, "last" | "previous" | "prior")
        && let Some(unit) = unit_at(1)
        && unit != Unit::Day
        && is(rest(2), &["to", "date"])
    {
        let period = Period {
            end: plus_days(unit.shift(today, -1), 1),
            ..unit.at(today, -1)
        };
        return Some((period, 4));
    }
    if is(tokens, &["so", "far"])
        && says_this(2)
        && let Some(unit) = unit_at(3)
    {
        return until_today(unit, 4);
    }
    None
}

/// "3 days ago", "two months ago": the unit as a whole.
fn ago(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    let count = count_of(tokens.first()?)?;
    let unit = Unit::of(&tokens.get(1)?.lower)?;
    is(tokens.get(2..)?, &["ago"]).then(|| (unit.at(today, -count), 3))
}

/// "last 7 days" ends with today, "last 8 full weeks" and "last 8 weeks excluding the current week" with the unit
/// before the current one; "next 7 days" begins with today.
fn several(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    let count = count_of(tokens.get(1)?)?;
    let is_whole = tokens.get(2).is_some_and(whole_units::says_whole);
    let taken = 3 + usize::from(is_whole);
    let unit = Unit::of(&tokens.get(taken - 1)?.lower)?;
    let whole = || Period {
        start: unit.at(today, -count).start,
        end: unit.at(today, 0).start,
    };
    match tokens.first()?.lower.as_str() {
        "last" | "past" | "previous" => {
            let rolling = Period {
                start: plus_days(unit.shift(today, -count), 1),
                end: plus_days(today, 1),
            };
            let excluded = whole_units::excluded(tokens.get(taken..)?, unit);
            let period = match excluded {
                _ if is_whole => whole(),
                None => rolling,
                Some((without, _)) if without == unit => whole(),
                Some((Unit::Day, _)) => Period {
                    start: unit.shift(today, -count),
                    end: today,
                },
                Some((without, _)) => Period {
                    end: without.at(today, 0).start,
                    ..rolling
                },
            };
            let more = excluded.map_or(0, |(_, more)| more);
            (period.start < period.end).then_some((period, taken + more))
        }
        "next" | "coming" | "following" if !is_whole => {
            let period = Period {
                start: today,
                end: unit.shift(today, count),
            };
            Some((period, taken))
        }
        "next" | "coming" | "following" => {
            let period = Period {
                start: unit.at(today, 1).start,
                end: unit.at(today, count).end,
            };
            Some((period, taken))
        }
        _ => None,
    }
}

/// "last month", "this week", "next year".
fn neighbour(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    let offset = match tokens.first()?.lower.as_str() {
        "last" | "previous" => -1,
        "this" | "current" => 0,
        "next" | "coming" => 1,
        _ => return None,
    };
    let is_whole = offset < 0 && tokens.get(1).is_some_and(whole_units::says_whole);
    let taken = 2 + usize::from(is_whole);
    let unit = Unit::of(&tokens.get(taken - 1)?.lower)?;
    // "the last day" is relative to something else.
    (unit != Unit::Day).then(|| (unit.at(today, offset), taken))
}

fn count_of(token: &Token) -> Option<i32> {
    let count = token.number.as_ref()?.parse().ok()?;
    (1..=MAX_UNITS).contains(&count).then_some(count)
}
