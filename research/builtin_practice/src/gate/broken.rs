//! Breaks a right query in the ways in which models do.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr,
};

use text2sql_domain::schema::{Column, Table, TypeCategory, quote_literal};
use text2sql_sql::tree::syntax::flatten;
use text2sql_sql::tree::{Place, Tree, aggregates, read_query};

use crate::replay;

/// The kinds of faults, in report order.
pub(crate) const KINDS: [&str; 11] = [
    "misspelt value",
    "another value",
    "dropped condition",
    "dropped DISTINCT",
    "dropped limit",
    "another column",
    "another join",
    "fan-out",
    "another function",
    "another order",
    "another question",
];

/// Broken versions of a query, each with its kind. Some give the right rows all the same.
pub(crate) fn versions(sql: &str, tables: &[Arc<Table>]) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    other_values(sql, tables, &mut all);
    for (from, to) in [
        ("max(", "min("),
        ("min(", "max("),
        ("sum(", "avg("),
        ("avg(", "sum("),
    ] {
        if sql.contains(from) {
            all.push(("another function", sql.replace(from, to)));
        }
    }
    for (from, to) in [
        ("max", "min"),
        ("min", "max"),
        ("sum", "avg"),
        ("avg", "sum"),
    ] {
        for from in [format!("{from}("), format!("{}(", from.to_uppercase())] {
            if sql.contains(&from) {
                let other = sql.replace(&from, &format!("{to}("));
                all.push(("another function", other));
            }
        }
    }
    for (from, to) in [(" DESC", " ASC"), (" ASC", " DESC")] {
        if sql.contains(from) {
            all.push(("another order", sql.replacen(from, to, 1)));
        }
    }
    let Some(query) = read_query(sql) else {
        return all;
    };
    dropped(&query, &mut all);
    other_columns(&query, tables, &mut all);
    other_joins(&query, tables, &mut all);
    fan_outs(&query, tables, &mut all);
    all
}

/// Right questions whose answer is nothing: question and query with another value in place of the same literal.
pub(crate) fn empty_versions(
    question: &str,
    sql: &str,
    tables: &[Arc<Table>],
) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (column, literal) in replay::compared(sql) {
        let text = literal.trim_matches('\'');
        if !question.contains(text) || text.len() < 3 {
            continue;
        }
        for value in values_of(&column.name, tables) {
            all.push((
                question.replacen(text, &value, 1),
                sql.replacen(&literal, &quote_literal(&value), 1),
            ));
        }
    }
    all
}

fn values_of(column: &str, tables: &[Arc<Table>]) -> Vec<String> {
    let columns = tables.iter().filter_map(|table| table.column(column));
    columns
        .filter(|column| column.category == TypeCategory::Text)
        .filter_map(|column| column.statistics.as_ref())
        .flat_map(|facts| facts.most_common_values.iter().take(6).cloned())
        .filter(|value| value.chars().count() > 2 && !value.contains('\''))
        .collect()
}

fn other_values(sql: &str, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    for (column, literal) in replay::compared(sql) {
        let Some(text) = literal
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        else {
            continue;
        };
        let mut letters: Vec<char> = text.chars().collect();
        if letters.len() > 3 {
            letters.swap(1, 2);
            let misspelt: String = letters.iter().collect();
            if misspelt != text {
                let misspelt = sql.replacen(&literal, &format!("'{misspelt}'"), 1);
                all.push(("misspelt value", misspelt));
            }
        }
        let other = values_of(&column.name, tables);
        if let Some(other) = other.iter().find(|other| *other != text) {
            let other = sql.replacen(&literal, &quote_literal(other), 1);
            all.push(("another value", other));
        }
    }
}

fn with_select(query: &Query, change: impl FnOnce(&mut Select)) -> Option<String> {
    let mut changed = query.clone();
    let SetExpr::Select(select) = &mut *changed.body else {
        return None;
    };
    change(select);
    Some(changed.to_string())
}

fn dropped(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let SetExpr::Select(select) = &*query.body else {
        return;
    };
    if let Some(filter) = &select.selection {
        let members = flatten(filter, &BinaryOperator::And);
        for place in 0..members.len() {
            let kept = members
                .iter()
                .enumerate()
                .filter(|(own, _)| *own != place)
                .map(|(_, member)| (*member).clone())
                .reduce(|left, right| Expr::BinaryOp {
                    left: Box::new(left),
                    op: BinaryOperator::And,
                    right: Box::new(right),
                });
            all.extend(
                with_select(query, |select| select.selection = kept)
                    .map(|sql| ("dropped condition", sql)),
            );
        }
    }
    if select.having.is_some() {
        all.extend(
            with_select(query, |select| select.having = None).map(|sql| ("dropped condition", sql)),
        );
    }
    if select.distinct.is_some() {
        all.extend(
            with_select(query, |select| select.distinct = None)
                .map(|sql| ("dropped DISTINCT", sql)),
        );
    }
    if query.limit_clause.is_some() {
        let mut open = query.clone();
        open.limit_clause = None;
        all.push(("dropped limit", open.to_string()));
    }
}

