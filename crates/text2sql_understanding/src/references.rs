//! References between tables, and those that nobody declared.

use std::sync::Arc;

use crate::lexicon::canonical;
use crate::table_names::words_of;
use text2sql_domain::schema::{Column, Table};
use text2sql_semantics::{Key, Step, TableRef};

/// An edge from a table to one row of another.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    pub(crate) step: Step,
    pub(crate) may_miss: bool,
}

pub(crate) fn table_ref(table: &Table) -> TableRef {
    TableRef {
        schema: table.schema.clone(),
        name: table.name.clone(),
    }
}

/// References that nobody declared: columns that are called as the only key of one table.
pub(crate) fn assumed(tables: &[Arc<Table>], at: usize, table: &Table) -> Vec<Edge> {
    let is_free = |column: &&Column| {
        let is_declared = table
            .foreign_keys
            .iter()
            .any(|key| key.columns.contains(&column.name));
        !is_declared && table.primary_key != [column.name.clone()] && column.name.len() > 2
    };
    let mut edges = Vec::new();
    for column in table.columns.iter().filter(is_free) {
        let mut targets = tables.iter().enumerate().filter(|(to, target)| {
            *to != at && target.derived_by.is_none() && target.primary_key == [column.name.clone()]
        });
        let Some((to, target)) = targets.next().filter(|_| targets.next().is_none()) else {
            continue;
        };
        let is_alike = target
            .column(&column.name)
            .is_some_and(|key| key.category == column.category);
        let is_known = table
            .foreign_keys
            .iter()
            .any(|key| key.target == target.oid);
        if is_alike && !is_known {
            edges.push(Edge {
                to,
                step: Step {
                    to: table_ref(target),
                    key: vec![Key {
                        own: column.name.clone(),
                        other: column.name.clone(),
                    }],
                    fans_out: false,
                },
                may_miss: !column.not_null,
            });
        }
    }
    edges
}

/// The column that refers to the one above a row though nobody declared it, `manager_id`, and the key.
pub(crate) fn assumed_above(table: &Table) -> Option<(&String, &String)> {
    let [key] = table.primary_key.as_slice() else {
        return None;
    };
    let category = table.column(key)?.category;
    let is_above = |column: &&Column| {
        let words = words_of(&column.name);
        let [role, end] = words.as_slice() else {
            return false;
        };
        matches!(
            role.as_str(),
            "manager" | "boss" | "supervisor" | "superior"
        ) && end == "id"
            && column.category == category
    };
    let mut above = table.columns.iter().filter(is_above);
    // The manager of a department is no department.
    let is_person = words_of(&table.name)
        .last()
        .is_some_and(|last| canonical(last) == canonical("employee"));
    let column = above
        .next()
        .filter(|_| is_person && above.next().is_none())?;
    Some((&column.name, key))
}
