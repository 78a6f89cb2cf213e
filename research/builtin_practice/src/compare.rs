//! Runs two statements and compares what they return.

use postgres::{Client, SimpleQueryMessage};

use text2sql_domain::proposal::Proposal;

use crate::questions::Case;

/// More columns than this are compared in their order only.
const MAX_PERMUTED: usize = 7;

/// Whether the proposed statement is right, perhaps with more columns; `None` when there is none.
pub(crate) fn verdict(
    client: &mut Client,
    proposal: &Proposal,
    case: &Case,
) -> Option<Result<bool, String>> {
    match proposal {
        Proposal::Sql(sql) => Some(holds_gold(client, &sql.sql, &case.gold, case.ordered)),
        _ => None,
    }
}

/// Whether the statement returns what one of the gold statements returns.
pub(crate) fn is_right(
    client: &mut Client,
    sql: &str,
    gold: &[String],
    ordered: bool,
) -> Result<bool, String> {
    let ours = read_rows(client, sql)?;
    for gold in gold {
        if let Ok(theirs) = read_rows(client, gold)
            && is_equal(&ours, &theirs, ordered)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the statement returns what one of the gold statements returns, perhaps with more columns.
pub(crate) fn holds_gold(
    client: &mut Client,
    sql: &str,
    gold: &[String],
    ordered: bool,
) -> Result<bool, String> {
    let ours = read_rows(client, sql)?;
    for gold in gold {
        let theirs = read_rows(client, gold)?;
        if ours.len() == theirs.len() && holds_columns(&ours, &theirs, ordered, &mut Vec::new()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether each column of `theirs` from the chosen ones on is one of `ours`, row by row.
fn holds_columns(ours: &Rows, theirs: &Rows, ordered: bool, chosen: &mut Vec<usize>) -> bool {
    let chosen_of_ours = |chosen: &[usize]| -> Rows {
        let rows = ours.iter();
        rows.map(|row| chosen.iter().filter_map(|&i| row.get(i).cloned()).collect())
            .collect()
    };
    let first_of_theirs = |count: usize| -> Rows {
        let rows = theirs.iter();
        rows.map(|row| row.iter().take(count).cloned().collect())
            .collect()
    };
    let sorted = |mut rows: Rows| {
        if !ordered {
            rows.sort();
        }
        rows
    };
    if sorted(chosen_of_ours(chosen)) != sorted(first_of_theirs(chosen.len())) {
        return false;
    }
    if chosen.len() == theirs.first().map_or(0, Vec::len) {
        return true;
    }
    for next in 0..ours.first().map_or(0, Vec::len) {
        if chosen.contains(&next) {
            continue;
        }
        chosen.push(next);
        if holds_columns(ours, theirs, ordered, chosen) {
            return true;
        }
        chosen.pop();
    }
    false
}

type Rows = Vec<Vec<String>>;

fn read_rows(client: &mut Client, sql: &str) -> Result<Rows, String> {
    let messages = client.simple_query(sql).map_err(|error| {
        error
            .as_db_error()
            .map_or_else(|| error.to_string(), |error| error.message().to_owned())
    })?;
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|i| normal(row.get(i))).collect()),
        _ => None,
    });
    Ok(rows.collect())
}

fn normal(cell: Option<&str>) -> String {
    match cell {
        None => "\u{0}null".to_owned(),
        Some(text) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => format!("{number:.4e}"),
            _ => text.to_owned(),
        },
    }
}

fn is_equal(ours: &Rows, theirs: &Rows, ordered: bool) -> bool {
    if ours.len() != theirs.len() {
        return false;
    }
    let width = |rows: &Rows| rows.first().map_or(0, Vec::len);
    if width(ours) != width(theirs) {
        return false;
    }
    let sorted = |mut rows: Rows| {
        if !ordered {
            rows.sort();
        }
        rows
    };
    let theirs_sorted = sorted(theirs.clone());
    let columns = width(ours);
    if columns > MAX_PERMUTED {
        return sorted(ours.clone()) == theirs_sorted;
    }
    permutations(columns).into_iter().any(|order| {
        let permuted: Rows = ours
            .iter()
            .map(|row| order.iter().filter_map(|&i| row.get(i).cloned()).collect())
            .collect();
        sorted(permuted) == theirs_sorted
    })
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, next);
                    longer
                })
            })
            .collect();
    }
    all
}
