//! Groups with a figure each: the largest, the smallest, and the total where the groups add up.

use super::facts::Role;
use super::format::{Number, share, total};
use super::frame::Frame;
use super::kinds::{Extreme, Groups};
use super::table::Table;

/// Maximum number of groups that are all said.
const MAX_ALL: usize = 6;

/// Maximum number of groups that are named as sharing an extreme.
const MAX_EQUAL: usize = 3;

/// Maximum number of measures in a sentence.
const MAX_MEASURES: usize = 2;

/// A group with its figure.
struct Group {
    name: String,
    said: String,
    number: Number,
}

/// The groups, once for each measure.
pub(super) fn of(table: &Table<'_>, frame: &Frame) -> Vec<Groups> {
    if !table.facts().is_grouped || table.measures.is_empty() || table.names.is_empty() {
        return Vec::new();
    }
    // Of as many rows as the query asks for, none is the highest of all.
    let limit = table.facts().limit;
    if limit.is_some_and(|limit| table.rows.len() as u64 >= limit) {
        return Vec::new();
    }
    if table.names.iter().any(|at| table.measures.contains(at)) {
        return Vec::new();
    }
    let measures = table.measures.iter().take(MAX_MEASURES);
    measures
        .filter_map(|at| measured(table, *at, frame))
        .collect()
}

fn measured(table: &Table<'_>, at: usize, frame: &Frame) -> Option<Groups> {
    // A value that is infinite or has too many digits cannot be ranked, so no group is called the highest. A group
    // without a value is left out.
    let with_value = table
        .rows
        .iter()
        .filter(|row| Table::text(row, at).is_some());
    let groups: Option<Vec<Group>> = with_value
        .map(|row| {
            Some(Group {
                name: table.name_of(row),
                said: table.said(row, at, super::format::MAX_NAME)?,
                number: table.number(row, at)?,
            })
        })
        .collect();
    let groups = groups?;
    let output = table.output(at);
    let is_truncated = table.is_truncated();
    let is_cut = table.facts().is_partial || is_truncated;
    let adds_up = matches!(output.role, Role::Count | Role::Sum)
        && !is_cut
        && groups.len() > 1
        && groups.iter().all(|group| group.number.value >= 0.0);
    let numbers: Vec<Number> = groups.iter().map(|group| group.number).collect();
    let total = adds_up
        .then(|| total(table.phrases, &numbers, output.unit.as_deref()))
        .flatten();
    let share_of = |group: &Group| share(table.phrases, group.number.value, total.as_ref()?.0);
    let extreme = |best: &Group| {
        let same: Vec<&Group> = groups
            .iter()
            .filter(|group| group.number.value == best.number.value)
            .collect();
        let names = same.iter().take(MAX_EQUAL).map(|group| group.name.clone());
        Extreme {
            names: match same.len() {
                0..=MAX_EQUAL => names.collect(),
                _ => Vec::new(),
            },
            equal: same.len(),
            value: best.said.clone(),
            share: share_of(best),
        }
    };
    let by_number = |one: &&Group, other: &&Group| one.number.value.total_cmp(&other.number.value);
    let (highest, lowest) = (
        groups.iter().max_by(by_number)?,
        groups.iter().min_by(by_number)?,
    );
    // The first ones are said where more were cut: none of them is the highest of all.
    let is_short = table.rows.len() <= MAX_ALL || is_truncated;
    let all = groups
        .iter()
        .take(MAX_ALL)
        .map(|group| (group.name.clone(), group.said.clone(), share_of(group)));
    Some(Groups {
        measure: table.measure(at, Some(frame)),
        keys: table.keys(),
        count: table.rows.len(),
        all: if is_short { all.collect() } else { Vec::new() },
        lowest: (lowest.number.value < highest.number.value).then(|| extreme(lowest)),
        highest: extreme(highest),
        total: total.as_ref().map(|(_, text)| text.clone()),
        is_cut,
        is_truncated,
    })
}
