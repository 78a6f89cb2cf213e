//! One value, one row, or rows without an order that matters.

use super::facts::Role;
use super::format::{MAX_NAME, is_amount, is_time_type};
use super::kinds::{List, Row, Single, SingleKind};
use super::table::Table;

/// Maximum length of the only value, in characters.
const MAX_VALUE: usize = 200;

/// Maximum number of members of a list that are all named.
const MAX_MEMBERS: usize = 8;

/// Number of members that are named of a longer one.
const FIRST_MEMBERS: usize = 5;

/// Maximum number of values of one row.
const MAX_VALUES: usize = 6;

/// The only value.
pub(super) fn single(table: &Table<'_>) -> Option<Single> {
    let row = table.rows.first()?;
    let column = table.column(0)?;
    let (text, output) = (Table::text(row, 0)?, table.output(0));
    let value = table.said(row, 0, MAX_VALUE)?;
    let is_measure = matches!(
        output.role,
        Role::Count | Role::DistinctCount | Role::Sum | Role::Measure
    );
    let kind = match column.type_name.as_str() {
        "boolean" => SingleKind::Truth(text == "t"),
        name if is_time_type(name) || matches!(output.role, Role::Time(_)) => SingleKind::Time,
        _ if table.is_id(0) && !is_measure => SingleKind::Name,
        _ if is_amount(column, &output) => match text.parse() {
            Ok(number) => SingleKind::Number(number),
            Err(_) => SingleKind::Amount,
        },
        _ => SingleKind::Name,
    };
    Some(Single {
        value: match kind {
            SingleKind::Name if table.is_id(0) => table.name_of(row),
            _ => value,
        },
        kind,
        label: table.label(0),
    })
}

/// The only row.
pub(super) fn row(table: &Table<'_>) -> Row {
    let cells = table.rows.first().map(Vec::as_slice).unwrap_or_default();
    let count = table.found.execution.columns.len();
    let is_named = table.is_called_name()
        && table
            .names
            .iter()
            .any(|at| !table.measures.contains(at) && Table::text(cells, *at).is_some());
    let others: Vec<usize> = (0..count)
        .filter(|at| !is_named || !table.names.contains(at))
        .collect();
    // A key says nothing beside a name.
    let things: Vec<usize> = others
        .iter()
        .copied()
        .filter(|at| !table.is_id(*at))
        .collect();
    let others = if is_named && !things.is_empty() {
        things
    } else {
        others
    };
    let values = others.iter().take(MAX_VALUES).map(|at| {
        let column = table
            .column(*at)
            .map(|column| column.name.replace('_', " "));
        let label = table.label(*at).or(column).unwrap_or_default();
        (label, table.said(cells, *at, MAX_NAME))
    });
    Row {
        name: is_named.then(|| table.name_of(cells)),
        values: values.collect(),
        further: others.len().saturating_sub(MAX_VALUES),
    }
}

/// Rows without an order that matters.
pub(super) fn list(table: &Table<'_>) -> List {
    // Rows beyond LIMIT are counted, or there are at least those that are shown.
    let all = table.facts().all.and_then(|all| usize::try_from(all).ok());
    let all = all.filter(|_| table.is_limited());
    let count = all.unwrap_or(0).max(table.rows.len());
    let is_cut = table.is_truncated() || (table.is_limited() && all.is_none());
    let is_short = count <= MAX_MEMBERS && !is_cut;
    let figure = figure_column(table);
    let member = |row: &Vec<_>| {
        let name = table.name_of(row);
        match figure.and_then(|at| table.said(row, at, MAX_NAME)) {
            Some(figure) => format!("{name} ({figure})"),
            None => name,
        }
    };
    let named = if is_short { count } else { FIRST_MEMBERS };
    let things = match table.names.as_slice() {
        [only, ..] => table.output(*only).label,
        [] => None,
    };
    List {
        count,
        is_cut,
        members: table.rows.iter().take(named).map(member).collect(),
        things,
    }
}

/// The one column beside the name that is said of each member.
fn figure_column(table: &Table<'_>) -> Option<usize> {
    let order = table.facts().order.as_ref().and_then(|order| order.output);
    let count = table.found.execution.columns.len();
    let others: Vec<usize> = (0..count)
        .filter(|at| !table.names.contains(at) && !table.is_id(*at))
        .collect();
    match others.as_slice() {
        [only] => Some(*only),
        _ => order.filter(|at| others.contains(at)),
    }
}
