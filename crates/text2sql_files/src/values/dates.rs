//! Days and times as people and programs write them.

use jiff::civil::Date;

use crate::options::DateOrder;

/// A day, and perhaps a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment<'a> {
    date: Date,
    /// Hours, minutes, seconds with their fraction.
    pub(crate) time: Option<&'a str>,
    zone: Option<&'a str>,
}

impl Moment<'_> {
    /// Whether it has a distance to UTC.
    pub(crate) fn is_zoned(&self) -> bool {
        self.zone.is_some()
    }

    /// As PostgreSQL reads it whatever its `DateStyle` is.
    pub(crate) fn written(&self) -> String {
        let mut written = format!(
            "{:04}-{:02}-{:02}",
            self.date.year(),
            self.date.month(),
            self.date.day()
        );
        if let Some(time) = self.time {
            written.push(' ');
            written.push_str(time);
        }
        if let Some(zone) = self.zone {
            written.push_str(if zone == "z" { "Z" } else { zone });
        }
        written
    }
}

/// Reads a day, and a time after it. Years have four digits: what a shorter one means is not in the file.
pub(crate) fn read(text: &str, order: DateOrder) -> Option<Moment<'_>> {
    if !(8..=40).contains(&text.len()) || !text.is_ascii() {
        return None;
    }
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let end = text.find([' ', 'T']).unwrap_or(text.len());
    let (day, rest) = text.split_at(end);
    let date = date(day, order)?;
    if rest.is_empty() {
        return Some(Moment {
            date,
            time: None,
            zone: None,
        });
    }
    let (time, zone) = time(rest.get(1..)?.trim_start())?;
    Some(Moment {
        date,
        time: Some(time),
        zone,
    })
}

fn date(text: &str, order: DateOrder) -> Option<Date> {
    let separator = text.chars().find(|c| !c.is_ascii_digit())?;
    // Month-first dates are not written with full stops.
    let is_usual = match order {
        DateOrder::Ymd => matches!(separator, '-' | '/' | '.'),
        DateOrder::Dmy => matches!(separator, '.' | '/' | '-'),
        DateOrder::Mdy => matches!(separator, '/' | '-'),
    };
    let mut parts = text.split(separator);
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    if !is_usual || parts.next().is_some() {
        return None;
    }
    let (year, month, day) = match order {
        DateOrder::Ymd => (one, two, three),
        DateOrder::Dmy => (three, two, one),
        DateOrder::Mdy => (three, one, two),
    };
    let number = |text: &str, longest: usize| {
        let is_number =
            (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i16>().ok()).flatten()
    };
    let year = number(year, 4).filter(|_| year.len() == 4)?;
    let month = i8::try_from(number(month, 2)?).ok()?;
    let day = i8::try_from(number(day, 2)?).ok()?;
    (year > 0)
        .then(|| Date::new(year, month, day).ok())
        .flatten()
}

/// A time of at most microseconds, more of which PostgreSQL would round, and a distance to UTC.
fn time(text: &str) -> Option<(&str, Option<&str>)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.'))
        .unwrap_or(text.len());
    let (time, zone) = text.split_at(end);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = clock.split(':');
    let mut part = |most: u8| {
        let text = parts.next()?;
        let number: u8 = text.parse().ok()?;
        (text.len() <= 2 && number <= most).then_some(())
    };
    part(23)?;
    part(59)?;
    let has_seconds = clock.matches(':').count() == 2;
    if has_seconds {
        part(59)?;
    }
    let is_time = parts.next().is_none()
        && fraction.len() <= 6
        && (has_seconds || fraction.is_empty())
        && time.ends_with(|c: char| c.is_ascii_digit());
    let zone = zone.trim_start();
    (is_time && (zone.is_empty() || is_zone(zone)))
        .then(|| (time, (!zone.is_empty()).then_some(zone)))
}

fn is_zone(text: &str) -> bool {
    let Some(distance) = text.strip_prefix(['+', '-']) else {
        return matches!(text, "Z" | "z");
    };
    let digits: String = distance.chars().filter(|c| *c != ':').collect();
    let is_hours = digits
        .get(..2)
        .is_some_and(|hours| hours.parse::<u8>().is_ok_and(|hours| hours <= 15));
    let is_minutes = digits.get(2..).is_some_and(|minutes| {
        minutes.is_empty() || minutes.parse::<u8>().is_ok_and(|minutes| minutes < 60)
    });
    matches!(digits.len(), 2 | 4) && is_hours && is_minutes && !distance.ends_with(':')
}
