//! The second pass over a statement: columns, operations, dates, literals, joins and aggregates.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use text2sql_domain::words;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArguments, GroupByExpr, Join, JoinOperator, Query,
    Select, SelectItem, SetExpr, Value, Visitor,
};

use super::dates::{as_date, interval_text, is_date_part_name};
use super::names::Names;
use super::sql_components::Components;
use text2sql_sql::tree::syntax::fold;

/// Names of aggregates; all other calls are functions.
const AGGREGATES: [&str; 21] = *words!(
    "count, sum, avg, min, max, string_agg, array_agg, bool_and, bool_or, every, stddev, \
     stddev_samp, stddev_pop, variance, var_samp, var_pop, corr, percentile_cont, \
     percentile_disc, mode, json_agg"
);

/// Collects everything except the tables.
pub(super) struct Elements<'a> {
    names: &'a Names,
    /// The components found so far.
    pub(super) found: Components,
    /// Numbers compared with a date part, with the number of occurrences.
    date_numbers: BTreeMap<String, usize>,
}

impl<'a> Elements<'a> {
    pub(super) fn new(names: &'a Names) -> Self {
        Self {
            names,
            found: Components::default(),
            date_numbers: BTreeMap::new(),
        }
    }

    fn operation(&mut self, name: impl Into<String>) {
        self.found.operations.push(name.into());
    }

    fn column(&mut self, qualifier: Option<&str>, name: &str) {
        let table = match qualifier {
            Some(qualifier) => self.names.aliases.get(qualifier).cloned().flatten(),
            None if self.names.outputs.contains(name) || self.names.aliases.contains_key(name) => {
                return;
            }
            None if self.names.tables.len() == 1 && self.names.ctes.is_empty() => {
                self.names.tables.first().cloned()
            }
            None => None,
        };
        self.found.columns.insert(match table {
            Some(table) => format!("{table}.{name}"),
            None => name.to_owned(),
        });
    }

    fn joins(&mut self, joins: &[Join]) {
        for join in joins {
            let kind = match &join.join_operator {
                JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => "LEFT JOIN",
                JoinOperator::Right(_) | JoinOperator::RightOuter(_) => "RIGHT JOIN",
                JoinOperator::FullOuter(_) => "FULL JOIN",
                _ => "JOIN",
            };
            self.found.joins.push(kind.to_owned());
            self.operation(kind);
        }
    }

