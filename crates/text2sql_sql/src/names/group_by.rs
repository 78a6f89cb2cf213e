//! Columns of a grouped query that are neither grouped nor aggregated: every database but SQLite refuses them.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use sqlparser::ast::{
    Expr, Function, GroupByExpr, Ident, Query, Select, SelectItem, Value, Visitor,
};

use text2sql_domain::dialect::Dialect;

use super::checker::{Checker, Fault};
use super::query::idents;
use super::scope::Scope;
use crate::visit;

/// The aggregates of all dialects.
static AGGREGATES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("../dialects/functions/aggregates.txt")
        .split_whitespace()
        .collect()
});

/// A column of a source: its place in FROM, and its name. Columns that a join merged have no place.
type ColumnOf = (Option<usize>, String);

impl Checker<'_> {
    /// Faults outputs that a grouped query leaves open.
    pub(super) fn grouping(&mut self, select: &Select, scope: &Scope<'_>) {
        if self.schema.dialect == Dialect::Sqlite {
            return;
        }
        let GroupByExpr::Expressions(keys, _) = &select.group_by else {
            return;
        };
        let outputs: Vec<&Expr> = select.projection.iter().filter_map(output).collect();
        let all = outputs.iter().copied().chain(&select.having);
        let is_grouped = !keys.is_empty()
            || select.having.is_some()
            || outputs.iter().any(|expr| aggregates(expr));
        if !is_grouped {
            return;
        }
        let mut grouped = Grouped {
            columns: HashSet::new(),
            expressions: HashSet::new(),
        };
        for key in keys {
            self.add_key(key, select, scope, &mut grouped);
        }
        let dependent = match self.schema.dialect {
            Dialect::PostgreSql | Dialect::MySql => self.dependent(scope, &grouped),
            Dialect::Sqlite | Dialect::DuckDb | Dialect::TSql => HashSet::new(),
        };
        // MySQL follows equalities of joins as well.
        if self.schema.dialect == Dialect::MySql && !dependent.is_empty() {
            return;
        }
        let mut faults = Vec::new();
        for expr in all {
            let mut open = Open {
                checker: self,
                scope,
                grouped: &grouped,
                dependent: &dependent,
                exempt: 0,
                queries: 0,
                faults: &mut faults,
            };
            let _ = visit::expression(expr, &mut open);
        }
        self.faults.append(&mut faults);
    }

    /// Adds what a key of GROUP BY stands for: a column, an output by its name or number, or an expression.
    fn add_key(&self, key: &Expr, select: &Select, scope: &Scope<'_>, grouped: &mut Grouped) {
        match key {
            Expr::Nested(inner) => self.add_key(inner, select, scope, grouped),
            Expr::Tuple(keys) => {
                for key in keys {
                    self.add_key(key, select, scope, grouped);
                }
            }
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                for key in sets.iter().flatten() {
                    self.add_key(key, select, scope, grouped);
                }
            }
            Expr::Value(value) => {
                if let Value::Number(number, _) = &value.value
                    && let Some(place) = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1))
                    && let Some(expr) = select.projection.get(place).and_then(output)
                {
                    self.add_expression(expr, scope, grouped);
                }
            }
            Expr::Identifier(name)
                if self.column_of(std::slice::from_ref(name), scope).is_none() =>
            {
                let key = self.key(name);
                let named = select.projection.iter().find_map(|item| match item {
                    SelectItem::ExprWithAlias { expr, alias } if self.key(alias) == key => {
                        Some(expr)
                    }
                    _ => None,
                });
                if let Some(expr) = named {
                    self.add_expression(expr, scope, grouped);
                }
            }
            other => self.add_expression(other, scope, grouped),
        }
    }

    fn add_expression(&self, expr: &Expr, scope: &Scope<'_>, grouped: &mut Grouped) {
        match name_parts(expr).and_then(|parts| self.column_of(parts, scope)) {
            Some(column) => {
                grouped.columns.insert(column);
            }
            None => {
                grouped.expressions.insert(expr.to_string().to_lowercase());
            }
        }
    }

    /// The column of the sources of this SELECT that a name is.
    fn column_of(&self, parts: &[Ident], scope: &Scope<'_>) -> Option<ColumnOf> {
        let (column, qualifiers) = parts.split_last()?;
        let key = self.key(column);
        let mut places = scope.sources.iter().enumerate();
        match qualifiers.last() {
            Some(table) => {
                let table = self.key(table);
                let (place, source) = places.find(|(_, source)| source.key == table)?;
                source.column(&key)?;
                Some((Some(place), key))
            }
            None if scope.merged.contains(&key) => Some((None, key)),
            None => {
                let (place, _) = places.find(|(_, source)| source.column(&key).is_some())?;
                Some((Some(place), key))
            }
        }
    }

    /// Places of the sources whose primary key is grouped: it determines their other columns.
    fn dependent(&self, scope: &Scope<'_>, grouped: &Grouped) -> HashSet<usize> {
        let mut dependent = HashSet::new();
        for (place, source) in scope.sources.iter().enumerate() {
            let first = source.columns.as_ref().and_then(|columns| columns.first());
            let table = first
                .and_then(|output| output.origin)
                .filter(|_| source.is_table)
                .and_then(|(table, _)| self.schema.tables.get(table));
            let is_grouped = |name: &String| {
                let key = self.rules.stored(name);
                let own = (Some(place), key.clone());
                grouped.columns.contains(&own) || grouped.columns.contains(&(None, key))
            };
            if table.is_some_and(|table| {
                !table.primary_key.is_empty() && table.primary_key.iter().all(is_grouped)
            }) {
                dependent.insert(place);
            }
        }
        dependent
    }
}

