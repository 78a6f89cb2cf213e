//! LIMIT without a total order: the rows returned are not deterministic.

use sqlparser::ast::{Expr, LimitClause, OrderByKind, Query, SetExpr, Value};
use text2sql_phrases::say;

use super::refutation::Refutation;
use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::{Block, Place, Reference, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let Some(query) = block.query else {
            continue;
        };
        let Some(limit) = limited(query) else {
            continue;
        };
        // `EXISTS (SELECT … LIMIT 1)` does not depend on which row is returned.
        if block.place == Place::Expression && query.order_by.is_none() {
            continue;
        }
        let refutation = uncut(block, query, &limit);
        let finding = judge(tree, position, block, query, &limit);
        found.extend(finding.map(|finding| finding.refuted_by(refutation)));
    }
}

/// The result of a statement with fewer rows than its LIMIT was not cut.
fn uncut(block: &Block<'_>, query: &Query, limit: &str) -> Option<Refutation> {
    let has_offset = matches!(
        &query.limit_clause,
        Some(LimitClause::LimitOffset {
            offset: Some(_),
            ..
        })
    );
    if block.place != Place::Top || has_offset {
        return None;
    }
    limit.parse().ok().map(Refutation::FewerRowsThan)
}

/// The LIMIT of a query, if it is a number.
fn limited(query: &Query) -> Option<String> {
    let SetExpr::Select(_) = &*query.body else {
        return None;
    };
    match &query.limit_clause {
        Some(LimitClause::LimitOffset {
            limit: Some(Expr::Value(value)),
            ..
        }) => match &value.value {
            Value::Number(digits, _) if digits != "0" => Some(digits.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn judge(
    tree: &Tree<'_>,
    position: usize,
    block: &Block<'_>,
    query: &Query,
    limit: &str,
) -> Option<Finding> {
    let is_single = tree
        .result_of(query)
        .is_some_and(|result| result.is_single_row && limit != "1");
    if is_single {
        return None;
    }
    let rows = say(if limit == "1" { "row" } else { "rows" }, &[]);
    let items = match query.order_by.as_ref().map(|order| &order.kind) {
        None => {
            // The single row of an aggregate without GROUP BY needs no order.
            let is_found_by_key = !block.select.from.is_empty()
                && tree
                    .fixing(position)
                    .determined(&[])
                    .iter()
                    .all(|is_fixed| *is_fixed);
            if block.select.from.is_empty() || is_one_row(tree, position) || is_found_by_key {
                return None;
            }
            return Some(
                Check::ArbitraryLimit
                    .warning(say!(
                        "LIMIT {limit} without ORDER BY shows any {limit} {rows}: another day it \
                         may be others.",
                        limit,
                        rows
                    ))
                    .with_fix(say!("add ORDER BY with a column that tells rows apart")),
            );
        }
        Some(OrderByKind::Expressions(items)) => items,
        Some(OrderByKind::All(_)) => return None,
    };
    let sorted: Vec<Reference> = items
        .iter()
        .filter_map(|item| tree.resolve(position, meant_by(&item.expr, &block.select.projection)))
        .collect();
    if is_total(tree, position, block, &sorted) {
        return None;
    }
    let order: Vec<String> = items.iter().map(|item| item.expr.to_string()).collect();
    let order = order.join(", ");
    let finding = Finding::new(
        Check::ArbitraryLimit,
        Severity::Note,
        Basis::Possible,
        say!(
            "Rows can be equal in {order}; where the cut of LIMIT {limit} falls among equal \
                 ones, chance decides which are shown.",
            order,
            limit
        ),
    )
    .with_fix(say!(
        "FETCH FIRST {limit} ROWS WITH TIES shows all of them; or add a unique column to ORDER BY",
        limit
    ));
    Some(match ties_query(block, query, limit) {
        None => finding,
        Some(sql) => finding.with_probe(Probe::Rows {
            sql,
            found: Verdict {
                severity: Severity::Warning,
                evidence: say!(
                    "The cut of LIMIT {limit} falls among rows that are equal in {order}: chance \
                     decides which of them are shown.",
                    limit,
                    order
                ),
            },
            none: None,
        }),
    })
}

/// Whether an aggregate without GROUP BY returns one row.
fn is_one_row(tree: &Tree<'_>, position: usize) -> bool {
    tree.block(position).is_some_and(|block| {
        matches!(&block.select.group_by, sqlparser::ast::GroupByExpr::Expressions(groups, _) if groups.is_empty())
            && !text2sql_sql::tree::aggregates(block.select, block.query).is_empty()
    })
}

/// Whether the sort columns are unique.
fn is_total(tree: &Tree<'_>, position: usize, block: &Block<'_>, sorted: &[Reference]) -> bool {
    let sqlparser::ast::GroupByExpr::Expressions(groups, _) = &block.select.group_by else {
        return true;
    };
    let sorts_output = |names: &[String]| {
        names
            .iter()
            .all(|name| sorted.iter().any(|reference| reference.column == *name))
    };
    if groups.is_empty() {
        let mut fixing = tree.fixing(position);
        for reference in sorted {
            fixing.fix(reference.clone());
        }
        if block.select.distinct.is_some() {
            return tree
                .block(position)
                .and_then(|block| block.query)
                .and_then(|query| tree.result_of(query))
                .is_some_and(|result| result.keys.iter().any(|key| sorts_output(key)));
        }
        return fixing.determined(&[]).iter().all(|is_fixed| *is_fixed);
    }
    // Unique: all keys of a group, or columns that determine them.
    let mut fixing = tree.fixing(position);
    for reference in sorted {
        fixing.fix(reference.clone());
    }
    let fixed = fixing.determined(&[]);
    groups.iter().all(|group| {
        let meant = meant_by(group, &block.select.projection);
        tree.resolve(position, meant).is_some_and(|reference| {
            sorted.contains(&reference)
                || (reference.block == position
                    && fixed.get(reference.source).copied().unwrap_or(false))
        })
    })
}

/// A query that returns a row if more rows than the limit tie for the first places.
fn ties_query(block: &Block<'_>, query: &Query, limit: &str) -> Option<String> {
    let mut open = query.clone();
    open.limit_clause = None;
    open.fetch = None;
    open.with = None;
    if let Some(LimitClause::LimitOffset {
        offset: Some(_), ..
    }) = &query.limit_clause
    {
        return None;
    }
    let (with, _) = block.frame();
    Some(format!(
        "{with}SELECT 1 FROM ({open} FETCH FIRST {limit} ROWS WITH TIES) AS first HAVING count(*) > {limit}"
    ))
}
