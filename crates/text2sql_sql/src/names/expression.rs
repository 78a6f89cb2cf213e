//! Checks the names of an expression in the scope that it is in.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    LambdaFunction, Query, Value, ValueWithSpan, Visitor,
};
use sqlparser::tokenizer::Location;

use super::checker::{Checker, Cte};
use super::query::idents;
use super::scope::{Meaning, Scope};
use crate::visit;

impl Checker<'_> {
    /// Checks an expression; its sub-queries see its scope.
    pub(super) fn expression(&mut self, expression: &Expr, scope: &Scope<'_>, ctes: &[Cte]) {
        let mut names = Names::new(self, scope, ctes);
        let _ = visit::expression(expression, &mut names);
    }

    /// Checks the argument of a table function.
    pub(super) fn argument(&mut self, argument: &FunctionArg, scope: &Scope<'_>, ctes: &[Cte]) {
        let (FunctionArg::Named { arg, .. }
        | FunctionArg::ExprNamed { arg, .. }
        | FunctionArg::Unnamed(arg)) = argument;
        if let FunctionArgExpr::Expr(expr) = arg {
            self.expression(expr, scope, ctes);
        }
    }

    /// Checks that a function exists.
    pub(super) fn function(&mut self, parts: &[Ident], scope: &Scope<'_>) {
        let Some((last, qualifiers)) = parts.split_last() else {
            return;
        };
        let name = last.value.to_lowercase();
        let is_own = self.schema.functions.contains(&name);
        let is_known = match qualifiers {
            [] => is_own || self.rules.has_function(&name),
            // A method of a column: `name.upper()`, `document.value(…)`.
            [first] if !matches!(self.meaning(first, scope), Meaning::Unknown) => true,
            [first] if matches!(first.value.to_lowercase().as_str(), "pg_catalog" | "main") => {
                self.rules.has_function(&name)
            }
            _ => is_own,
        };
        if !is_known {
            let names: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
            self.fault(
                last.span.start,
                "42883",
                format!("function {}() does not exist", names.join(".")),
            );
        }
    }

    /// What a name without a qualifier stands for.
    fn meaning(&self, name: &Ident, scope: &Scope<'_>) -> Meaning {
        scope.column(&self.key(name), self.rules.pseudo_columns)
    }

    /// Checks a column without a qualifier.
    fn column(&mut self, name: &Ident, scope: &Scope<'_>) {
        let key = self.key(name);
        match self.meaning(name, scope) {
            Meaning::Known(_) => return,
            Meaning::Ambiguous => {
                self.fault(
                    name.span.start,
                    "42702",
                    format!("column reference \"{}\" is ambiguous", name.value),
                );
                return;
            }
            Meaning::Unknown => {}
        }
        let is_constant =
            name.quote_style.is_none() && self.rules.constants.contains(&key.as_str());
        let is_row = self.rules.has_whole_rows && scope.source(&key, None).is_some();
        if is_constant || is_row {
            return;
        }
        if name.quote_style == Some('"') && self.rules.quoted_may_be_text {
            self.notes.insert(format!(
                "\"{}\" is no column, so {} reads it as a text; single quotes say so",
                name.value, self.schema.dialect
            ));
            return;
        }
        if name.value.starts_with('@') {
            let message = format!("there is no parameter {}", name.value);
            self.fault(name.span.start, "42P02", message);
            return;
        }
        self.unknown_column(name, None);
    }

    pub(super) fn unknown_column(&mut self, name: &Ident, table: Option<&Ident>) {
        let message = match table {
            Some(table) => format!("column {}.{} does not exist", table.value, name.value),
            None => format!("column \"{}\" does not exist", name.value),
        };
        self.fault(name.span.start, "42703", message);
    }

    pub(super) fn missing_source(&mut self, name: &Ident) {
        self.fault(
            name.span.start,
            "42P01",
            format!("missing FROM-clause entry for table \"{}\"", name.value),
        );
    }

    /// Checks a column with a qualifier.
    fn qualified(&mut self, parts: &[Ident], scope: &Scope<'_>) {
        let [qualifiers @ .., table, column] = parts else {
            return;
        };
        let (table_key, key) = (self.key(table), self.key(column));
        let schema = qualifiers.last().map(|schema| self.key(schema));
        if let Some(source) = scope.source(&table_key, schema.as_deref()) {
            let is_pseudo = source.is_table && self.rules.pseudo_columns.contains(&key.as_str());
            let is_known = source.columns.is_none() || source.column(&key).is_some() || is_pseudo;
            if !is_known {
                self.unknown_column(column, Some(table));
            }
            return;
        }
        if !self.rules.has_fields || !self.has_field(parts, scope) {
            self.missing_source(table);
        }
    }

    /// Whether it is the field of a column: `address.city`, `customers.address.city`, `main.customers.address.city`.
    fn has_field(&self, parts: &[Ident], scope: &Scope<'_>) -> bool {
        let of_source = |schema: Option<&Ident>, source: &Ident, column: &Ident| {
            let schema = schema.map(|schema| self.key(schema));
            let source = scope.source(&self.key(source), schema.as_deref());
            source.is_some_and(|source| {
                source.columns.is_none() || source.column(&self.key(column)).is_some()
            })
        };
        let is_column = |part: &Ident| !matches!(self.meaning(part, scope), Meaning::Unknown);
        match parts {
            [first, ..] if is_column(first) => true,
            [source, column, _, ..] if of_source(None, source, column) => true,
            [schema, source, column, _, ..] => of_source(Some(schema), source, column),
            _ => false,
        }
    }
}

