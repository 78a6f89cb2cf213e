//! A correlated sub-query in SELECT as a join, which runs once instead of once per row.
//!
//! Valid for a look-up by a key (`(SELECT p.name FROM p WHERE p.id = o.p_id)`), and for one
//! aggregate over rows selected by equal columns (`(SELECT count(*) FROM o WHERE o.c_id = c.id)`).

use sqlparser::ast::{BinaryOperator, Expr, Join, Query, SelectItem, SetExpr};

use super::Rewrite;
use super::top_select::{TopSelect, expression, is_own, single_table};
use text2sql_domain::schema::quote_identifier;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Block, aggregate};

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    // With grouping, the joined columns would have to be in GROUP BY.
    if !top.is_plain() || top.block.select.from.len() != 1 {
        return;
    }
    for (number, item) in top.block.select.projection.iter().enumerate() {
        let Some(Expr::Subquery(subquery)) = output_of(item).map(without_parentheses) else {
            continue;
        };
        found.extend(joined(top, number, item, subquery));
    }
}

/// The correlation of the sub-query: its own column and the outer one.
struct Correlation {
    inner: String,
    outer: String,
}

fn joined(
    top: &TopSelect<'_, '_>,
    number: usize,
    item: &SelectItem,
    subquery: &Query,
) -> Option<Rewrite> {
    let (position, block) = single_table(top.tree, subquery)?;
    if block.parent != Some(top.position) {
        return None;
    }
    let source = block.sources.first()?;
    let table = source.table()?;
    let mut pairs = Vec::new();
    let mut own = Vec::new();
    for filter in block.filters() {
        match correlation(top, position, filter) {
            Some(pair) => pairs.push(pair),
            None if is_own(top.tree, position, filter) => own.push(filter),
            None => return None,
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let [output] = block.select.projection.as_slice() else {
        return None;
    };
    let output = output_of(output)?;
    if !top
        .block
        .sources
        .iter()
        .all(|outer| outer.name != source.name)
    {
        return None;
    }
    let looked_up = top.free_name("looked_up");
    let columns: Vec<String> = pairs.iter().map(|pair| pair.inner.clone()).collect();
    let names: Vec<String> = columns
        .iter()
        .map(|column| quote_identifier(column))
        .collect();
    let matches: Vec<String> = pairs
        .iter()
        .map(|pair| {
            format!(
                "{looked_up}.{} = {}",
                quote_identifier(&pair.inner),
                pair.outer
            )
        })
        .collect();
    let filter = conditions(&own);
    let from = format!("FROM {}", source.factor);
    let (select, value, because, grouping) = match aggregate(without_parentheses(output)) {
        Some(found) => {
            if !is_own_aggregate(top, position, block, output) {
                return None;
            }
            let value = if found.name == "count" {
                format!("coalesce({looked_up}.found_value, 0)")
            } else {
                format!("{looked_up}.found_value")
            };
            let because = format!(
                "{} is the same for all outer rows with the same {}",
                found.call,
                columns.join(", ")
            );
            (
                output,
                value,
                because,
                format!(" GROUP BY {}", names.join(", ")),
            )
        }
        None => {
            let is_key = source
                .keys()
                .iter()
                .any(|key| key.iter().all(|column| columns.contains(column)));
            if !is_key || !is_own(top.tree, position, output) {
                return None;
            }
            let because = format!("{} is a key of {}", columns.join(", "), table.sql_name());
            (
                output,
                format!("{looked_up}.found_value"),
                because,
                String::new(),
            )
        }
    };
    let relation = format!(
        "(SELECT {}, {select} AS found_value {from}{filter}{grouping}) AS {looked_up}",
        names.join(", ")
    );
    let alias = match item {
        SelectItem::ExprWithAlias { alias, .. } => alias.clone(),
        _ => sqlparser::ast::Ident::new(quote_identifier(&output_name(output)?)),
    };
    let value = expression(&value)?;
    let join = read_join(&format!(
        "LEFT JOIN {relation} ON {}",
        matches.join(" AND ")
    ))?;
    let sql = top.changed(|select| {
        if let Some(place) = select.projection.get_mut(number) {
            *place = SelectItem::ExprWithAlias { expr: value, alias };
        }
        if let Some(from) = select.from.first_mut() {
            from.joins.push(join);
        }
    })?;
    Some(Rewrite {
        rule: "scalar_subquery_to_join",
        what: format!(
            "The sub-query over {} runs once, as a join, instead of once for each row.",
            table.sql_name()
        ),
        because,
        sql,
        caveat: None,
        proviso: None,
        is_simpler: false,
    })
}

/// The name that PostgreSQL gives a scalar sub-query.
fn output_name(output: &Expr) -> Option<String> {
    match output {
        Expr::Identifier(name) => Some(text2sql_sql::tree::syntax::fold(name)),
        Expr::CompoundIdentifier(names) => names.last().map(text2sql_sql::tree::syntax::fold),
        Expr::Function(function) => text2sql_sql::tree::syntax::fold_parts(&function.name).pop(),
        _ => None,
    }
}

fn conditions(filters: &[&Expr]) -> String {
    let texts: Vec<String> = filters.iter().map(ToString::to_string).collect();
    if texts.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", texts.join(" AND "))
    }
}

/// `inner.column = outer.column` with equal types.
fn correlation(top: &TopSelect<'_, '_>, position: usize, filter: &Expr) -> Option<Correlation> {
    let Expr::BinaryOp {
        left,
        op: BinaryOperator::Eq,
        right,
    } = without_parentheses(filter)
    else {
        return None;
    };
    let (one, other) = (
        top.tree.resolve(position, left)?,
        top.tree.resolve(position, right)?,
    );
    let (inner, outer) = match (one.block == position, other.block == position) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    (outer.block == top.position).then(|| Correlation {
        outer: top.tree.sql(&outer),
        inner: inner.column,
    })
}

/// Whether an aggregate uses only columns of the sub-query.
fn is_own_aggregate(
    top: &TopSelect<'_, '_>,
    position: usize,
    block: &Block<'_>,
    output: &Expr,
) -> bool {
    let Some(found) = aggregate(without_parentheses(output)) else {
        return false;
    };
    let is_known = matches!(found.name.as_str(), "count" | "sum" | "avg" | "min" | "max");
    is_known
        && is_own(top.tree, position, output)
        && block.query.is_some_and(|query| query.order_by.is_none())
}

/// Parses a join with `sqlparser`.
fn read_join(text: &str) -> Option<Join> {
    let query = text2sql_sql::tree::parse(&format!("SELECT 1 FROM base {text}")).ok()??;
    let SetExpr::Select(select) = *query.body else {
        return None;
    };
    select.from.into_iter().next()?.joins.into_iter().next()
}
