//! A period of days.

use crate::calendar::plus_months;
use jiff::civil::Date;

/// A half-open range of days: from its first day to the day after its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub start: Date,
    /// The day after the last.
    pub end: Date,
}

/// A number of months from a day on.
pub fn months(start: Date, count: i32) -> Period {
    Period {
        start,
        end: plus_months(start, count),
    }
}
