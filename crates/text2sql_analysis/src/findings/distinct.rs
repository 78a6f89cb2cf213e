//! SELECT DISTINCT over a join that only filters: it hides the rows repeated by the join.

use sqlparser::ast::{Distinct, GroupByExpr};
use text2sql_phrases::say;

use super::fan_out::called;
use super::{Check, Finding};
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{JoinKind, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let is_plain = matches!(&block.select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty());
        if !matches!(block.select.distinct, Some(Distinct::Distinct))
            || block.sources.len() < 2
            || !is_plain
        {
            continue;
        }
        let mut shown: Vec<usize> = block
            .select
            .projection
            .iter()
            .filter_map(output_of)
            .flat_map(|output| tree.sources_in(position, output))
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let [owner] = shown.as_slice() else {
            continue;
        };
        let names: Vec<String> = tree
            .repeating(position, *owner, &[])
            .into_iter()
            .filter(|other| !shown.contains(other))
            .filter_map(|other| block.sources.get(other))
            .filter(|source| source.join != JoinKind::Left)
            .map(|source| called(&source.name, source.table().map(|table| table.sql_name())))
            .collect();
        let Some(source) = block.sources.get(*owner).filter(|_| !names.is_empty()) else {
            continue;
        };
        let others = names.join(&format!(" {} ", say!("and")));
        let owner_name = called(&source.name, source.table().map(|table| table.sql_name()));
        found.push(
            Check::DistinctHidesFanOut.note(say!("DISTINCT removes the copies of {owner_name} that the join with {others} makes, \
                     and also merges different rows of {owner_name} that show the same values.", owner_name, others))
            .with_fix(say!("WHERE EXISTS (SELECT FROM {first} WHERE …) instead of the join", first = names.first().map_or("…", String::as_str))),
        );
    }
}
