//! Time spans in a question: a period with its preposition, possibly open at one end.

use super::period::Period;
use super::{dates, relative};
use crate::calendar::{plus_days, plus_months};
use crate::english::lexicon::month_of;
use crate::words::{Token, TokenKind};
use jiff::civil::Date;

/// From the first day, and before the last.
pub type Span = (Option<Date>, Option<Date>);

/// Reads a time span at the first token, and returns the number of tokens read.
pub fn read(tokens: &[Token], today: Date) -> Option<(Span, usize)> {
    let period = |from: usize| -> Option<(Period, usize)> {
        let (period, taken) = dates::read_period(tokens.get(from..)?, today)?;
        Some((period, from + taken))
    };
    let is = |at: usize, words: &[&str]| {
        tokens.get(at).is_some_and(|token| {
            token.kind != TokenKind::Quoted && words.contains(&token.lower.as_str())
        })
    };
    let closed = |(period, taken): (Period, usize)| ((Some(period.start), Some(period.end)), taken);
    let first = tokens
        .first()
        .filter(|token| token.kind != TokenKind::Quoted)?;
    match first.lower.as_str() {
        "between" => {
            let (start, taken) = period(1)?;
            let (end, taken) = is(taken, &["and"]).then(|| period(taken + 1))??;
            Some(((Some(start.start), Some(end.end)), taken))
        }
        "from" => {
            let (start, taken) = period(1)?;
            if is(taken, &["to", "until", "till", "through"]) {
                let (end, taken) = period(taken + 1)?;
                return Some(((Some(start.start), Some(end.end)), taken));
            }
            if is(taken, &["onwards", "onward", "on"]) {
                return Some(((Some(start.start), None), taken + 1));
            }
            Some(((Some(start.start), Some(start.end)), taken))
        }
        "in" | "during" | "on" | "for" | "of" | "within" | "over" => period(1).map(closed),
        "since" => {
            let (start, taken) = period(1)
                .map(|(period, taken)| (period.start, taken))
                .or_else(|| since_month(tokens, today))
                .or_else(|| since_units(tokens, today))?;
            Some(((Some(start), None), taken))
        }
        "after" => period(1).map(|(period, taken)| ((Some(period.end), None), taken)),
        // German has "before 3 days" for "3 days ago".
        "before" => period(1)
            .map(|(period, taken)| ((None, Some(period.start)), taken))
            .or_else(|| Some(closed(days_before(tokens, today)?))),
        "so" if is(1, &["far"]) => Some((until_now(today), 2)),
        "until" | "till" if is(1, &["now"]) => Some((until_now(today), 2)),
        "up" if is(1, &["to", "until", "till"]) && is(2, &["now", "today"]) => {
            Some((until_now(today), 3))
        }
        "until" | "till" => period(1).map(|(period, taken)| ((None, Some(period.end)), taken)),
        "as" if is(1, &["of"]) => {
            period(2).map(|(period, taken)| ((None, Some(period.end)), taken))
        }
        "last" | "past" | "previous" | "this" | "current" | "next" => period(0).map(closed),
        _ => relative::read(tokens, today).map(closed),
    }
}

/// All days up to today, "so far".
fn until_now(today: Date) -> Span {
    (None, Some(plus_days(today, 1)))
}

/// "since January": the last one that has begun.
fn since_month(tokens: &[Token], today: Date) -> Option<(Date, usize)> {
    let month = month_of(&tokens.get(1)?.lower)?;
    let in_this_year = Date::new(today.year(), month, 1).ok()?;
    let start = match in_this_year <= today {
        true => in_this_year,
        false => plus_months(in_this_year, -12),
    };
    Some((start, 2))
}

/// "since 3 days", as in German.
fn since_units(tokens: &[Token], today: Date) -> Option<(Date, usize)> {
    let (period, taken) = days_before(tokens, today)?;
    Some((period.start, taken))
}

/// The number and the unit after a preposition, read as if "ago" followed.
fn days_before(tokens: &[Token], today: Date) -> Option<(Period, usize)> {
    let mut words: Vec<Token> = tokens.get(1..3)?.to_vec();
    words.push(Token::new("ago", TokenKind::Word));
    relative::read(&words, today).map(|(period, _)| (period, 3))
}
