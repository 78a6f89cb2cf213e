//! A figure for each period: the last value, the change, the extremes.

use super::facts::{Role, TimeUnit};
use super::format::{MAX_NAME, Number, change, total};
use super::frame::Frame;
use super::kinds::{Change, Point, Series};
use super::periods::{first_day, is_running, within_year};
use super::table::Table;
use crate::calendar::parse_date;
use jiff::civil::Date;
use text2sql_domain::sql_result::Cell;

/// Minimum number of periods for extremes to be worth a word.
const FEWEST_FOR_EXTREMES: usize = 4;

/// A period with its figure.
struct Period {
    first: Date,
    said: String,
    number: Number,
}

/// The series, if each row is a period and nothing else.
pub(super) fn of(table: &Table<'_>, frame: &Frame) -> Option<Series> {
    let at = *table.measures.first()?;
    let is_cut = table.is_truncated() || table.is_limited();
    if !table.facts().is_grouped || table.rows.len() < 2 || is_cut {
        return None;
    }
    let unit = unit(table)?;
    let mut periods: Vec<Period> = Vec::new();
    for row in table.rows {
        // An empty period is no point of the series.
        if table.number(row, at).is_none() && Table::text(row, at).is_none() {
            continue;
        }
        periods.push(Period {
            first: day(table, row, unit)?,
            said: table.said(row, at, MAX_NAME)?,
            number: table.number(row, at)?,
        });
    }
    periods.sort_by_key(|period| period.first);
    if periods
        .windows(2)
        .any(|pair| matches!(pair, [one, other] if one.first == other.first))
    {
        return None;
    }
    let today = parse_date(table.found.understanding.today())?;
    let unfinished = match periods.last() {
        Some(last) if is_running(last.first, unit, today) => periods.pop(),
        _ => None,
    };
    let last = periods.last()?;
    let output = table.output(at);
    let point = |period: &Period| Point {
        period: table.phrases.period(unit, period.first),
        value: period.said.clone(),
    };
    let since = |period: &Period| -> Option<(Point, Change)> {
        let change = change(
            table.phrases,
            period.number,
            last.number,
            output.unit.as_deref(),
        )?;
        Some((point(period), change))
    };
    let earlier = periods
        .split_last()
        .map(|(_, earlier)| earlier)
        .unwrap_or_default();
    let by_number =
        |one: &&Period, other: &&Period| one.number.value.total_cmp(&other.number.value);
    let is_long = periods.len() >= FEWEST_FOR_EXTREMES;
    // A period is singled out only if no other has the same value.
    let alone = |period: &&Period| {
        let equal = periods
            .iter()
            .filter(|other| other.number.value == period.number.value);
        is_long && equal.count() == 1 && period.first != last.first
    };
    // The first one has a phrase of its own.
    let is_later = |period: &&Period| {
        earlier
            .first()
            .is_none_or(|first| first.first != period.first)
    };
    let adds_up = matches!(output.role, Role::Count | Role::Sum) && !table.facts().is_partial;
    let numbers: Vec<Number> = periods
        .iter()
        .chain(&unfinished)
        .map(|period| period.number)
        .collect();
    let total = adds_up
        .then(|| total(table.phrases, &numbers, output.unit.as_deref()))
        .flatten();
    Some(Series {
        measure: table.measure(at, Some(frame)),
        unit,
        count: numbers.len(),
        unfinished: unfinished.as_ref().map(point),
        last: point(last),
        before: earlier.last().and_then(since),
        first: earlier
            .first()
            .filter(|_| earlier.len() > 1)
            .and_then(since),
        highest: periods
            .iter()
            .max_by(by_number)
            .filter(alone)
            .filter(is_later)
            .map(point),
        lowest: periods
            .iter()
            .min_by(by_number)
            .filter(alone)
            .filter(is_later)
            .map(point),
        total: total.map(|(_, text)| text),
    })
}

/// The length of the periods, if the rows have no other name than a period.
fn unit(table: &Table<'_>) -> Option<TimeUnit> {
    let units = table.names.iter().map(|at| match table.output(*at).role {
        Role::Time(unit) => Some(unit),
        _ => None,
    });
    match units.collect::<Option<Vec<_>>>()?.as_slice() {
        [unit] => Some(*unit),
        [TimeUnit::Year, unit @ (TimeUnit::Month | TimeUnit::Quarter)] => Some(*unit),
        _ => None,
    }
}

fn day(table: &Table<'_>, row: &[Cell], unit: TimeUnit) -> Option<Date> {
    match table.names.as_slice() {
        [at] => first_day(Table::text(row, *at)?, unit),
        [year, number] => within_year(Table::text(row, *year)?, Table::text(row, *number)?, unit),
        _ => None,
    }
}
