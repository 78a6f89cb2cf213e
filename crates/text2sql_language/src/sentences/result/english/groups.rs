//! English sentences about groups and series.

use super::super::facts::TimeUnit;
use super::super::frame::{capital, named};
use super::super::kinds::{Change, Extreme, Groups, Measure, Point, Series};
use super::nouns::many;
use super::words::{and, number};

/// Groups.
pub(super) fn groups(groups: &Groups) -> String {
    let heading = heading(&groups.measure, &groups.keys);
    if !groups.all.is_empty() {
        let parts: Vec<String> = groups
            .all
            .iter()
            .map(|(name, value, share)| match share {
                Some(share) => format!("{} ({share})", named(name, value)),
                None => named(name, value),
            })
            .collect();
        let total = groups
            .total
            .as_ref()
            .map_or_else(String::new, |total| format!("; {total} in all"));
        return match groups.is_truncated {
            true => format!("{heading}: {}; there are more.", parts.join(", ")),
            false => format!("{heading}: {}{total}.", and(&parts)),
        };
    }
    let things = match groups.keys.as_slice() {
        [key] => many(key),
        _ => "groups".to_owned(),
    };
    let count = number(groups.count);
    let Some(lowest) = &groups.lowest else {
        return format!(
            "{heading}: each of the {count} {things} has {}.",
            groups.highest.value
        );
    };
    let share = |extreme: &Extreme| match (&extreme.share, &groups.total) {
        (Some(share), Some(_)) => format!(" ({share})"),
        _ => String::new(),
    };
    let end = match (&groups.total, groups.is_cut) {
        (Some(total), _) => format!("; {total} in all, in {count} {things}"),
        (None, true) => format!("; {count} {things} are shown"),
        (None, false) => format!("; {count} {things}"),
    };
    format!(
        "{heading}: {} highest{}{}, {} lowest{}{}{end}.",
        extreme(&groups.highest),
        with_value(&groups.highest),
        share(&groups.highest),
        extreme(lowest),
        with_value(lowest),
        share(lowest),
    )
}

/// A series in time.
pub(super) fn series(series: &Series) -> String {
    let heading = heading(&series.measure, &[unit(series.unit, false).to_owned()]);
    let mut parts = Vec::new();
    let change = |change: &Change| {
        let percent = change
            .percent
            .as_ref()
            .map_or_else(String::new, |percent| format!(" ({percent})"));
        match change.direction {
            std::cmp::Ordering::Greater => format!("{}{percent} more than", change.difference),
            std::cmp::Ordering::Less => format!("{}{percent} less than", change.difference),
            std::cmp::Ordering::Equal => "as much as".to_owned(),
        }
    };
    let last = &series.last;
    let in_period = |point: &Point| format!("in {}", point.period);
    let before = series
        .before
        .as_ref()
        .map_or_else(String::new, |(point, how)| {
            format!(", {} {} ({})", change(how), in_period(point), point.value)
        });
    if let Some(now) = &series.unfinished {
        parts.push(format!(
            "{} so far {}, which is not over; {} {}{before}",
            now.value,
            in_period(now),
            last.value,
            in_period(last)
        ));
    } else {
        parts.push(format!("{} {}{before}", last.value, in_period(last)));
    }
    if let Some((first, how)) = &series.first {
        let amount = how.percent.as_ref().unwrap_or(&how.difference);
        let trend = match how.direction {
            std::cmp::Ordering::Greater => {
                format!("{amount} more than in {} ({})", first.period, first.value)
            }
            std::cmp::Ordering::Less => {
                format!("{amount} less than in {} ({})", first.period, first.value)
            }
            std::cmp::Ordering::Equal => {
                format!("the same as in {} ({})", first.period, first.value)
            }
        };
        parts.push(format!(
            "that is {trend}, the first {}",
            unit(series.unit, false)
        ));
    }
    let mut extremes = Vec::new();
    extremes.extend(
        series
            .highest
            .as_ref()
            .map(|point| format!("highest {} ({})", in_period(point), point.value)),
    );
    extremes.extend(
        series
            .lowest
            .as_ref()
            .map(|point| format!("lowest {} ({})", in_period(point), point.value)),
    );
    if !extremes.is_empty() {
        parts.push(extremes.join(", "));
    }
    let units = unit(series.unit, series.count != 1);
    parts.extend(
        series
            .total
            .as_ref()
            .map(|total| format!("{total} in all {} {units}", series.count)),
    );
    format!("{heading}: {}.", parts.join("; "))
}

fn extreme(extreme: &Extreme) -> String {
    let verb = if extreme.equal == 1 { "is" } else { "are" };
    match extreme.names.len() == extreme.equal {
        true => format!("{} {verb}", and(&extreme.names)),
        false => format!("{} of them {verb}", number(extreme.equal)),
    }
}

fn with_value(extreme: &Extreme) -> String {
    match extreme.equal {
        1 => format!(" with {}", extreme.value),
        _ => format!(" with {} each", extreme.value),
    }
}

/// "Total revenue by status"
fn heading(measure: &Measure, keys: &[String]) -> String {
    let measure = match measure {
        Measure::Things(things) => format!("number of {things}"),
        Measure::Count => "number".to_owned(),
        Measure::Named(name) => name.clone(),
    };
    format!("{} by {}", capital(&measure), and(keys))
}

fn unit(unit: TimeUnit, is_plural: bool) -> &'static str {
    match (unit, is_plural) {
        (TimeUnit::Year, false) => "year",
        (TimeUnit::Year, true) => "years",
        (TimeUnit::Quarter, false) => "quarter",
        (TimeUnit::Quarter, true) => "quarters",
        (TimeUnit::Month, false) => "month",
        (TimeUnit::Month, true) => "months",
        (TimeUnit::Week, false) => "week",
        (TimeUnit::Week, true) => "weeks",
        (TimeUnit::Day, false) => "day",
        (TimeUnit::Day, true) => "days",
    }
}
