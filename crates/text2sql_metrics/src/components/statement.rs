//! Extracts the components of a statement: names, then elements, then the outermost sort order and limit.

use sqlparser::ast::{Expr, LimitClause, OrderByKind, OrderBySort, Query, SelectItem, SetExpr};

use super::elements::Elements;
use super::names::Names;
use super::sql_components::Components;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::visit;

/// Extracts the components of one SELECT; `None` if it cannot be parsed.
pub fn components(sql: &str) -> Option<Components> {
    let query = sql_tree::read_query(sql)?;
    let mut names = Names::default();
    let _ = visit::query(&query, &mut names);
    let mut elements = Elements::new(&names);
    let _ = visit::query(&query, &mut elements);
    let mut found = elements.found;
    // The limit is a separate component.
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
                // A sort key is not a column of the result.
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
