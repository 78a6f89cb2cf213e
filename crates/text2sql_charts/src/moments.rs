//! Dates and times: read as PostgreSQL writes them in JSON, divided for an axis, and written as a language does.

use jiff::Span;
use jiff::civil::{Date, DateTime, Time};
use text2sql_phrases::{Language, say_in};

/// A point in time. The offset of a time zone is not read: PostgreSQL wrote it in the time zone of the session, and
/// that is the clock its reader knows.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Moment {
    pub(crate) at: DateTime,
    /// Seconds since 1970.
    pub(crate) seconds: f64,
}

/// How fine a column of points in time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grain {
    Second,
    Day,
    Month,
    Year,
}

impl Moment {
    fn at(at: DateTime) -> Self {
        let since = at
            .duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0))
            .as_secs_f64();
        Self { at, seconds: since }
    }

    /// Reads a date or a timestamp. None for `infinity`, and for years with more than four digits.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (text, is_bc) = match text.strip_suffix(" BC") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, time),
            None => (text, ""),
        };
        let mut parts = date.split('-');
        let year: i16 = parts.next()?.parse().ok()?;
        let (month, day) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        // There is no year 0: 1 BC is the year 0 of ISO 8601.
        let year = if is_bc { 1 - year } else { year };
        let date = Date::new(year, month, day).ok()?;
        // The offset begins with a sign or is "Z".
        let time = time.split(['+', '-', 'Z']).next().unwrap_or_default();
        let time = if time.is_empty() {
            Time::midnight()
        } else {
            time.parse().ok()?
        };
        Some(Self::at(date.to_datetime(time)))
    }

    /// The beginning of a year.
    pub(crate) fn of_year(year: &str) -> Option<Self> {
        let year: i16 = year.parse().ok()?;
        Some(Self::at(Date::new(year, 1, 1).ok()?.at(0, 0, 0, 0)))
    }

    fn grain(self) -> Grain {
        let at = self.at;
        if at.time() != Time::midnight() {
            Grain::Second
        } else if at.day() != 1 {
            Grain::Day
        } else if at.month() != 1 {
            Grain::Month
        } else {
            Grain::Year
        }
    }

    /// As a language writes it.
    pub(crate) fn write(self, grain: Grain, language: Language) -> String {
        let at = self.at;
        let year = match at.year() {
            year @ 1.. => year.to_string(),
            // ISO 8601 has a year 0, people do not.
            year => say_in!(language, "{year} BC", year = 1 - year),
        };
        let month = month_name(at.month(), language);
        let day = at.day();
        match grain {
            Grain::Year => year,
            Grain::Month => format!("{month} {year}"),
            Grain::Day => say_in!(language, "{day} {month} {year}"),
            Grain::Second => format!(
                "{}, {}",
                self.write(Grain::Day, language),
                clock(at.time(), at.second() != 0)
            ),
        }
    }
}

fn clock(time: Time, with_seconds: bool) -> String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    if with_seconds {
        format!("{hour:02}:{minute:02}:{second:02}")
    } else {
        format!("{hour:02}:{minute:02}")
    }
}

fn month_name(month: i8, language: Language) -> String {
    const MONTHS: [&str; 12] = [
        "Jan",
        "Feb",
        "Mar",
        "Apr",
        "short^May",
        "Jun",
        "Jul",
        "Aug",
        "Sep",
        "Oct",
        "Nov",
        "Dec",
    ];
    let index = usize::try_from(month - 1).unwrap_or_default();
    let name = MONTHS.get(index).copied().unwrap_or_default();
    say_in!(language, name)
}

/// The coarsest grain that tells all of these apart from their beginnings.
pub(crate) fn common_grain(moments: &[Moment]) -> Grain {
    moments
        .iter()
        .map(|moment| moment.grain())
        .min()
        .unwrap_or(Grain::Day)
}

/// How far apart the divisions of an axis are.
#[derive(Clone, Copy)]
enum Step {
    Seconds(i64),
    Days(i64),
    Months(i64),
    Years(i64),
}

