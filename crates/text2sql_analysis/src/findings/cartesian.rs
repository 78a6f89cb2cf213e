//! Cartesian products: sources that are not connected by a condition.

use super::fan_out::called;
use super::{Basis, Check, Finding, Severity};
use text2sql_phrases::say;
use text2sql_sql::tree::{JoinKind, Rows, Source, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let fixing = tree.fixing(position);
        let groups = fixing.connected();
        let Some(first) = groups.first() else {
            continue;
        };
        // One unconnected source is sufficient for a report.
        let stray = block
            .sources
            .iter()
            .enumerate()
            .skip(1)
            .find(|(source, own)| {
                let is_alone = groups.get(*source) != Some(first);
                let multiplies = match &own.rows {
                    Rows::Table(_) => true,
                    Rows::Result(result) => !result.is_single_row,
                    Rows::Function | Rows::Unknown => false,
                };
                is_alone && multiplies && !own.is_lateral
            });
        let Some((_, stray)) = stray else {
            continue;
        };
        let before = block.sources.first();
        let is_single = before.is_some_and(|source| match &source.rows {
            Rows::Result(result) => result.is_single_row,
            Rows::Function | Rows::Unknown => true,
            Rows::Table(_) => false,
        });
        if is_single && block.sources.len() == 2 {
            continue;
        }
        // One row beside another of the same table: how much more one costs than the other.
        let is_picked = |(at, source): (usize, &Source<'_>)| {
            let are_same = match (source.table(), stray.table()) {
                (Some(one), Some(other)) => one.oid == other.oid,
                _ => false,
            };
            are_same && fixing.has_constant(at)
        };
        if block.sources.iter().enumerate().all(is_picked) {
            continue;
        }
        let name = called(&stray.name, stray.table().map(|table| table.sql_name()));
        let (severity, how) = match stray.join {
            JoinKind::Cross => (Severity::Note, say!("CROSS JOIN says so")),
            _ => (
                Severity::Warning,
                say!("no condition connects it with the tables before it"),
            ),
        };
        let count = stray
            .table()
            .and_then(|table| table.row_estimate)
            .filter(|rows| *rows >= 1.0)
            .map_or_else(String::new, |rows| {
                say!(" ({rows} rows)", rows = format!("{rows:.0}"))
            });
        found.push(
            Finding::new(
                Check::CartesianProduct,
                severity,
                Basis::Proved,
                say!(
                    "Every row meets every row of {name}{count}: {how}.",
                    name,
                    count,
                    how
                ),
            )
            .with_fix(match stray.join {
                JoinKind::Cross => say!("keep it, if every combination with {name} is meant", name),
                _ => say!("add the condition that joins {name}", name),
            }),
        );
    }
}
