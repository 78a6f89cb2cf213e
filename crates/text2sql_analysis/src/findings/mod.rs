//! What may be wrong with a query that runs: one file for each check.
//!
//! [`find`] is pure: it works on the parsed query and on the tables that the caller may read, their
//! keys, types and statistics. A finding that data would decide carries a [`Probe`]; [`measure()`]
//! asks it, through the guard, within caps. So nothing is said that the caller could not find out.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::Tree;

mod averages;
mod between;
mod cartesian;
mod casts;
mod distinct;
mod fan_out;
mod finding;
mod integer_division;
mod limit_order;
mod literals;
mod measure;
mod not_in;
mod null_filter;
mod outer_join;
mod row_security;
mod stale;
#[cfg(test)]
mod tests;
mod time_zone;
mod units;

use finding::tidy;
pub use finding::{Basis, Check, Finding, Probe, Severity, ValueProbe, Verdict};
pub use measure::{Effort, Known, measure, measure_unknown};
pub use stale::compare_view;

/// Everything that may be wrong with a query, worst first, as far as text, types, keys and
/// statistics tell. `None` where the parser does not know the query's grammar.
///
/// Fails as [`crate::explain::explain`] does: when it is not one reading statement, or too long.
pub fn find(sql: &str, tables: &[Arc<Table>]) -> Result<Option<Vec<Finding>>, Error> {
    let Some(query) = sql_tree::parse(sql)? else {
        return Ok(None);
    };
    let tree = Tree::read(&query, tables);
    let mut found = Vec::new();
    fan_out::check(&tree, &mut found);
    cartesian::check(&tree, &mut found);
    literals::check(&tree, &mut found);
    null_filter::check(&tree, &mut found);
    outer_join::check(&tree, &mut found);
    not_in::check(&tree, &mut found);
    integer_division::check(&tree, &mut found);
    limit_order::check(&tree, &mut found);
    between::check(&tree, &mut found);
    time_zone::check(&tree, &mut found);
    casts::check(&tree, &mut found);
    distinct::check(&tree, &mut found);
    averages::check(&tree, &mut found);
    units::check(&tree, &mut found);
    stale::check(&tree, &mut found);
    row_security::check(&tree, &mut found);
    tidy(&mut found);
    Ok(Some(found))
}
