//! A language without rules: names of columns and values, and signs instead of words.

use jiff::civil::Date;

use super::facts::TimeUnit;
use super::frame::Frame;
use super::grammar::English;
use super::kinds::{
    Figure, Groups, List, Measure, Nothing, NothingKind, Ranking, Row, Series, Single,
};
use super::phrases::Phrases;
use super::worded::Worded;
use text2sql_phrases::Language;

/// No language.
pub struct Neutral;

impl Phrases for Neutral {
    fn frame(&self, _: &str) -> Frame {
        Frame::Unknown
    }

    fn separators(&self) -> (Option<char>, char) {
        (None, '.')
    }

    fn percent(&self, digits: &str) -> String {
        format!("{digits} %")
    }

    fn period(&self, unit: TimeUnit, first: Date) -> String {
        match unit {
            TimeUnit::Year => first.year().to_string(),
            TimeUnit::Quarter => format!("{}-Q{}", first.year(), (first.month() + 2) / 3),
            TimeUnit::Month => format!("{}-{:02}", first.year(), first.month()),
            TimeUnit::Week | TimeUnit::Day => first.to_string(),
        }
    }

    fn truth(&self, is_true: bool) -> String {
        is_true.to_string()
    }

    fn no_key(&self) -> String {
        "NULL".to_owned()
    }

    fn single(&self, _: &Frame, single: &Single) -> String {
        match &single.label {
            Some(label) => format!("{label}: {}", single.value),
            None => single.value.clone(),
        }
    }

    fn row(&self, _: &Frame, row: &Row) -> String {
        let mut parts: Vec<String> = row.name.iter().cloned().collect();
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "NULL".to_owned());
        parts.extend(
            row.values
                .iter()
                .map(|(label, one)| format!("{label}: {}", value(one))),
        );
        parts.extend((row.further > 0).then(|| "…".to_owned()));
        parts.join(", ")
    }

    fn list(&self, _: &Frame, list: &List) -> String {
        let more = list.is_cut || list.count > list.members.len();
        let count = if list.is_cut {
            format!("≥ {}", list.count)
        } else {
            list.count.to_string()
        };
        format!(
            "{count}: {}{}",
            list.members.join(", "),
            if more { ", …" } else { "" }
        )
    }

    fn ranking(&self, _: &Frame, ranking: &Ranking) -> String {
        let figure = |figure: &Figure| match &figure.of {
            Measure::Named(name) => format!(" ({name}: {})", figure.value),
            _ => format!(" ({})", figure.value),
        };
        let mut names = ranking.leaders.join(" = ");
        let unnamed = ranking.equal.unwrap_or(1) > ranking.leaders.len() as u64;
        names.push_str(if unnamed { " = …" } else { "" });
        let value = ranking.figure.as_ref().map_or_else(String::new, figure);
        let next = ranking
            .next
            .iter()
            .map(|next| format!(" > {} ({})", next.name, next.value));
        let others: Vec<String> = next
            .chain(ranking.others.iter().map(|other| format!(", {other}")))
            .collect();
        format!("{names}{value}{}", others.concat())
    }

    fn groups(&self, _: &Frame, groups: &Groups) -> String {
        let total = groups
            .total
            .as_ref()
            .map_or_else(String::new, |total| format!("; Σ {total}"));
        if !groups.all.is_empty() {
            let parts = groups
                .all
                .iter()
                .map(|(name, value, _)| format!("{name}: {value}"));
            return format!("{}{total}", parts.collect::<Vec<_>>().join(", "));
        }
        let lowest = groups.lowest.as_ref();
        let lowest = lowest.map_or_else(String::new, |one| {
            format!("; min {}: {}", one.names.join(", "), one.value)
        });
        let highest = &groups.highest;
        format!(
            "{}: max {}: {}{lowest}{total}",
            groups.count,
            highest.names.join(", "),
            highest.value
        )
    }

    fn series(&self, series: &Series) -> String {
        let first = series
            .first
            .iter()
            .chain(&series.before)
            .map(|(point, _)| point);
        let points = first.chain([&series.last]).chain(&series.unfinished);
        let points: Vec<String> = points
            .map(|point| format!("{}: {}", point.period, point.value))
            .collect();
        points.join(" … ")
    }

    fn nothing(&self, _: &Frame, nothing: &Nothing) -> String {
        match nothing.kind {
            NothingKind::NoRows | NothingKind::Zero => "0".to_owned(),
            NothingKind::NoValue | NothingKind::NotStored => "NULL".to_owned(),
        }
    }

    fn left_out(&self, rows: u64, first_place: Option<u64>) -> String {
        let english = Worded {
            question: String::new(),
            language: Language::ENGLISH,
            grammar: &English,
        };
        english.left_out(rows, first_place)
    }

    fn rows(&self, count: usize, is_cut: bool) -> String {
        if is_cut {
            format!("≥ {count}")
        } else {
            count.to_string()
        }
    }
}