impl Step {
    const ALL: [Self; 27] = [
        Self::Seconds(1),
        Self::Seconds(5),
        Self::Seconds(15),
        Self::Seconds(30),
        Self::Seconds(60),
        Self::Seconds(5 * 60),
        Self::Seconds(15 * 60),
        Self::Seconds(30 * 60),
        Self::Seconds(3_600),
        Self::Seconds(3 * 3_600),
        Self::Seconds(6 * 3_600),
        Self::Seconds(12 * 3_600),
        Self::Days(1),
        Self::Days(2),
        Self::Days(7),
        Self::Months(1),
        Self::Months(2),
        Self::Months(3),
        Self::Months(6),
        Self::Years(1),
        Self::Years(2),
        Self::Years(5),
        Self::Years(10),
        Self::Years(20),
        Self::Years(100),
        Self::Years(500),
        Self::Years(1_000),
    ];

    fn seconds(self) -> f64 {
        match self {
            Self::Seconds(count) => count as f64,
            Self::Days(count) => count as f64 * 86_400.0,
            Self::Months(count) => count as f64 * 2_629_746.0,
            Self::Years(count) => count as f64 * 31_556_952.0,
        }
    }

    fn grain(self) -> Grain {
        match self {
            Self::Seconds(_) => Grain::Second,
            Self::Days(_) => Grain::Day,
            Self::Months(_) => Grain::Month,
            Self::Years(_) => Grain::Year,
        }
    }

    fn span(self) -> Option<Span> {
        match self {
            Self::Seconds(count) => Span::new().try_seconds(count),
            Self::Days(count) => Span::new().try_days(count),
            Self::Months(count) => Span::new().try_months(count),
            Self::Years(count) => Span::new().try_years(count),
        }
        .ok()
    }

    /// The last division before a point in time, or at it.
    fn floor(self, at: DateTime) -> Option<DateTime> {
        let midnight = at.date().at(0, 0, 0, 0);
        match self {
            Self::Seconds(count) => {
                let of_day = i64::from(at.hour()) * 3_600
                    + i64::from(at.minute()) * 60
                    + i64::from(at.second());
                midnight
                    .checked_add(Span::new().try_seconds(of_day - of_day % count).ok()?)
                    .ok()
            }
            Self::Days(_) => Some(midnight),
            Self::Months(count) => {
                let month = i64::from(at.month()) - 1;
                let month = i8::try_from(month - month % count + 1).ok()?;
                Some(Date::new(at.year(), month, 1).ok()?.at(0, 0, 0, 0))
            }
            Self::Years(count) => {
                // Before the year 1, years are counted backwards from 1 BC, which is 0 here.
                let shift = i64::from(at.year() <= 0 && count > 1);
                let year = i64::from(at.year()) - shift;
                let year = i16::try_from(year - year.rem_euclid(count) + shift).ok()?;
                Some(Date::new(year, 1, 1).ok()?.at(0, 0, 0, 0))
            }
        }
    }

    fn label(self, at: DateTime, is_first: bool, language: Language) -> String {
        let moment = Moment::at(at);
        match self {
            Self::Seconds(count) => {
                let time = clock(at.time(), count % 60 != 0);
                if is_first || at.time() == Time::midnight() {
                    moment.write(Grain::Day, language)
                } else {
                    time
                }
            }
            Self::Days(_) if !is_first && at.day_of_year() > 7 => {
                let (day, month) = (at.day(), month_name(at.month(), language));
                say_in!(language, "{day} {month}")
            }
            step => moment.write(step.grain(), language),
        }
    }
}

/// Divides the time from `low` to `high` into at most about `count` parts, none finer than the column.
pub(crate) fn divide(
    low: Moment,
    high: Moment,
    grain: Grain,
    count: usize,
    language: Language,
) -> Vec<(f64, String)> {
    let wanted = (high.seconds - low.seconds) / count.max(1) as f64;
    let step = Step::ALL
        .into_iter()
        .find(|step| step.grain() >= grain && step.seconds() >= wanted * 0.999)
        .unwrap_or(Step::Years(1_000));
    let (Some(mut at), Some(span)) = (step.floor(low.at), step.span()) else {
        return Vec::new();
    };
    let mut found: Vec<(f64, String)> = Vec::new();
    while at <= high.at && found.len() <= 2 * count + 2 {
        if at >= low.at {
            let label = step.label(at, found.is_empty(), language);
            found.push((Moment::at(at).seconds, label));
        }
        match at.checked_add(span) {
            Ok(next) => at = next,
            Err(_) => break,
        }
    }
    found
}