    fn binary(&mut self, left: &Expr, operator: &BinaryOperator, right: &Expr) {
        match operator {
            BinaryOperator::And => return,
            // A join condition or a correlation: the join itself is the operation.
            BinaryOperator::Eq if is_column(left) && is_column(right) => return,
            BinaryOperator::NotEq => self.operation("<>"),
            other => self.operation(other.to_string().to_uppercase()),
        }
        for (part, number) in [(left, right), (right, left)] {
            if let (Some(part), Some(number)) = (date_part(part), number_of(number)) {
                self.found.dates.push(format!("{part} {number}"));
                *self.date_numbers.entry(number).or_default() += 1;
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let name = function
            .name
            .0
            .last()
            .and_then(|part| part.as_ident())
            .map(fold);
        let name = name.unwrap_or_else(|| function.name.to_string());
        if matches!(
            name.as_str(),
            "current_date" | "current_timestamp" | "localtimestamp" | "now" | "current_time"
        ) {
            self.found.dates.push("now".to_owned());
            return;
        }
        let is_distinct = matches!(&function.args,
            FunctionArguments::List(list) if list.duplicate_treatment.is_some());
        let label = if is_distinct {
            format!("{name} DISTINCT")
        } else {
            name.clone()
        };
        if AGGREGATES.contains(&name.as_str()) && function.over.is_none() {
            self.found.aggregates.push(label.clone());
        }
        if function.filter.is_some() {
            self.operation("FILTER");
        }
        if function.over.is_some() {
            self.operation("OVER");
        }
        self.operation(label);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Number(number, _) => match self.date_numbers.get_mut(number) {
                Some(count) if *count > 0 => *count -= 1,
                _ => self.found.literals.push(number.clone()),
            },
            Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => {
                match as_date(text) {
                    Some(date) => self.found.dates.push(date),
                    None if is_date_part_name(text) => self.found.dates.push(text.to_lowercase()),
                    None => self.found.literals.push(format!("'{text}'")),
                }
            }
            Value::Boolean(value) => self.found.literals.push(value.to_string()),
            _ => {}
        }
    }
}

impl Visitor for Elements<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let SetExpr::SetOperation { op, .. } = query.body.as_ref() {
            self.operation(op.to_string().to_uppercase());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.distinct.is_some() {
            self.operation("DISTINCT");
        }
        if matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if !keys.is_empty()) {
            self.operation("GROUP BY");
        }
        if select.having.is_some() {
            self.operation("HAVING");
        }
        for _ in select.from.iter().skip(1) {
            self.found.joins.push("JOIN".to_owned());
            self.operation("JOIN");
        }
        for from in &select.from {
            self.joins(&from.joins);
        }
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(_) => self.column(None, "*"),
                SelectItem::QualifiedWildcard(kind, _) => {
                    let text = kind.to_string().to_lowercase();
                    self.column(Some(text.trim_end_matches(".*")), "*");
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Identifier(name) => self.column(None, &fold(name)),
            Expr::CompoundIdentifier(parts) => {
                if let [.., qualifier, name] = parts.as_slice() {
                    self.column(Some(&fold(qualifier)), &fold(name));
                }
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::Between { negated, .. } => {
                if *negated {
                    self.operation("NOT");
                }
                self.operation(">=");
                self.operation("<=");
            }
            Expr::InList { negated, .. } | Expr::InSubquery { negated, .. } => {
                self.operation(if *negated { "NOT IN" } else { "IN" });
            }
            Expr::Like { negated, .. } => {
                self.operation(if *negated { "NOT LIKE" } else { "LIKE" });
            }
            Expr::ILike { negated, .. } => {
                self.operation(if *negated { "NOT ILIKE" } else { "ILIKE" });
            }
            Expr::Exists { negated, .. } => {
                self.operation(if *negated { "NOT EXISTS" } else { "EXISTS" });
            }
            Expr::IsNull(_) => self.operation("IS NULL"),
            Expr::IsNotNull(_) => self.operation("IS NOT NULL"),
            Expr::IsDistinctFrom(..) => self.operation("IS DISTINCT FROM"),
            Expr::UnaryOp { op, .. } => self.operation(op.to_string().to_uppercase()),
            Expr::Case { .. } => self.operation("CASE"),
            Expr::Subquery(_) => self.operation("SUBQUERY"),
            Expr::Extract { field, .. } => {
                self.operation("extract");
                self.found.dates.push(field.to_string().to_lowercase());
            }
            Expr::Interval(interval) => {
                self.found
                    .dates
                    .push(format!("interval {}", interval_text(&interval.to_string())));
            }
            Expr::Function(function) => self.function(function),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &sqlparser::ast::ValueWithSpan) -> ControlFlow<()> {
        self.value(&value.value);
        ControlFlow::Continue(())
    }
}

fn is_column(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_)
    )
}

/// The unit if the expression extracts a part of a date.
fn date_part(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Extract { field, .. } => Some(field.to_string().to_lowercase()),
        Expr::Nested(inner) => date_part(inner),
        Expr::Cast { expr, .. } => date_part(expr),
        Expr::Function(function) => {
            let name = function.name.to_string().to_lowercase();
            let is_part = name == "date_part";
            is_part.then(|| {
                let text = function.args.to_string();
                text.split('\'').nth(1).unwrap_or_default().to_lowercase()
            })
        }
        _ => None,
    }
}

fn number_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => Some(number.clone()),
            _ => None,
        },
        _ => None,
    }
}