/// What a query groups by.
struct Grouped {
    columns: HashSet<ColumnOf>,
    /// Other expressions, as text.
    expressions: HashSet<String>,
}

/// Finds open columns of one expression.
struct Open<'c, 's, 'p> {
    checker: &'c Checker<'s>,
    scope: &'c Scope<'p>,
    grouped: &'c Grouped,
    dependent: &'c HashSet<usize>,
    /// How many aggregates and grouped expressions are open.
    exempt: usize,
    /// How many sub-queries are open.
    queries: usize,
    faults: &'c mut Vec<Fault>,
}

impl Open<'_, '_, '_> {
    fn exempts(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Function(function) if is_aggregate(function, &self.checker.schema.functions) => {
                true
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => false,
            other => {
                !self.grouped.expressions.is_empty()
                    && self
                        .grouped
                        .expressions
                        .contains(&other.to_string().to_lowercase())
            }
        }
    }
}

impl Visitor for Open<'_, '_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries = self.queries.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.exempts(expr) {
            self.exempt += 1;
        }
        if self.exempt > 0 || self.queries > 0 {
            return ControlFlow::Continue(());
        }
        let Some(parts) = name_parts(expr) else {
            return ControlFlow::Continue(());
        };
        let Some(column) = self.checker.column_of(parts, self.scope) else {
            return ControlFlow::Continue(());
        };
        let is_open_source = column.0.is_some_and(|place| {
            self.scope
                .sources
                .get(place)
                .is_none_or(|source| source.columns.is_none())
        });
        let is_settled = self.grouped.columns.contains(&column)
            || column
                .0
                .is_some_and(|place| self.dependent.contains(&place))
            || is_open_source;
        if let (false, Some(name)) = (is_settled, parts.last()) {
            let names: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
            self.faults.push(Fault {
                place: (name.span.start.line, name.span.start.column),
                sqlstate: "42803",
                message: format!(
                    "column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                    names.join(".")
                ),
                hint: None,
            });
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.exempts(expr) {
            self.exempt = self.exempt.saturating_sub(1);
        }
        ControlFlow::Continue(())
    }
}

fn output(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// The parts of a name.
fn name_parts(expr: &Expr) -> Option<&[Ident]> {
    match expr {
        Expr::Identifier(name) => Some(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(parts) => Some(parts),
        _ => None,
    }
}

/// Whether a function is an aggregate; a function of the schema may be one.
fn is_aggregate(function: &Function, own: &HashSet<String>) -> bool {
    let name = idents(&function.name)
        .last()
        .map(|name| name.value.to_lowercase());
    let Some(name) = name.filter(|_| function.over.is_none()) else {
        return false;
    };
    AGGREGATES.contains(name.as_str()) || own.contains(&name) || !function.within_group.is_empty()
}

/// Whether an expression has an aggregate outside of its sub-queries.
fn aggregates(expr: &Expr) -> bool {
    /// Counts the sub-queries that are open.
    struct Finder(usize);
    impl Visitor for Finder {
        type Break = ();
        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 = self.0.saturating_sub(1);
            ControlFlow::Continue(())
        }
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Function(function)
                    if self.0 == 0 && is_aggregate(function, &HashSet::new()) =>
                {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    visit::expression(expr, &mut Finder(0)).is_break()
}