/// The sources of the statement by the names of their qualifiers.
pub(crate) fn sources(query: &Query, tables: &[Arc<Table>]) -> BTreeMap<String, Arc<Table>> {
    let tree = Tree::read(query, tables);
    let top = tree.blocks.iter().find(|block| block.place == Place::Top);
    top.into_iter()
        .flat_map(|block| &block.sources)
        .filter_map(|source| Some((source.name.clone(), Arc::clone(source.table()?))))
        .collect()
}

/// Another column of the same table and kind.
fn beside(
    name: &str,
    qualifier: Option<&str>,
    of: &BTreeMap<String, Arc<Table>>,
) -> Option<String> {
    let owner = match qualifier {
        Some(qualifier) => of.get(qualifier),
        None => of.values().find(|table| table.column(name).is_some()),
    }?;
    let own = owner.column(name)?;
    let is_like = |column: &&Column| column.name != name && column.category == own.category;
    owner
        .columns
        .iter()
        .find(is_like)
        .map(|column| column.name.clone())
}

/// Replaces the first column of an expression by another one.
pub(crate) fn replace(expression: &mut Expr, of: &BTreeMap<String, Arc<Table>>) -> bool {
    match expression {
        Expr::Identifier(name) => match beside(&name.value, None, of) {
            Some(other) => {
                *name = Ident::new(other);
                true
            }
            None => false,
        },
        Expr::CompoundIdentifier(parts) => {
            let [qualifier, name] = parts.as_mut_slice() else {
                return false;
            };
            match beside(&name.value, Some(&qualifier.value), of) {
                Some(other) => {
                    *name = Ident::new(other);
                    true
                }
                None => false,
            }
        }
        Expr::Function(function) => {
            let sqlparser::ast::FunctionArguments::List(list) = &mut function.args else {
                return false;
            };
            list.args.iter_mut().any(|argument| match argument {
                sqlparser::ast::FunctionArg::Unnamed(sqlparser::ast::FunctionArgExpr::Expr(
                    inner,
                )) => replace(inner, of),
                _ => false,
            })
        }
        _ => false,
    }
}

fn other_columns(query: &Query, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    let of = sources(query, tables);
    let mut is_other = false;
    let changed = with_select(query, |select| {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expression)
            | SelectItem::ExprWithAlias {
                expr: expression, ..
            } = item
                && replace(expression, &of)
            {
                is_other = true;
                break;
            }
        }
    });
    all.extend(
        changed
            .filter(|_| is_other)
            .map(|sql| ("another column", sql)),
    );
}

fn other_joins(query: &Query, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    let of = sources(query, tables);
    let mut is_other = false;
    let changed = with_select(query, |select| {
        for join in select.from.iter_mut().flat_map(|item| &mut item.joins) {
            let (JoinOperator::Join(JoinConstraint::On(condition))
            | JoinOperator::Inner(JoinConstraint::On(condition))) = &mut join.join_operator
            else {
                continue;
            };
            if let Expr::BinaryOp { left, right, .. } = condition
                && (replace(right, &of) || replace(left, &of))
            {
                is_other = true;
                break;
            }
        }
    });
    all.extend(
        changed
            .filter(|_| is_other)
            .map(|sql| ("another join", sql)),
    );
}

/// Joins a table that refers to one that is aggregated.
fn fan_outs(query: &Query, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    let SetExpr::Select(select) = &*query.body else {
        return;
    };
    if aggregates(select, Some(query)).is_empty() || select.from.len() != 1 {
        return;
    }
    let of = sources(query, tables);
    let mut child = None;
    for (name, parent) in &of {
        child = tables.iter().find_map(|table| {
            if of.values().any(|used| used.oid == table.oid) {
                return None;
            }
            let key = table
                .foreign_keys
                .iter()
                .find(|key| key.target == parent.oid)?;
            let (own, target) = (key.columns.first()?, key.target_columns.first()?);
            Some(format!(
                "SELECT 1 FROM x JOIN {} AS more ON more.{own} = {name}.{target}",
                table.sql_name()
            ))
        });
        if child.is_some() {
            break;
        }
    }
    let Some(joined) = child.and_then(|sql| read_query(&sql)) else {
        return;
    };
    let SetExpr::Select(other) = &*joined.body else {
        return;
    };
    let join = other.from.first().and_then(|item| item.joins.first());
    let changed = with_select(query, |select| {
        if let (Some(item), Some(join)) = (select.from.first_mut(), join) {
            item.joins.push(join.clone());
        }
    });
    all.extend(changed.map(|sql| ("fan-out", sql)));
}
