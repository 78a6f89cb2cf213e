//! Adds the base tables of found views and dbt models, and sorts each view after them: a view repeats the
//! words of its tables, and a query over the view cannot tell which rows the view leaves out.

use std::sync::Arc;

use crate::context::Context;
use crate::found_table::FoundTable;
use crate::table_details::describe_found;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::Table;

/// Maximum number of base tables that are added.
const MAX_ADDED: usize = 10;

/// Removes the tables that the run must not read, adds the base tables of the found relations, and sorts
/// each relation after its base tables.
pub(crate) fn order_after_base_tables(
    cx: &Run<'_>,
    context: &mut Context,
    in_full: usize,
) -> Result<(), Error> {
    let without = &cx.config.without;
    let is_excluded = |table: &Table| {
        without.contains(&table.oid) || table.made_of.iter().any(|oid| without.contains(oid))
    };
    context.tables.retain(|table| !is_excluded(table));
    if !context.is_whole {
        let missing = missing(&context.tables);
        let added = describe_found(cx, &missing, in_full)?;
        let added = added.into_iter().filter(|table| !is_excluded(table));
        context.tables.extend(added);
    }
    sort_after_base_tables(&mut context.tables);
    let place = |found: &FoundTable| {
        let tables = &context.tables;
        tables.iter().position(|table| table.oid == found.table)
    };
    context.found.retain(|found| place(found).is_some());
    context.found.sort_by_key(|found| place(found));
    Ok(())
}

/// Base tables of the relations that are not among them.
fn missing(tables: &[Arc<Table>]) -> Vec<u32> {
    let mut missing: Vec<u32> = Vec::new();
    for oid in tables.iter().flat_map(|table| &table.made_of) {
        let is_known = tables.iter().any(|table| table.oid == *oid) || missing.contains(oid);
        if !is_known && missing.len() < MAX_ADDED {
            missing.push(*oid);
        }
    }
    missing
}

/// Sorts each relation after the last of its base tables; the others keep their order.
fn sort_after_base_tables(tables: &mut Vec<Arc<Table>>) {
    if tables.iter().all(|table| table.made_of.is_empty()) {
        return;
    }
    let mut waiting = std::mem::take(tables);
    while !waiting.is_empty() {
        let is_free = |table: &Arc<Table>| {
            !waiting
                .iter()
                .any(|other| other.oid != table.oid && table.made_of.contains(&other.oid))
        };
        // Relations that are made of each other, as no view is, keep their order too.
        let next = waiting.iter().position(is_free).unwrap_or(0);
        tables.push(waiting.remove(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(oid: u32, made_of: &[u32]) -> Arc<Table> {
        Arc::new(Table {
            oid,
            made_of: made_of.to_vec(),
            ..Table::default()
        })
    }

    fn order(mut tables: Vec<Arc<Table>>) -> Vec<u32> {
        sort_after_base_tables(&mut tables);
        tables.iter().map(|table| table.oid).collect()
    }

    #[test]
    fn what_is_made_of_others_comes_behind_them() {
        assert_eq!(
            order(vec![
                table(9, &[2, 3]),
                table(1, &[]),
                table(2, &[]),
                table(3, &[])
            ]),
            [1, 2, 3, 9]
        );
        // A view of a view, and one whose table is not there.
        assert_eq!(
            order(vec![
                table(8, &[9, 2]),
                table(9, &[2]),
                table(7, &[50]),
                table(2, &[])
            ]),
            [7, 2, 9, 8]
        );
        // Manifests may say what no catalog would.
        assert_eq!(order(vec![table(1, &[2]), table(2, &[1])]), [1, 2]);
    }

    #[test]
    fn what_is_missing_is_named_once() {
        assert_eq!(
            missing(&[table(9, &[2, 3]), table(8, &[3, 2]), table(2, &[])]),
            [3]
        );
    }
}
