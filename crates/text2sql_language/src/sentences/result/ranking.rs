//! Rows in the order of a measure: who leads, by how much, and whether others share the place.

use super::facts::{Order, Role};
use super::format::{MAX_NAME, Number, gap, is_number_type, is_time_type, said};
use super::kinds::{Figure, Measure, Next, Ranking};
use super::table::Table;
use text2sql_domain::sql_result::{Cell, ResultColumn};

/// Maximum number of rows that are named as sharing the first place.
const MAX_LEADERS: usize = 5;

/// Maximum number of further rows that are named.
const MAX_OTHERS: usize = 6;

/// The measure of a ranking in some rows.
struct Measured<'t> {
    rows: &'t [Vec<Cell>],
    at: usize,
    column: ResultColumn,
    order: &'t Order,
}

impl Measured<'_> {
    fn text(&self, row: usize) -> Option<&str> {
        Table::text(self.rows.get(row)?, self.at)
    }

    fn said(&self, table: &Table<'_>, row: usize) -> Option<String> {
        Some(said(
            table.phrases,
            self.text(row)?,
            &self.column,
            &self.order.is,
            MAX_NAME,
        ))
    }

    fn number(&self, row: usize) -> Option<Number> {
        let is_number = is_number_type(&self.column.type_name);
        is_number
            .then(|| Number::read(self.text(row)?, &self.column.type_name))
            .flatten()
    }
}

/// The ranking, if the rows are the first ones of an order by a measure.
pub(super) fn of(table: &Table<'_>) -> Option<Ranking> {
    let facts = table.facts();
    let (order, limit) = (facts.order.as_ref()?, facts.limit?);
    let count = table.rows.len();
    let is_named = table
        .names
        .iter()
        .any(|at| !table.measures.contains(at) && Some(*at) != order.output);
    if !is_named || count == 0 {
        return None;
    }
    let shown = order.output.and_then(|at| {
        Some(Measured {
            rows: table.rows,
            at,
            column: table.column(at)?.clone(),
            order,
        })
    });
    let looked_up = table.found.places.map(|places| Measured {
        rows: &places.rows,
        at: table.found.execution.columns.len(),
        column: ResultColumn {
            name: String::new(),
            type_name: places.measure_type.clone(),
        },
        order,
    });
    let first = shown.as_ref().or(looked_up.as_ref());
    let kind = first.map(|measured| measured.column.type_name.clone());
    let is_measured = match &kind {
        Some(kind) => {
            is_number_type(kind) && !matches!(order.is.role, Role::Id | Role::Time(_))
                || is_time_type(kind) && limit == 1
        }
        None => {
            matches!(
                order.is.role,
                Role::Count | Role::DistinctCount | Role::Sum | Role::Measure
            ) || limit == 1
        }
    };
    // NULL may come first.
    if !is_measured || first.is_some_and(|measured| measured.text(0).is_none()) {
        return None;
    }
    let equal = equal(table, shown.as_ref(), limit);
    let shared = equal
        .and_then(|equal| usize::try_from(equal).ok())
        .unwrap_or(1);
    let leaders: Vec<String> = match (shared <= MAX_LEADERS, shared <= count) {
        (true, true) => table
            .rows
            .iter()
            .take(shared)
            .map(|row| table.name_of(row))
            .collect(),
        (true, false) => {
            let places = table
                .found
                .places
                .map(|places| places.rows.as_slice())
                .unwrap_or_default();
            places
                .iter()
                .take(shared)
                .map(|row| table.name_of(row))
                .collect()
        }
        (false, _) => table
            .rows
            .iter()
            .take(shared.min(MAX_LEADERS))
            .map(|row| table.name_of(row))
            .collect(),
    };
    let figure = first.and_then(|measured| {
        Some(Figure {
            value: measured.said(table, 0)?,
            is_one: measured.text(0) == Some("1"),
            of: measure(table, order),
        })
    });
    let (next, is_next_shown) = match (shared < count, &shown) {
        (true, Some(shown)) => {
            let next = next(table, shown, shared);
            let is_shown = next.is_some();
            (next, is_shown)
        }
        _ => {
            let next = looked_up
                .as_ref()
                .and_then(|places| next(table, places, shared));
            let shown = table.rows.get(shared).map(|row| table.name_of(row));
            let is_shown = next.is_some() && next.as_ref().map(|next| &next.name) == shown.as_ref();
            (next, is_shown)
        }
    };
    let named = shared.min(count) + usize::from(is_next_shown);
    let rest = table.rows.iter().enumerate().skip(named);
    let others: Vec<String> = rest
        .clone()
        .take(MAX_OTHERS)
        .map(|(at, row)| {
            let name = table.name_of(row);
            let value = shown.as_ref().and_then(|shown| shown.said(table, at));
            value.map_or_else(|| name.clone(), |value| format!("{name} ({value})"))
        })
        .collect();
    Some(Ranking {
        leaders,
        equal,
        figure,
        next,
        is_descending: order.is_descending,
        further: rest.count().saturating_sub(others.len()),
        others,
        rows: count,
    })
}

/// How many rows share the first place, if that is known.
fn equal(table: &Table<'_>, shown: Option<&Measured<'_>>, limit: u64) -> Option<u64> {
    if let Some(places) = table.found.places {
        return Some(places.equal);
    }
    let shown = shown?;
    let count = table.rows.len();
    let first = shown.text(0)?;
    let equal = (0..count)
        .take_while(|row| shown.text(*row) == Some(first))
        .count();
    let is_all = equal == count && (count as u64 >= limit || table.is_truncated());
    (!is_all).then_some(equal as u64)
}

fn next(table: &Table<'_>, measured: &Measured<'_>, at: usize) -> Option<Next> {
    let row = measured.rows.get(at)?;
    let unit = measured.order.is.unit.as_deref();
    let distance = match (measured.number(0), measured.number(at)) {
        (Some(first), Some(next)) => gap(table.phrases, first, next, unit),
        _ => None,
    };
    Some(Next {
        name: table.name_of(row),
        value: measured.said(table, at)?,
        gap: distance,
    })
}

fn measure(table: &Table<'_>, order: &Order) -> Measure {
    match order.output {
        Some(at) => table.measure(at, None),
        None => table.measure_of(&order.is, "", None),
    }
}
