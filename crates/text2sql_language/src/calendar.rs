//! Days of the calendar: their text, and the months and weeks that they are in.

use jiff::ToSpan;
use jiff::civil::Date;

/// Reads `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<Date> {
    let (year, _) = text.split_once('-')?;
    (year.len() == 4)
        .then(|| Date::strptime("%Y-%m-%d", text).ok())
        .flatten()
}

/// The day that many days later.
pub fn plus_days(day: Date, days: i32) -> Date {
    day.saturating_add(days.days())
}

/// The same day of another month, or the last one where that month is shorter.
pub fn plus_months(day: Date, months: i32) -> Date {
    day.saturating_add(months.months())
}

/// Whether it is the first of January.
pub fn is_first_of_year(day: Date) -> bool {
    day.month() == 1 && day.day() == 1
}

/// The Monday of its week.
pub fn first_of_week(day: Date) -> Date {
    let since_monday = day.weekday().to_monday_zero_offset();
    day.saturating_sub(since_monday.days())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_days_with_a_whole_year_are_read() {
        let check = |text: &str, expect: Option<&str>| {
            let day = parse_date(text).map(|day| day.to_string());
            assert_eq!(day.as_deref(), expect, "{text}");
        };
        check("2024-02-29", Some("2024-02-29"));
        check("2024-1-5", Some("2024-01-05"));
        for text in [
            "2023-02-29",
            "2024-13-01",
            "24-01-01",
            "2024-01",
            "2024-01-01-01",
            "2024-01-01 ",
            " 2024-01-01",
            "2024/01/01",
            "20240101",
            "-024-01-01",
            "2024-01-01T00:00",
            "tomorrow",
            "",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn months_and_weeks_are_counted_from_a_day() {
        let day = |text: &str| parse_date(text).unwrap();
        assert_eq!(plus_months(day("2024-03-31"), -1), day("2024-02-29"));
        assert_eq!(plus_months(day("2023-10-31"), 4), day("2024-02-29"));
        assert_eq!(first_of_week(day("2024-03-03")), day("2024-02-26"));
        assert_eq!(first_of_week(day("2024-02-26")), day("2024-02-26"));
        assert_eq!(plus_days(day("2023-12-31"), 1), day("2024-01-01"));
        assert_eq!(plus_days(day("2024-03-01"), -1), day("2024-02-29"));
    }
}