/// Finds the names of one expression.
struct Names<'c, 's, 'p> {
    checker: &'c mut Checker<'s>,
    scope: &'c Scope<'p>,
    ctes: &'c [Cte],
    /// How many sub-queries are open: they were checked when they began.
    open: usize,
    /// Where words are that are no columns: units of time, fields, names of arguments.
    skipped: HashSet<Location>,
    /// Parameters of lambda functions.
    parameters: HashSet<String>,
}

impl<'c, 's, 'p> Names<'c, 's, 'p> {
    fn new(checker: &'c mut Checker<'s>, scope: &'c Scope<'p>, ctes: &'c [Cte]) -> Self {
        Self {
            checker,
            scope,
            ctes,
            open: 0,
            skipped: HashSet::new(),
            parameters: HashSet::new(),
        }
    }

    fn skip(&mut self, expr: &Expr) {
        if let Expr::Identifier(name) = expr {
            self.skipped.insert(name.span.start);
        }
    }

    fn is_exempt(&self, name: &Ident) -> bool {
        self.skipped.contains(&name.span.start) || self.parameters.contains(&self.checker.key(name))
    }

    fn function(&mut self, function: &sqlparser::ast::Function) {
        let parts = idents(&function.name);
        let is_parameter = |part: &Ident| self.parameters.contains(&self.checker.key(part));
        if !parts
            .first()
            .is_some_and(|first| parts.len() > 1 && is_parameter(first))
        {
            self.checker.function(&parts, self.scope);
        }
        let FunctionArguments::List(list) = &function.args else {
            return;
        };
        let name = parts
            .last()
            .map(|name| name.value.to_lowercase())
            .unwrap_or_default();
        for (place, argument) in list.args.iter().enumerate() {
            match argument {
                FunctionArg::ExprNamed { name, .. } => self.skip(name),
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))
                    if place == 0 && self.checker.rules.unit_first.contains(&name.as_str()) =>
                {
                    self.skip(expr);
                }
                _ => {}
            }
        }
    }

    fn parameters(&mut self, expr: &Expr) {
        match expr {
            Expr::Identifier(name) => {
                let is_unknown = matches!(self.checker.meaning(name, self.scope), Meaning::Unknown);
                if is_unknown {
                    let key = self.checker.key(name);
                    self.parameters.insert(key);
                }
            }
            Expr::Tuple(names) => names.iter().for_each(|name| self.parameters(name)),
            Expr::Nested(inner) => self.parameters(inner),
            _ => {}
        }
    }

    fn lambda(&mut self, lambda: &LambdaFunction) {
        let names: Vec<String> = lambda
            .params
            .iter()
            .map(|parameter| self.checker.key(&parameter.name))
            .collect();
        self.parameters.extend(names);
    }

    fn fields(&mut self, root: &Expr, chain: &[AccessExpr]) {
        for access in chain {
            if let AccessExpr::Dot(field) = access {
                self.skip(field);
            }
        }
        // `orders.tags[1]` may begin with the name of a source.
        if let Expr::Identifier(name) = root {
            let key = self.checker.key(name);
            if self.scope.source(&key, None).is_some() {
                self.skip(root);
            }
        }
    }
}

impl Visitor for Names<'_, '_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if self.open == 0 {
            self.checker.query(query, Some(self.scope), self.ctes);
        }
        self.open += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.open = self.open.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.open > 0 {
            return ControlFlow::Continue(());
        }
        match expr {
            Expr::Identifier(name) if !self.is_exempt(name) => {
                self.checker.column(name, self.scope);
            }
            Expr::CompoundIdentifier(parts) => {
                let is_exempt = parts.first().is_some_and(|first| self.is_exempt(first));
                if !is_exempt {
                    self.checker.qualified(parts, self.scope);
                }
            }
            Expr::Function(function) => self.function(function),
            Expr::CompoundFieldAccess { root, access_chain } => self.fields(root, access_chain),
            Expr::Lambda(lambda) => self.lambda(lambda),
            // DuckDB's `x -> x + 1` is the arrow of JSON to the parser.
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Arrow,
                ..
            } if self.checker.rules.has_fields => self.parameters(left),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
        if self.open == 0
            && let Value::Placeholder(name) = &value.value
        {
            let message = format!("there is no parameter {name}");
            self.checker.fault(value.span.start, "42P02", message);
        }
        ControlFlow::Continue(())
    }
}
