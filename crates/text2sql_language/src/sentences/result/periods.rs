//! Periods in the rows of a series.

use super::facts::TimeUnit;
use crate::calendar::{first_of_week, parse_date, plus_days, plus_months};
use jiff::civil::Date;

/// The first day of the period that a cell holds: a day, a time, `2024-03`, `2024-Q1`, `2024`.
pub fn first_day(text: &str, unit: TimeUnit) -> Option<Date> {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    if let Some(day) = parse_date(day) {
        return Some(day);
    }
    let text = text.trim();
    let (year, rest) = text.split_at_checked(4)?;
    let year: i16 = year.parse().ok()?;
    let rest = rest.trim_start_matches(['-', '/', ' ']);
    let month = match (unit, rest) {
        (TimeUnit::Year, "" | ".0") => 1,
        (TimeUnit::Quarter, rest) => {
            let quarter: i8 = rest.trim_start_matches(['Q', 'q']).parse().ok()?;
            quarter.checked_mul(3)?.checked_sub(2)?
        }
        (TimeUnit::Month, rest) if rest.len() <= 2 => rest.parse().ok()?,
        _ => return None,
    };
    Date::new(year, month, 1).ok()
}

/// The first day of the period of a year and a number within it.
pub fn within_year(year: &str, number: &str, unit: TimeUnit) -> Option<Date> {
    let whole = |text: &str| text.split('.').next().unwrap_or_default().trim().to_owned();
    let number: i8 = whole(number).parse().ok()?;
    let month = match unit {
        TimeUnit::Month => number,
        TimeUnit::Quarter => number.checked_mul(3)?.checked_sub(2)?,
        _ => return None,
    };
    Date::new(whole(year).parse().ok()?, month, 1).ok()
}

/// The day after the period.
pub fn end(first: Date, unit: TimeUnit) -> Date {
    match unit {
        TimeUnit::Year => plus_months(first, 12),
        TimeUnit::Quarter => plus_months(first, 3),
        TimeUnit::Month => plus_months(first, 1),
        TimeUnit::Week => plus_days(first_of_week(first), 7),
        TimeUnit::Day => plus_days(first, 1),
    }
}

/// Whether the day is in the period, so that the period is not over.
pub fn is_running(first: Date, unit: TimeUnit, today: Date) -> bool {
    first <= today && today < end(first, unit)
}
