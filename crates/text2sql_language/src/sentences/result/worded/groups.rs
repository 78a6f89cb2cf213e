//! Sentences about groups and series.

use std::cmp::Ordering;

use text2sql_phrases::{say_count, say_in};

use super::super::facts::TimeUnit;
use super::super::frame::{capital, named};
use super::super::kinds::{Change, Extreme, Groups, Measure, Point, Series};
use super::speaker::Worded;

/// Groups.
pub(super) fn groups(worded: &Worded, groups: &Groups) -> String {
    let language = worded.language;
    let heading = heading(worded, &groups.measure, &groups.keys);
    if !groups.all.is_empty() {
        let parts: Vec<String> = groups
            .all
            .iter()
            .map(|(name, value, share)| format!("{}{}", named(name, value), in_brackets(share)))
            .collect();
        if groups.is_truncated {
            let parts = parts.join(", ");
            return say_in!(language, "{heading}: {parts}; there are more.");
        }
        let total = groups
            .total
            .as_ref()
            .map_or_else(String::new, |total| say_in!(language, "; {total} in all"));
        return format!("{heading}: {}{total}.", worded.and(&parts));
    }
    let things = match groups.keys.as_slice() {
        [key] => worded.grammar.many(key),
        _ => None,
    };
    let things = things.unwrap_or_else(|| say_in!(language, "groups"));
    let count = worded.number(groups.count as u64);
    let Some(lowest) = &groups.lowest else {
        return say_in!(
            language,
            "{heading}: each of the {count} {things} has {value}.",
            value = groups.highest.value
        );
    };
    let end = match (&groups.total, groups.is_cut) {
        (Some(total), _) => say_in!(language, "; {total} in all, in {count} {things}"),
        (None, true) => say_in!(language, "; {count} {things} are shown"),
        (None, false) => format!("; {count} {things}"),
    };
    let has_total = groups.total.is_some();
    format!(
        "{heading}: {}, {}{end}.",
        extreme(worded, &groups.highest, true, has_total),
        extreme(worded, lowest, false, has_total),
    )
}

/// A series in time.
pub(super) fn series(worded: &Worded, series: &Series) -> String {
    let language = worded.language;
    let unit = unit(worded, series.unit, 1);
    let mut parts = Vec::new();
    if let Some(Point { period, value }) = &series.unfinished {
        parts.push(say_in!(
            language,
            "{value} so far in {period}, which is not over"
        ));
    }
    let before = series
        .before
        .as_ref()
        .map(|(Point { period, value }, change)| {
            let Change { difference, .. } = change;
            let difference = format!("{difference}{}", in_brackets(&change.percent));
            match change.direction {
                Ordering::Greater => {
                    say_in!(language, ", {difference} more than in {period} ({value})")
                }
                Ordering::Less => {
                    say_in!(language, ", {difference} less than in {period} ({value})")
                }
                Ordering::Equal => {
                    say_in!(language, ", as much as in {period} ({value})")
                }
            }
        });
    parts.push(say_in!(
        language,
        "{value} in {period}{before}",
        value = series.last.value,
        period = series.last.period,
        before = before.unwrap_or_default()
    ));
    if let Some((Point { period, value }, how)) = &series.first {
        let amount = how.percent.as_ref().unwrap_or(&how.difference);
        parts.push(match how.direction {
            Ordering::Greater => say_in!(
                language,
                "that is {amount} more than in {period} ({value}), the first {unit}"
            ),
            Ordering::Less => say_in!(
                language,
                "that is {amount} less than in {period} ({value}), the first {unit}"
            ),
            Ordering::Equal => say_in!(
                language,
                "that is the same as in {period} ({value}), the first {unit}"
            ),
        });
    }
    let highest = series
        .highest
        .as_ref()
        .map(|Point { period, value }| say_in!(language, "highest in {period} ({value})"));
    let lowest = series
        .lowest
        .as_ref()
        .map(|Point { period, value }| say_in!(language, "lowest in {period} ({value})"));
    let extremes: Vec<String> = highest.into_iter().chain(lowest).collect();
    if !extremes.is_empty() {
        parts.push(extremes.join(", "));
    }
    if let Some(total) = &series.total {
        parts.push(say_in!(
            language,
            "{total} in all {count} {units}",
            count = series.count,
            units = self::unit(worded, series.unit, series.count as u64)
        ));
    }
    let heading = heading(worded, &series.measure, &[unit]);
    format!("{heading}: {}.", parts.join("; "))
}

/// The largest or the smallest groups.
fn extreme(worded: &Worded, extreme: &Extreme, is_highest: bool, has_total: bool) -> String {
    let Extreme { names, value, .. } = extreme;
    let language = worded.language;
    let share = match has_total {
        true => in_brackets(&extreme.share),
        false => String::new(),
    };
    let (is_named, count) = (names.len() == extreme.equal, extreme.equal as u64);
    let (names, count, is_one) = (worded.and(names), worded.number(count), count == 1);
    match (is_highest, is_named, is_one) {
        (true, true, true) => {
            say_in!(language, "{names} is highest with {value}{share}")
        }
        (false, true, true) => {
            say_in!(language, "{names} is lowest with {value}{share}")
        }
        (true, true, false) => {
            say_in!(language, "{names} are highest with {value} each{share}")
        }
        (false, true, false) => {
            say_in!(language, "{names} are lowest with {value} each{share}")
        }
        (true, false, _) => say_in!(
            language,
            "{count} of them are highest with {value} each{share}"
        ),
        (false, false, _) => say_in!(
            language,
            "{count} of them are lowest with {value} each{share}"
        ),
    }
}

fn in_brackets(share: &Option<String>) -> String {
    share
        .as_ref()
        .map_or_else(String::new, |share| format!(" ({share})"))
}

/// "Total revenue by status"
fn heading(worded: &Worded, measure: &Measure, keys: &[String]) -> String {
    let language = worded.language;
    let measure = match measure {
        Measure::Things(things) => worded.measure(&format!("number of {things}")),
        Measure::Count => say_in!(language, "number"),
        Measure::Named(name) => worded.measure(name),
    };
    say_in!(
        language,
        "groups^{measure} by {keys}",
        measure = capital(&measure),
        keys = worded.keys(keys)
    )
}

fn unit(worded: &Worded, unit: TimeUnit, count: u64) -> String {
    let language = worded.language;
    match unit {
        TimeUnit::Year => say_count!(language, count, "period^year", "years"),
        TimeUnit::Quarter => say_count!(language, count, "period^quarter", "quarters"),
        TimeUnit::Month => say_count!(language, count, "period^month", "months"),
        TimeUnit::Week => say_count!(language, count, "period^week", "weeks"),
        TimeUnit::Day => say_count!(language, count, "period^day", "days"),
    }
}
