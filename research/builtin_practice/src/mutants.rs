//! Mutants of a right query: one fault each, of those that models make.

use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, LimitClause, Query, SelectItem,
    SetExpr, TableFactor, Value, visit_expressions_mut,
};

use crate::gate::broken;
use text2sql_domain::schema::Table;
use text2sql_sql::tree::read_query;
use text2sql_sql::tree::syntax::flatten;

/// The mutants, each with its class.
pub(crate) fn of(sql: &str, tables: &[Arc<Table>]) -> Vec<(&'static str, String)> {
    let mut all = broken::versions(sql, tables);
    let Some(query) = read_query(sql) else {
        return all;
    };
    years(&query, &mut all);
    parts_of_keys(&query, &mut all);
    one_more(&query, &mut all);
    other_comparisons(&query, &mut all);
    other_tables(&query, tables, &mut all);
    swapped(&query, &mut all);
    below(sql, tables, &mut all);
    all.retain(|(_, mutant)| mutant != sql);
    all
}

/// Another year in the conditions, and one bound less.
fn years(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let text = query.to_string();
    for year in 1900..2030 {
        let (own, other) = (format!("{year}"), format!("{}", year - 1));
        let is_year = |before: Option<char>, after: Option<char>| {
            let is_digit =
                |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.');
            !is_digit(before) && !is_digit(after)
        };
        let place = text.match_indices(&own).find(|(at, _)| {
            let before = text.get(..*at).and_then(|text| text.chars().next_back());
            let after = text.get(at + 4..).and_then(|text| text.chars().next());
            is_year(before, after)
        });
        if place.is_some() {
            all.push(("another year", text.replace(&own, &other)));
        }
    }
}

/// A join on some of the columns that it compares.
fn parts_of_keys(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let SetExpr::Select(select) = &*query.body else {
        return;
    };
    for (item, from) in select.from.iter().enumerate() {
        for (place, join) in from.joins.iter().enumerate() {
            let (JoinOperator::Join(JoinConstraint::On(condition))
            | JoinOperator::Inner(JoinConstraint::On(condition))) = &join.join_operator
            else {
                continue;
            };
            let members = flatten(condition, &BinaryOperator::And);
            let [only, _, ..] = members.as_slice() else {
                continue;
            };
            let mut changed = query.clone();
            if let SetExpr::Select(select) = &mut *changed.body
                && let Some(join) = select
                    .from
                    .get_mut(item)
                    .and_then(|from| from.joins.get_mut(place))
            {
                join.join_operator = JoinOperator::Inner(JoinConstraint::On((*only).clone()));
                all.push(("part of a key", changed.to_string()));
            }
        }
    }
}

/// A limit of one row more.
fn one_more(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let mut changed = query.clone();
    if let Some(LimitClause::LimitOffset {
        limit: Some(Expr::Value(value)),
        ..
    }) = &mut changed.limit_clause
        && let Value::Number(digits, _) = &mut value.value
        && let Ok(rows) = digits.parse::<u64>()
    {
        *digits = (rows + 1).to_string();
        all.push(("another limit", changed.to_string()));
    }
}

/// The first comparison of each kind turned: `>` for `<`, and rows with NULL lost by a negation.
fn other_comparisons(query: &Query, all: &mut Vec<(&'static str, String)>) {
    for (from, to) in [
        (BinaryOperator::Gt, BinaryOperator::Lt),
        (BinaryOperator::Lt, BinaryOperator::Gt),
        (BinaryOperator::GtEq, BinaryOperator::LtEq),
        (BinaryOperator::LtEq, BinaryOperator::GtEq),
        (BinaryOperator::Eq, BinaryOperator::NotEq),
    ] {
        let mut changed = query.clone();
        let mut is_changed = false;
        let _ = visit_expressions_mut(&mut changed, |expression| {
            if let Expr::BinaryOp { op, right, .. } = expression
                && *op == from
                && matches!(**right, Expr::Value(_))
                && !is_changed
            {
                *op = to.clone();
                is_changed = true;
            }
            ControlFlow::<()>::Continue(())
        });
        if is_changed {
            all.push(("another comparison", changed.to_string()));
        }
    }
}

/// Another table that has all the columns, by chance.
fn other_tables(query: &Query, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    let SetExpr::Select(select) = &*query.body else {
        return;
    };
    let [from] = select.from.as_slice() else {
        return;
    };
    let TableFactor::Table { name, .. } = &from.relation else {
        return;
    };
    let own = name.to_string().to_lowercase();
    if !from.joins.is_empty() {
        return;
    }
    for other in tables.iter().filter(|table| table.name != own) {
        let mut changed = query.clone();
        if let SetExpr::Select(select) = &mut *changed.body
            && let Some(TableFactor::Table { name, .. }) =
                select.from.first_mut().map(|from| &mut from.relation)
        {
            *name = vec![Ident::new(other.name.clone())].into();
            all.push(("another table", changed.to_string()));
        }
    }
}

/// Two outputs swapped.
fn swapped(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let mut changed = query.clone();
    if let SetExpr::Select(select) = &mut *changed.body
        && let [SelectItem::UnnamedExpr(_), .., SelectItem::UnnamedExpr(_)] =
            select.projection.as_slice()
        && select.projection.len() > 1
    {
        select.projection.remove(0);
        all.push(("a column less", changed.to_string()));
    }
}

/// A fan-out behind a sub-query: the sum is taken over rows that a join below repeats.
fn below(sql: &str, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    let lower = sql.to_lowercase();
    let Some((call, rest)) = lower
        .strip_prefix("select ")
        .and_then(|rest| rest.split_once(" from "))
    else {
        return;
    };
    let Some(column) = ["sum(", "avg("]
        .iter()
        .find_map(|start| call.strip_prefix(start)?.strip_suffix(')'))
        .filter(|column| column.chars().all(|c| c.is_alphanumeric() || c == '_'))
    else {
        return;
    };
    let table = rest.split_whitespace().next().unwrap_or_default();
    let Some(own) = tables.iter().find(|own| own.name == table) else {
        return;
    };
    if rest
        .split_whitespace()
        .nth(1)
        .is_some_and(|word| word != "where")
    {
        return;
    }
    for child in tables {
        let key = child
            .foreign_keys
            .iter()
            .find(|key| key.target == own.oid && key.columns.len() == 1);
        let Some((column_of, target)) =
            key.and_then(|key| Some((key.columns.first()?, key.target_columns.first()?)))
        else {
            continue;
        };
        let condition = rest.strip_prefix(table).unwrap_or_default();
        let function = call.split('(').next().unwrap_or("sum");
        all.push((
            "fan-out below",
            format!(
                "SELECT {function}(v) FROM (SELECT {table}.{column} AS v FROM {table} JOIN {} AS more ON more.{column_of} = {table}.{target}{condition}) AS below",
                child.sql_name()
            ),
        ));
    }
}
