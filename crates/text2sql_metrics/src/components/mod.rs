//! What a statement is made of, in one spelling: tables, columns, operations, dates, sort direction,
//! limit; and, for the reasons of a failure, its literals, joins and aggregates.
//!
//! Normalised: names lose quotes, aliases and the schema `public`; a column belongs to its table where
//! the text says so or only one table is there; joins with ON, USING or a comma are one thing, and
//! their condition is no operation of its own; `BETWEEN` is `>=` and `<=`; `!=` is `<>`; AND, casts,
//! parentheses and output names do not count; a number of a date part (`extract(year …) = 2024`) is a
//! date. `sqlparser` reads the text; what it cannot read has no components.

use std::collections::BTreeSet;

use sqlparser::ast::{
    Expr, LimitClause, OrderByKind, OrderBySort, Query, SelectItem, SetExpr, Visit,
};

use self::names::Names;
use self::walk::Walk;
use text2sql_sql::tree as sql_tree;

mod dates;
mod names;
mod walk;

/// The components of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Components {
    /// Tables and views, without CTEs.
    pub tables: BTreeSet<String>,
    /// Columns, as `table.column` or `column`.
    pub columns: BTreeSet<String>,
    /// Operators, functions and clauses, each as often as it stands there.
    pub operations: Vec<String>,
    /// Dates, intervals, date parts and the clock.
    pub dates: Vec<String>,
    /// Directions of the outermost ORDER BY.
    pub sort: Vec<String>,
    /// The outermost LIMIT.
    pub limit: Option<String>,
    /// Texts and numbers that are neither dates nor the limit.
    pub literals: Vec<String>,
    /// Kinds of joins, one for each.
    pub joins: Vec<String>,
    /// Aggregate functions.
    pub aggregates: Vec<String>,
    /// Columns of the result that the outermost ORDER BY sorts by, where all of it is such columns.
    pub sort_keys: Vec<usize>,
}

/// The day or moment that a text means, if it means one.
pub(super) fn day_of(text: &str) -> Option<String> {
    dates::as_date(text)
}

/// Reads the components of one SELECT; `None` when it cannot be read.
pub fn components(sql: &str) -> Option<Components> {
    let query = sql_tree::read_query(sql)?;
    let mut names = Names::default();
    let _ = query.visit(&mut names);
    let mut walk = Walk::new(&names);
    let _ = query.visit(&mut walk);
    let mut found = walk.found;
    // The limit is a component of its own.
    outermost(&query, &mut found);
    for list in [
        &mut found.operations,
        &mut found.dates,
        &mut found.literals,
        &mut found.joins,
        &mut found.aggregates,
    ] {
        list.sort_unstable();
    }
    found.tables = names.tables;
    Some(found)
}

/// Sort direction and limit of the statement as a whole.
fn outermost(query: &Query, found: &mut Components) {
    let mut limit = match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit, .. }) => limit.as_ref(),
        Some(LimitClause::OffsetCommaLimit { limit, .. }) => Some(limit),
        None => None,
    };
    if limit.is_none() {
        limit = query
            .fetch
            .as_ref()
            .and_then(|fetch| fetch.quantity.as_ref());
    }
    if let Some(limit) = limit
        .map(ToString::to_string)
        .filter(|limit| limit != "ALL")
    {
        if let Some(place) = found.literals.iter().position(|literal| *literal == limit) {
            found.literals.remove(place);
        }
        found.limit = Some(limit);
    }
    let Some(OrderByKind::Expressions(keys)) = query.order_by.as_ref().map(|order| &order.kind)
    else {
        return;
    };
    let outputs = outputs(&query.body);
    for key in keys {
        found.sort.push(match &key.options.sort {
            Some(OrderBySort::Desc) => "DESC".to_owned(),
            _ => "ASC".to_owned(),
        });
        let text = key.expr.to_string().to_lowercase();
        let place = match text.parse::<usize>() {
            Ok(number) => {
                if let Some(place) = found.literals.iter().position(|literal| *literal == text) {
                    found.literals.remove(place);
                }
                number.checked_sub(1)
            }
            Err(_) => outputs.iter().position(|(alias, expression)| {
                alias.as_deref() == Some(text.as_str()) || *expression == text
            }),
        };
        match place {
            Some(place) => found.sort_keys.push(place),
            None => {
                // A key that is not shown: what the result is sorted by cannot be read from it.
                found.sort_keys.clear();
                return;
            }
        }
    }
}

/// Alias and text of each column of the result, lower case.
fn outputs(body: &SetExpr) -> Vec<(Option<String>, String)> {
    match body {
        SetExpr::Select(select) => select
            .projection
            .iter()
            .map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias } => (
                    Some(alias.value.to_lowercase()),
                    expr.to_string().to_lowercase(),
                ),
                SelectItem::UnnamedExpr(expr) => {
                    let last = match expr {
                        Expr::Identifier(name) => Some(name.value.to_lowercase()),
                        Expr::CompoundIdentifier(parts) => {
                            parts.last().map(|name| name.value.to_lowercase())
                        }
                        _ => None,
                    };
                    (last, expr.to_string().to_lowercase())
                }
                other => (None, other.to_string()),
            })
            .collect(),
        SetExpr::SetOperation { left, .. } => outputs(left),
        _ => Vec::new(),
    }
}
