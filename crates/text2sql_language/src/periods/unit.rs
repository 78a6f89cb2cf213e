//! Units of the calendar, counted from a day.

use super::period::{Period, months};
use crate::calendar::{first_of_week, plus_days, plus_months};
use jiff::civil::Date;

/// A calendar unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub(super) fn of(lower: &str) -> Option<Self> {
        Some(match lower {
            "day" | "days" => Self::Day,
            "week" | "weeks" => Self::Week,
            "month" | "months" => Self::Month,
            "quarter" | "quarters" => Self::Quarter,
            "year" | "years" => Self::Year,
            _ => return None,
        })
    }

    /// The unit that many units from the one that holds the day.
    pub(super) fn at(self, day: Date, offset: i32) -> Period {
        match self {
            Self::Day => {
                let start = plus_days(day, offset);
                Period {
                    start,
                    end: plus_days(start, 1),
                }
            }
            Self::Week => {
                let start = plus_days(first_of_week(day), 7 * offset);
                Period {
                    start,
                    end: plus_days(start, 7),
                }
            }
            Self::Month => months(plus_months(day.first_of_month(), offset), 1),
            Self::Quarter => {
                let since_quarter = i32::from((day.month() - 1) % 3);
                let first = plus_months(day.first_of_month(), 3 * offset - since_quarter);
                months(first, 3)
            }
            Self::Year => months(plus_months(day.first_of_year(), 12 * offset), 12),
        }
    }

    /// The day that many units from this one.
    pub(super) fn shift(self, day: Date, count: i32) -> Date {
        match self {
            Self::Day => plus_days(day, count),
            Self::Week => plus_days(day, 7 * count),
            Self::Month => plus_months(day, count),
            Self::Quarter => plus_months(day, 3 * count),
            Self::Year => plus_months(day, 12 * count),
        }
    }
}
