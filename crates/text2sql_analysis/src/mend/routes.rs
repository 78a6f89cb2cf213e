//! Ways along keys on which no row is repeated.

use std::sync::Arc;

use text2sql_domain::schema::{ForeignKey, Table, quote_identifier};
use text2sql_sql::tree::Block;

use super::near::only;

/// Most tables of a way.
const MAX_STEPS: usize = 3;

/// How sure a key must be that nobody declared.
const SURE_PERCENT: u8 = 90;

/// One more table, of which each row before has at most one row.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) table: Arc<Table>,
    /// Equal columns: of the table before, and of this one.
    pub(super) pairs: Vec<(String, String)>,
    /// Whether each row before has exactly one, which no policy hides.
    is_always_there: bool,
}

/// A way from a source of a block.
#[derive(Clone)]
pub(super) struct Route {
    /// The position of the source.
    pub(super) from: usize,
    pub(super) steps: Vec<Step>,
}

impl Route {
    /// The table at its end.
    pub(super) fn end(&self) -> Option<&Arc<Table>> {
        self.steps.last().map(|step| &step.table)
    }

    /// `JOIN a ON … LEFT JOIN b ON …`. A row that has no other stays. `names` are the names of the tables in the query.
    pub(super) fn sql(&self, source: &str, is_optional: bool, names: &[String]) -> String {
        let mut before = source.to_owned();
        let mut is_inner = !is_optional;
        let mut text = String::new();
        for (step, name) in self.steps.iter().zip(names) {
            is_inner &= step.is_always_there;
            let own = quote_identifier(name);
            let alias = match *name == step.table.name {
                true => String::new(),
                false => format!(" AS {own}"),
            };
            let equal: Vec<String> = step
                .pairs
                .iter()
                .map(|(left, right)| {
                    format!(
                        "{}.{} = {own}.{}",
                        quote_identifier(&before),
                        quote_identifier(left),
                        quote_identifier(right)
                    )
                })
                .collect();
            let join = if is_inner { "JOIN" } else { "LEFT JOIN" };
            let table = step.table.sql_name();
            text.push_str(&format!(
                " {join} {table}{alias} ON {}",
                equal.join(" AND ")
            ));
            before.clone_from(name);
        }
        text
    }
}

/// Whether keys lead to any such table.
pub(super) fn is_reachable(
    block: &Block<'_>,
    tables: &[Arc<Table>],
    accepts: &dyn Fn(&Table) -> bool,
) -> bool {
    !all_routes(block, tables, accepts).is_empty()
}

/// All ways on which no row is repeated.
fn all_routes(
    block: &Block<'_>,
    tables: &[Arc<Table>],
    accepts: &dyn Fn(&Table) -> bool,
) -> Vec<Route> {
    let present: Vec<u32> = block
        .sources
        .iter()
        .filter_map(|source| source.table().map(|table| table.oid))
        .collect();
    let mut found = Vec::new();
    let mut open: Vec<Route> = Vec::new();
    for (from, source) in block.sources.iter().enumerate() {
        if let Some(table) = source.table() {
            let steps = steps_from(table, tables).into_iter();
            open.extend(steps.map(|step| Route {
                from,
                steps: vec![step],
            }));
        }
    }
    while let Some(route) = open.pop() {
        let Some(end) = route.end().cloned() else {
            continue;
        };
        let passed = route.steps.iter().filter(|step| step.table.oid == end.oid);
        if present.contains(&end.oid) || passed.count() > 1 {
            continue;
        }
        if accepts(&end) {
            found.push(route);
        } else if route.steps.len() < MAX_STEPS {
            open.extend(steps_from(&end, tables).into_iter().map(|step| {
                let mut longer = route.clone();
                longer.steps.push(step);
                longer
            }));
        }
    }
    found
}

/// The one way from the tables of a block to a table that is accepted. Of several that of a single key from the table at
/// `named`, to which the query gave what it looks for; else, of several to the same table, that of a single key.
pub(super) fn only_route(
    block: &Block<'_>,
    tables: &[Arc<Table>],
    accepts: &dyn Fn(&Table) -> bool,
    named: Option<usize>,
) -> Option<Route> {
    let mut found = all_routes(block, tables, accepts);
    let is_next = |route: &&Route| Some(route.from) == named && route.steps.len() == 1;
    if let Some(route) = only(found.iter().filter(is_next)) {
        return Some(route.clone());
    }
    let oid = |route: &Route| route.end().map(|table| table.oid);
    let first = found.first().and_then(oid)?;
    if found.iter().any(|route| oid(route) != Some(first)) {
        return None;
    }
    match found.len() {
        1 => found.pop(),
        _ => only(found.into_iter().filter(|route| route.steps.len() == 1)),
    }
}

/// The way to the one table that is accepted of those whose key refers to a table of the block: it has several rows for
/// a row of that.
pub(super) fn finer(
    block: &Block<'_>,
    tables: &[Arc<Table>],
    accepts: &dyn Fn(&Table) -> bool,
) -> Option<Route> {
    let mut found = Vec::new();
    for (from, source) in block.sources.iter().enumerate() {
        let Some(table) = source.table() else {
            continue;
        };
        for other in tables.iter().filter(|other| accepts(other)) {
            let keys = other.foreign_keys.iter();
            let keys = keys.filter(|key| key.target == table.oid && !key.is_taught);
            found.extend(keys.map(|key| Route {
                from,
                steps: vec![Step {
                    table: Arc::clone(other),
                    pairs: pairs(&key.target_columns, &key.columns),
                    is_always_there: true,
                }],
            }));
        }
    }
    only(found.into_iter())
}

/// The tables that a key of `table` leads to, and those whose key refers to it.
fn steps_from(table: &Table, tables: &[Arc<Table>]) -> Vec<Step> {
    let mut steps = Vec::new();
    let likely = table
        .likely_joins
        .iter()
        .filter(|join| join.percent >= SURE_PERCENT)
        .map(|join| (&join.key, false));
    let declared = table.foreign_keys.iter().map(|key| (key, !key.is_taught));
    for (key, is_enforced) in declared.chain(likely) {
        let Some(target) = tables.iter().find(|other| other.oid == key.target) else {
            continue;
        };
        if !is_enforced && !is_key(target, &key.target_columns) {
            continue;
        }
        let is_always_there = is_enforced
            && !target.has_row_security
            && key.columns.iter().all(|name| {
                let column = table.column(name);
                column.is_some_and(|column| column.not_null) || table.primary_key.contains(name)
            });
        steps.push(Step {
            table: Arc::clone(target),
            pairs: pairs(&key.columns, &key.target_columns),
            is_always_there,
        });
    }
    for other in tables {
        let refers = |key: &&ForeignKey| key.target == table.oid && is_key(other, &key.columns);
        for key in other.foreign_keys.iter().filter(refers) {
            steps.push(Step {
                table: Arc::clone(other),
                pairs: pairs(&key.target_columns, &key.columns),
                is_always_there: false,
            });
        }
    }
    steps
}

/// Whether at most one row has given values of these columns.
fn is_key(table: &Table, columns: &[String]) -> bool {
    let keys = std::iter::once(&table.primary_key).chain(&table.unique_keys);
    let mut keys = keys.filter(|key| !key.is_empty());
    keys.any(|key| key.iter().all(|column| columns.contains(column)))
}

fn pairs(own: &[String], other: &[String]) -> Vec<(String, String)> {
    own.iter().cloned().zip(other.iter().cloned()).collect()
}
