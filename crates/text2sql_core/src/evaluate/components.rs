//! What a statement is made of, in one spelling: tables, columns, operations, dates, sort direction,
//! limit; and, for the reasons of a failure, its literals, joins and aggregates.
//!
//! Normalised: names lose quotes, aliases and the schema `public`; a column belongs to its table where
//! the text says so or only one table is there; joins with ON, USING or a comma are one thing, and
//! their condition is no operation of its own; `BETWEEN` is `>=` and `<=`; `!=` is `<>`; AND, casts,
//! parentheses and output names do not count; a number of a date part (`extract(year …) = 2024`) is a
//! date. `sqlparser` reads the text; what it cannot read has no components.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArguments, Ident, Join, JoinOperator, LimitClause,
    ObjectName, OrderByKind, OrderBySort, Query, Select, SelectItem, SetExpr, TableFactor, Value,
    Visit, Visitor,
};

use crate::explain;

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

/// Aggregates by name; what is not among them is a function.
const AGGREGATES: [&str; 21] = [
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "string_agg",
    "array_agg",
    "bool_and",
    "bool_or",
    "every",
    "stddev",
    "stddev_samp",
    "stddev_pop",
    "variance",
    "var_samp",
    "var_pop",
    "corr",
    "percentile_cont",
    "percentile_disc",
    "mode",
    "json_agg",
];

/// Functions whose result or argument is a date part.
const DATE_FUNCTIONS: [&str; 9] = [
    "date_trunc",
    "date_part",
    "extract",
    "age",
    "to_date",
    "to_timestamp",
    "make_date",
    "now",
    "to_char",
];

/// Reads the components of one SELECT; `None` when it cannot be read.
pub fn components(sql: &str) -> Option<Components> {
    let query = explain::read(sql)?;
    let mut names = Names::default();
    let _ = query.visit(&mut names);
    let mut walk = Walk {
        names: &names,
        found: Components::default(),
        date_numbers: BTreeMap::new(),
    };
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

/// The first walk: which names mean tables, aliases and outputs.
#[derive(Default)]
struct Names {
    tables: BTreeSet<String>,
    ctes: BTreeSet<String>,
    /// What an alias stands for; `None` is a derived table or a function.
    aliases: BTreeMap<String, Option<String>>,
    outputs: BTreeSet<String>,
}

/// A name as PostgreSQL folds it.
fn folded(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}

fn relation_name(name: &ObjectName) -> String {
    let parts: Vec<String> = name
        .0
        .iter()
        .filter_map(|part| part.as_ident())
        .map(folded)
        .collect();
    match parts.as_slice() {
        [schema, name] if schema == "public" => name.clone(),
        parts => parts.join("."),
    }
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let name = folded(&cte.alias.name);
            self.aliases.insert(name.clone(), None);
            self.ctes.insert(name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                self.outputs.insert(folded(alias));
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } => {
                let table = relation_name(name);
                let is_cte = self.ctes.contains(&table);
                let stands_for = (!is_cte).then(|| table.clone());
                if !is_cte {
                    self.tables.insert(table.clone());
                    let bare = table.rsplit('.').next().unwrap_or(&table).to_owned();
                    self.aliases.insert(bare, Some(table));
                }
                if let Some(alias) = alias {
                    self.aliases.insert(folded(&alias.name), stands_for);
                }
            }
            TableFactor::Derived {
                alias: Some(alias), ..
            }
            | TableFactor::Function {
                alias: Some(alias), ..
            }
            | TableFactor::Table {
                alias: Some(alias), ..
            } => {
                self.aliases.insert(folded(&alias.name), None);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The second walk: everything else.
struct Walk<'a> {
    names: &'a Names,
    found: Components,
    /// Numbers that are compared with a date part, and how often.
    date_numbers: BTreeMap<String, usize>,
}

impl Walk<'_> {
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
            // A join condition, or a correlation: the join is the operation.
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
            .map(folded);
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

impl Visitor for Walk<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let SetExpr::SetOperation { op, .. } = query.body.as_ref() {
            self.operation(op.to_string().to_uppercase());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        use sqlparser::ast::GroupByExpr;
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
            Expr::Identifier(name) => self.column(None, &folded(name)),
            Expr::CompoundIdentifier(parts) => {
                if let [.., qualifier, name] = parts.as_slice() {
                    self.column(Some(&folded(qualifier)), &folded(name));
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

/// The unit when the expression takes a part of a date.
fn date_part(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Extract { field, .. } => Some(field.to_string().to_lowercase()),
        Expr::Nested(inner) => date_part(inner),
        Expr::Cast { expr, .. } => date_part(expr),
        Expr::Function(function) => {
            let name = function.name.to_string().to_lowercase();
            let is_part = DATE_FUNCTIONS.contains(&name.as_str()) && name.starts_with("date_p");
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

/// The day or moment that a text means: `2024-01-01`, its midnight being the same.
fn as_date(text: &str) -> Option<String> {
    let day = text.get(..10)?;
    let shape: String = day
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    if shape != "9999-99-99" {
        return None;
    }
    let time = text
        .get(10..)
        .unwrap_or_default()
        .trim_start_matches(['T', ' ']);
    let is_midnight = time
        .chars()
        .all(|c| matches!(c, '0' | ':' | '.' | '+' | 'Z'));
    Some(if is_midnight {
        day.to_owned()
    } else {
        format!("{day} {time}")
    })
}

fn is_date_part_name(text: &str) -> bool {
    const PARTS: [&str; 12] = [
        "year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "isodow",
        "doy", "decade",
    ];
    PARTS.contains(&text.to_lowercase().as_str())
}

/// `INTERVAL '1 months'` and `INTERVAL '1' MONTH` are one interval.
fn interval_text(text: &str) -> String {
    let words: Vec<String> = text
        .to_lowercase()
        .replace("interval", "")
        .replace('\'', "")
        .split_whitespace()
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect();
    words.join(" ")
}
