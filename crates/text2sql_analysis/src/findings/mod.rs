//! Possible faults of a valid query: one file for each check.
//!
//! [`find`] is pure: it uses the parsed query and the tables that the caller may read, with their
//! keys, types and statistics. A finding that depends on data has a [`Probe`]; [`measure()`]
//! runs it through the guard, within limits, so it reveals nothing that the caller could not query.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::Tree;

mod as_asked;
mod averages;
mod between;
mod cartesian;
mod casts;
mod constants;
mod copies;
mod cuts;
mod date_ranges;
mod definitions;
mod directions;
mod distinct;
mod fan_out;
mod finding;
mod grouping;
mod inside_values;
mod integer_division;
mod join_keys;
mod left_out;
mod limit_order;
mod literals;
mod measure;
mod named;
mod not_in;
mod null_filter;
mod orders;
mod outer_join;
mod parts;
mod per_unit;
mod refutation;
mod row_security;
mod said;
mod sameness;
mod shadowed;
mod stale;
mod subjects;
mod suspicions;
#[cfg(test)]
mod tests;
mod time_zone;
mod units;
mod years;

pub use as_asked::find_asked;
pub use copies::allow_repetition;
use finding::tidy;
pub use finding::{Basis, Check, Finding, Probe, Severity, ValueProbe, Verdict};
pub use measure::{Effort, Known, measure, measure_unknown, remove_refuted};
pub use refutation::Refutation;
pub use said::Asked;
pub use stale::compare_view;
pub use suspicions::{Suspicions, find_suspicions};

/// All possible faults of a query, worst first, derived from text, types, keys and
/// statistics. `None` if the parser does not support the query's syntax.
///
/// Fails like [`crate::explain::explain`]: if it is not one read-only statement, or too long.
pub fn find(sql: &str, tables: &[Arc<Table>]) -> Result<Option<Vec<Finding>>, Error> {
    let Some(query) = sql_tree::parse(sql)? else {
        return Ok(None);
    };
    let tree = Tree::read(&query, tables);
    let mut found = Vec::new();
    fan_out::check(&tree, &mut found);
    cartesian::check(&tree, &mut found);
    join_keys::check(&tree, tables, &mut found);
    shadowed::check(&tree, &mut found);
    literals::check(&tree, &mut found);
    inside_values::check(&tree, &mut found);
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
