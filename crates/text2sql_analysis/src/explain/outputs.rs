//! The outputs of a query, and its ORDER BY, GROUP BY and LIMIT in words.

use sqlparser::ast::{
    Expr, Fetch, LimitClause, OrderByExpr, OrderByKind, Query, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, Value,
};
use text2sql_phrases::say;

use super::category::category;
use super::function::direction;
use super::narrator::{Narrator, unexplained};
use super::query::output;
use super::relations::renamed;
use super::scope::{KnownCte, OutputColumn, Scope, Source};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::{capitalise, counted, first_rows};
use text2sql_sql::tree::syntax::{fold, fold_parts};

impl Narrator<'_> {
    /// One output in words, with its name.
    pub fn output_words(&mut self, scope: &Scope<'_>, item: &SelectItem) -> String {
        match item {
            SelectItem::UnnamedExpr(expression) => self.shown(scope, expression),
            SelectItem::ExprWithAlias { expr, alias } => {
                let name = fold(alias);
                if let Expr::Function(function) = expr
                    && function.over.is_some()
                {
                    return quote_identifier(&name);
                }
                let words = self.shown(scope, expr);
                if is_named(expr, &name) {
                    words
                } else {
                    say!("{words} (as {name})", name = quote_identifier(&name))
                }
            }
            SelectItem::Wildcard(_) => say!("all columns"),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let name = fold_parts(name).pop().unwrap_or_default();
                let label = scope.find(Some(&name), "").map_or_else(
                    || quote_identifier(&name),
                    |found| found.relation.label.clone(),
                );
                say!("all columns of {label}")
            }
            other => unexplained(other),
        }
    }

    /// An output; a phrase with commas is put in parentheses.
    fn shown(&mut self, scope: &Scope<'_>, expression: &Expr) -> String {
        match expression {
            Expr::Case { .. } => self.operand(scope, expression),
            _ => self.value(scope, expression),
        }
    }

    /// A GROUP BY key in words: a position or an output's name refers to that output.
    pub fn group_words(
        &mut self,
        scope: &Scope<'_>,
        key: &Expr,
        projection: &[SelectItem],
    ) -> String {
        let target = match key {
            Expr::Value(_) => positioned(key, projection),
            Expr::Identifier(name) if scope.find(None, &fold(name)).is_none() => {
                aliased(&fold(name), projection)
            }
            _ => None,
        };
        let Some((expression, name)) = target else {
            return self.operand(scope, key);
        };
        let words = self.operand(scope, expression);
        match name {
            Some(name) if !is_named(expression, &name) => {
                say!("{words} (as {name})", name = quote_identifier(&name))
            }
            _ => words,
        }
    }

    /// An ORDER BY list in words: an output's name or position refers to that output.
    pub fn order_words(
        &mut self,
        scope: &Scope<'_>,
        items: &[OrderByExpr],
        projection: &[SelectItem],
    ) -> String {
        let words: Vec<String> = items
            .iter()
            .map(|item| {
                let target = match &item.expr {
                    Expr::Value(_) => positioned(&item.expr, projection),
                    Expr::Identifier(name) => aliased(&fold(name), projection),
                    _ => None,
                };
                let (value, of) = match target {
                    Some((expression, Some(name))) => {
                        (quote_identifier(&name), category(scope, expression))
                    }
                    Some((expression, None)) => {
                        (self.operand(scope, expression), category(scope, expression))
                    }
                    None => match &item.expr {
                        Expr::Value(position) => (say!("output column {position}"), None),
                        expression => {
                            (self.operand(scope, expression), category(scope, expression))
                        }
                    },
                };
                format!("{value} {}", direction(item, of))
            })
            .collect();
        words.join(&format!("{} ", say!(", then by")))
    }

    /// Explains ORDER BY, LIMIT, OFFSET, FETCH and locks.
    pub fn describe_tail(&mut self, scope: &Scope<'_>, query: &Query, projection: &[SelectItem]) {
        let mut is_sorted = false;
        if let Some(order) = &query.order_by {
            is_sorted = true;
            let words = match &order.kind {
                OrderByKind::Expressions(items) => {
                    let words = self.order_words(scope, items, projection);
                    say!("Sort by {words}.")
                }
                OrderByKind::All(_) => format!("{}.", capitalise(&unexplained(order))),
            };
            self.push("ORDER BY", words);
        }
        if let Some(limit) = &query.limit_clause {
            self.describe_limit(scope, limit, is_sorted);
        }
        if let Some(fetch) = &query.fetch {
            self.describe_fetch(scope, fetch, is_sorted);
        }
        for lock in &query.locks {
            self.push(
                "FOR UPDATE",
                say!(
                    "Lock the rows read against changes by others until the transaction ends \
                     ({lock})."
                ),
            );
        }
    }

    fn describe_limit(&mut self, scope: &Scope<'_>, limit: &LimitClause, is_sorted: bool) {
        let LimitClause::LimitOffset { limit, offset, .. } = limit else {
            let words = capitalise(&unexplained(limit));
            self.push("LIMIT", format!("{words}."));
            return;
        };
        if let Some(offset) = offset {
            let count = self.value(scope, &offset.value);
            let rows = first_rows(&count);
            self.push("OFFSET", say!("Skip the first {rows}."));
        }
        if let Some(limit) = limit {
            let sentence = self.limit_sentence(scope, limit, is_sorted);
            self.push("LIMIT", sentence);
        }
    }

    fn limit_sentence(&mut self, scope: &Scope<'_>, limit: &Expr, is_sorted: bool) -> String {
        let count = self.value(scope, limit);
        if is_sorted {
            say!("Show only the first {rows}.", rows = first_rows(&count))
        } else {
            let rows = counted(&count, "row", "rows");
            say!(
                "Show at most {rows}; which ones is left to the database, for there is no ORDER BY."
            )
        }
    }

    fn describe_fetch(&mut self, scope: &Scope<'_>, fetch: &Fetch, is_sorted: bool) {
        let sentence = match &fetch.quantity {
            _ if fetch.percent => format!("{}.", capitalise(&unexplained(fetch))),
            Some(quantity) if fetch.with_ties => {
                let count = self.value(scope, quantity);
                let rows = first_rows(&count);
                say!("Show the first {rows}, and all further rows that sort equal to the last.")
            }
            Some(quantity) => self.limit_sentence(scope, quantity, is_sorted),
            None => say!("Show only the first row."),
        };
        self.push("FETCH", sentence);
    }

    /// The result columns of a query, if its text and the tables determine them.
    pub fn output_columns(&self, outer: &Scope<'_>, query: &Query) -> Vec<OutputColumn> {
        let mut scope = Scope::inside(outer);
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let columns = self.output_columns(&scope, &cte.query);
            let columns = match renamed(Source::Result(columns), Some(&cte.alias)) {
                Source::Result(columns) => columns,
                _ => Vec::new(),
            };
            scope.ctes.push(KnownCte {
                name: fold(&cte.alias.name),
                columns,
            });
        }
        let mut body = &*query.body;
        while let SetExpr::SetOperation { left, .. } = body {
            body = left;
        }
        match body {
            SetExpr::Query(inner) => self.output_columns(&scope, inner),
            SetExpr::Values(values) => (1..=values.rows.first().map_or(0, |row| row.content.len()))
                .map(|number| OutputColumn {
                    name: Some(format!("column{number}")),
                    category: None,
                })
                .collect(),
            SetExpr::Select(select) => {
                let mut inner = Scope::inside(&scope);
                inner.set_relations(self.relations(&scope, &select.from));
                select
                    .projection
                    .iter()
                    .flat_map(|item| item_columns(&inner, item))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

fn item_columns(scope: &Scope<'_>, item: &SelectItem) -> Vec<OutputColumn> {
    match item {
        SelectItem::UnnamedExpr(expression) => {
            vec![output(default_name(expression), scope, expression)]
        }
        SelectItem::ExprWithAlias { expr, alias } => vec![output(Some(fold(alias)), scope, expr)],
        SelectItem::Wildcard(_) => scope
            .relations
            .iter()
            .flat_map(|relation| relation.source.columns())
            .collect(),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
            let name = fold_parts(name).pop().unwrap_or_default();
            scope
                .find(Some(&name), "")
                .map_or_else(Vec::new, |found| found.relation.source.columns())
        }
        _ => Vec::new(),
    }
}

/// The name that PostgreSQL gives an output without an alias.
fn default_name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(name) => Some(fold(name)),
        Expr::CompoundIdentifier(names) => names.last().map(fold),
        Expr::Function(function) => fold_parts(&function.name).pop(),
        Expr::Cast { expr, .. } | Expr::Nested(expr) => default_name(expr),
        Expr::Case { .. } => Some("case".to_owned()),
        Expr::Extract { .. } => Some("extract".to_owned()),
        _ => None,
    }
}

/// Whether an expression is a column with this name.
fn is_named(expression: &Expr, name: &str) -> bool {
    match expression {
        Expr::Identifier(column) => fold(column) == name,
        Expr::CompoundIdentifier(names) => names.last().is_some_and(|column| fold(column) == name),
        _ => false,
    }
}

/// The output at a position, such as the 2 in `ORDER BY 2`, and its name.
fn positioned<'p>(
    position: &Expr,
    projection: &'p [SelectItem],
) -> Option<(&'p Expr, Option<String>)> {
    let Expr::Value(value) = position else {
        return None;
    };
    let Value::Number(digits, _) = &value.value else {
        return None;
    };
    let index = digits.parse::<usize>().ok()?.checked_sub(1)?;
    match projection.get(index)? {
        SelectItem::UnnamedExpr(expression) => Some((expression, None)),
        SelectItem::ExprWithAlias { expr, alias } => Some((expr, Some(fold(alias)))),
        _ => None,
    }
}

/// The output with this name.
fn aliased<'p>(name: &str, projection: &'p [SelectItem]) -> Option<(&'p Expr, Option<String>)> {
    projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if fold(alias) == name => {
            Some((expr, Some(fold(alias))))
        }
        _ => None,
    })
}
