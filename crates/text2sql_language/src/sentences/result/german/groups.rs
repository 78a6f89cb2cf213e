//! German sentences about groups and series.

use super::super::facts::TimeUnit;
use super::super::frame::{capital, named};
use super::super::kinds::{Change, Extreme, Groups, Measure, Series};
use super::words::{and, in_german, number};

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
            .map_or_else(String::new, |total| format!("; insgesamt {total}"));
        return match groups.is_truncated {
            true => format!("{heading}: {}; es gibt weitere.", parts.join(", ")),
            false => format!("{heading}: {}{total}.", and(&parts)),
        };
    }
    let count = number(groups.count);
    let Some(lowest) = &groups.lowest else {
        return format!(
            "{heading}: alle {count} Gruppen haben {}.",
            groups.highest.value
        );
    };
    let share = |extreme: &Extreme| match (&extreme.share, &groups.total) {
        (Some(share), Some(_)) => format!(" ({share})"),
        _ => String::new(),
    };
    let end = match (&groups.total, groups.is_cut) {
        (Some(total), _) => format!("; insgesamt {total} in {count} Gruppen"),
        (None, true) => format!("; {count} Gruppen werden gezeigt"),
        (None, false) => format!("; {count} Gruppen"),
    };
    format!(
        "{heading}: am höchsten {}{}, am niedrigsten {}{}{end}.",
        extreme(&groups.highest),
        share(&groups.highest),
        extreme(lowest),
        share(lowest),
    )
}

/// A series in time.
pub(super) fn series(series: &Series) -> String {
    let heading = heading(&series.measure, &[unit(series.unit, false).to_owned()]);
    let change = |change: &Change| {
        let percent = change
            .percent
            .as_ref()
            .map_or_else(String::new, |percent| format!(" ({percent})"));
        match change.direction {
            std::cmp::Ordering::Greater => format!("{}{percent} mehr als", change.difference),
            std::cmp::Ordering::Less => format!("{}{percent} weniger als", change.difference),
            std::cmp::Ordering::Equal => "so viel wie".to_owned(),
        }
    };
    let last = &series.last;
    let before = series
        .before
        .as_ref()
        .map_or_else(String::new, |(point, how)| {
            format!(", {} {} ({})", change(how), point.period, point.value)
        });
    let mut parts = Vec::new();
    parts.extend(
        series
            .unfinished
            .as_ref()
            .map(|now| format!("{} bisher {} (noch nicht zu Ende)", now.period, now.value)),
    );
    parts.push(format!("{} {}{before}", last.period, last.value));
    if let Some((first, how)) = &series.first {
        let amount = how.percent.as_ref().unwrap_or(&how.difference);
        parts.push(match how.direction {
            std::cmp::Ordering::Greater => format!(
                "das sind {amount} mehr als am Anfang, {} ({})",
                first.period, first.value
            ),
            std::cmp::Ordering::Less => format!(
                "das sind {amount} weniger als am Anfang, {} ({})",
                first.period, first.value
            ),
            std::cmp::Ordering::Equal => format!(
                "das ist so viel wie am Anfang, {} ({})",
                first.period, first.value
            ),
        });
    }
    let mut extremes = Vec::new();
    extremes.extend(
        series
            .highest
            .as_ref()
            .map(|point| format!("am höchsten {} ({})", point.period, point.value)),
    );
    extremes.extend(
        series
            .lowest
            .as_ref()
            .map(|point| format!("am niedrigsten {} ({})", point.period, point.value)),
    );
    if !extremes.is_empty() {
        parts.push(extremes.join(", "));
    }
    let units = unit(series.unit, series.count != 1);
    parts.extend(
        series
            .total
            .as_ref()
            .map(|total| format!("insgesamt {total} in {} {units}", series.count)),
    );
    format!("{heading}: {}.", parts.join("; "))
}

fn extreme(extreme: &Extreme) -> String {
    let value = &extreme.value;
    match (extreme.names.len() == extreme.equal, extreme.equal) {
        (true, 1) => format!("{} mit {value}", and(&extreme.names)),
        (true, _) => format!("{} mit je {value}", and(&extreme.names)),
        (false, equal) => format!("{} Gruppen mit je {value}", number(equal)),
    }
}

/// "Summe von revenue je status"
fn heading(measure: &Measure, keys: &[String]) -> String {
    let measure = match measure {
        Measure::Things(things) => format!("Anzahl {things}"),
        Measure::Count => "Anzahl".to_owned(),
        Measure::Named(name) => in_german(name),
    };
    format!("{} je {}", capital(&measure), and(keys))
}

fn unit(unit: TimeUnit, is_plural: bool) -> &'static str {
    match (unit, is_plural) {
        (TimeUnit::Year, false) => "Jahr",
        (TimeUnit::Year, true) => "Jahren",
        (TimeUnit::Quarter, false) => "Quartal",
        (TimeUnit::Quarter, true) => "Quartalen",
        (TimeUnit::Month, false) => "Monat",
        (TimeUnit::Month, true) => "Monaten",
        (TimeUnit::Week, false) => "Woche",
        (TimeUnit::Week, true) => "Wochen",
        (TimeUnit::Day, false) => "Tag",
        (TimeUnit::Day, true) => "Tagen",
    }
}
