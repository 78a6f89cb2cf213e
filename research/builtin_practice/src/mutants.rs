//! Mutants of a right query: one fault each, of those that models make.

use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, LimitClause, Query,
    SelectItem, SetExpr, TableFactor, Value, visit_expressions_mut,
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
    other_numbers(&query, &mut all);
    added(&query, tables, &mut all);
    without_groups(&query, &mut all);
    lost_nulls(&query, &mut all);
    swapped_in_conditions(&query, tables, &mut all);
    without_distinct(sql, &mut all);
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

/// Each number that a column is compared with, as another one.
fn other_numbers(query: &Query, all: &mut Vec<(&'static str, String)>) {
    for place in 0..3 {
        let mut changed = query.clone();
        let mut seen = 0;
        let mut is_changed = false;
        let _ = visit_expressions_mut(&mut changed, |expression| {
            if let Expr::BinaryOp { op, right, .. } = expression
                && text2sql_sql::tree::syntax::is_comparison(op)
                && let Expr::Value(value) = &mut **right
                && let Value::Number(digits, _) = &mut value.value
                && let Ok(number) = digits.parse::<f64>()
            {
                let is_year = (1900.0..2100.0).contains(&number);
                if seen == place && !is_year {
                    *digits = format!("{}", number * 2.0 + 3.0);
                    is_changed = true;
                }
                seen += 1;
            }
            ControlFlow::<()>::Continue(())
        });
        if is_changed {
            all.push(("another number", changed.to_string()));
        }
    }
}

fn with_condition(query: &Query, condition: &str) -> Option<String> {
    let read = read_query(&format!("SELECT 1 FROM x WHERE {condition}"))?;
    let SetExpr::Select(other) = &*read.body else {
        return None;
    };
    let added = other.selection.clone()?;
    let mut changed = query.clone();
    let SetExpr::Select(select) = &mut *changed.body else {
        return None;
    };
    select.selection = Some(match select.selection.take() {
        None => added,
        Some(own) => Expr::BinaryOp {
            left: Box::new(Expr::Nested(Box::new(own))),
            op: BinaryOperator::And,
            right: Box::new(added),
        },
    });
    Some(changed.to_string())
}

/// A condition that nobody asked for: on a text column with few values, and on the first number.
fn added(query: &Query, tables: &[Arc<Table>], all: &mut Vec<(&'static str, String)>) {
    let tree = text2sql_sql::tree::Tree::read(query, tables);
    let Some(source) = tree.blocks.iter().flat_map(|block| &block.sources).next() else {
        return;
    };
    let Some(table) = source.table() else { return };
    let chosen = table.columns.iter().find_map(|column| {
        let facts = column.statistics.as_ref()?;
        let value = facts.most_common_values.first()?;
        let is_few = column.category == text2sql_domain::schema::TypeCategory::Text;
        is_few.then(|| {
            format!(
                "{}.{} = {}",
                source.name,
                text2sql_domain::schema::quote_identifier(&column.name),
                text2sql_domain::schema::quote_literal(value)
            )
        })
    });
    all.extend(
        chosen
            .and_then(|condition| with_condition(query, &condition))
            .map(|sql| ("added condition", sql)),
    );
}

/// The figures of all rows for those of each group.
fn without_groups(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let mut changed = query.clone();
    let SetExpr::Select(select) = &mut *changed.body else {
        return;
    };
    let GroupByExpr::Expressions(groups, _) = &select.group_by else {
        return;
    };
    if groups.is_empty() || changed.limit_clause.is_some() || select.having.is_some() {
        return;
    }
    select.group_by = GroupByExpr::Expressions(Vec::new(), Vec::new());
    select.projection.retain(|item| {
        text2sql_sql::tree::walk::output_of(item)
            .is_some_and(|output| text2sql_sql::tree::aggregate(output).is_some())
    });
    changed.order_by = None;
    if let SetExpr::Select(select) = &*changed.body
        && !select.projection.is_empty()
    {
        all.push(("dropped group", changed.to_string()));
    }
}

/// Rows without a value lost: by a join in place of an outer one, and by `<>` in place of a difference that keeps them.
fn lost_nulls(query: &Query, all: &mut Vec<(&'static str, String)>) {
    let mut changed = query.clone();
    let mut is_changed = false;
    if let SetExpr::Select(select) = &mut *changed.body {
        for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
            if let JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) =
                &join.join_operator
            {
                join.join_operator = JoinOperator::Inner(constraint.clone());
                is_changed = true;
            }
        }
    }
    if is_changed {
        all.push(("lost NULLs", changed.to_string()));
    }
}

/// A condition on another column of the same table and type.
fn swapped_in_conditions(
    query: &Query,
    tables: &[Arc<Table>],
    all: &mut Vec<(&'static str, String)>,
) {
    let of = broken::sources(query, tables);
    let mut changed = query.clone();
    let mut is_changed = false;
    if let SetExpr::Select(select) = &mut *changed.body
        && let Some(condition) = &mut select.selection
    {
        let _ = visit_expressions_mut(condition, |expression| {
            if let Expr::BinaryOp { left, right, .. } = expression
                && matches!(**right, Expr::Value(_))
                && !is_changed
            {
                is_changed = broken::replace(left, &of);
            }
            ControlFlow::<()>::Continue(())
        });
    }
    if is_changed {
        all.push(("a condition on another column", changed.to_string()));
    }
}

/// Values counted as often as they occur.
fn without_distinct(sql: &str, all: &mut Vec<(&'static str, String)>) {
    let lower = sql.to_lowercase();
    if let Some(place) = lower.find("count(distinct ") {
        let (before, after) = (sql.get(..place), sql.get(place + 15..));
        if let (Some(before), Some(after)) = (before, after) {
            all.push(("dropped DISTINCT", format!("{before}count({after}")));
        }
    }
}
