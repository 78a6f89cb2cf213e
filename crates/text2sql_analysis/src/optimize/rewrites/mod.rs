//! Equivalent rewrites: one file for each rule, each with its precondition.
//! A rule whose precondition is not met returns nothing.

use std::sync::Arc;

use sqlparser::ast::Query;

use super::Proposal;
use super::planner::Storage;
use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::Tree;

mod count_key;
mod count_to_exists;
mod distinct;
mod foreign_key_join;
mod group_filter;
mod not_in;
mod or_to_union;
mod range;
mod rewrite;
mod scalar_subquery;
mod semi_join;
mod top_select;

pub use rewrite::{Proviso, Rewrite};
use top_select::TopSelect;
pub use top_select::is_volatile;

/// All rewrites of `sql` whose precondition is proved by the tables and their storage.
pub fn rewrites(
    sql: &str,
    tables: &[Arc<Table>],
    storage: &[Storage],
) -> Result<Vec<Rewrite>, Error> {
    let Some(query) = sql_tree::parse(sql)? else {
        return Ok(Vec::new());
    };
    let tree = Tree::read(&query, tables);
    Ok(all(&query, &tree, storage))
}

pub(super) fn all(query: &Query, tree: &Tree<'_>, storage: &[Storage]) -> Vec<Rewrite> {
    let Some(top) = TopSelect::of(query, tree, storage) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    not_in::propose(&top, &mut found);
    semi_join::propose(&top, &mut found);
    count_to_exists::propose(&top, &mut found);
    range::propose(&top, &mut found);
    distinct::propose(&top, &mut found);
    count_key::propose(&top, &mut found);
    foreign_key_join::propose(&top, &mut found);
    group_filter::propose(&top, &mut found);
    scalar_subquery::propose(&top, &mut found);
    or_to_union::propose(&top, &mut found);
    found
}

/// What stands in the way of a rewrite and is worth knowing.
pub(super) fn notes(query: &Query, tree: &Tree<'_>) -> Vec<Proposal> {
    TopSelect::of(query, tree, &[]).map_or_else(Vec::new, |top| not_in::null_traps(&top))
}
