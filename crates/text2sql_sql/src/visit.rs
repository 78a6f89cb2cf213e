//! Visits every part of a statement.
//!
//! `sqlparser` compiles its whole traversal anew for each type of visitor, some 150 kB of machine code a time. Here it
//! is compiled twice, for those that read and for those that change, and each hook costs an indirect call.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, ObjectName, OrderBy, OrderByExpr, Query, Select, Statement,
    TableFactor, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};

/// What visits a statement without changing it.
pub type Reader<'a> = &'a mut dyn Visitor<Break = ()>;

/// What changes the statement that it visits.
pub type Writer<'a> = &'a mut dyn VisitorMut<Break = ()>;

/// Visits statements, one after the other.
pub fn statements(statements: &[Statement], by: Reader<'_>) -> ControlFlow<()> {
    statements
        .iter()
        .try_for_each(|statement| statement.visit(&mut Reading(by)))
}

/// Visits a query.
pub fn query(query: &Query, by: Reader<'_>) -> ControlFlow<()> {
    query.visit(&mut Reading(by))
}

/// Visits an expression.
pub fn expression(expression: &Expr, by: Reader<'_>) -> ControlFlow<()> {
    expression.visit(&mut Reading(by))
}

/// Shows every expression of a query to `look`, a whole before its parts.
pub fn each_expression(query: &Query, look: &mut dyn FnMut(&Expr)) {
    struct Expressions<'a>(&'a mut dyn FnMut(&Expr));

    impl Visitor for Expressions<'_> {
        type Break = ();

        fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
            (self.0)(expression);
            ControlFlow::Continue(())
        }
    }

    let _ = self::query(query, &mut Expressions(look));
}

/// Shows the name of every relation that the statements read or write to `look`, in the order of the text.
pub fn each_relation(statements: &[Statement], look: &mut dyn FnMut(&ObjectName)) {
    struct Relations<'a>(&'a mut dyn FnMut(&ObjectName));

    impl Visitor for Relations<'_> {
        type Break = ();

        fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
            (self.0)(name);
            ControlFlow::Continue(())
        }
    }

    let _ = self::statements(statements, &mut Relations(look));
}

/// Visits a query and changes it.
pub fn change(query: &mut Query, by: Writer<'_>) -> ControlFlow<()> {
    query.visit(&mut Writing(by))
}

struct Reading<'a>(Reader<'a>);

impl Visitor for Reading<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.0.pre_visit_query(query)
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.0.post_visit_query(query)
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.0.pre_visit_select(select)
    }

    fn post_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.0.post_visit_select(select)
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.0.pre_visit_relation(relation)
    }

    fn post_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.0.post_visit_relation(relation)
    }

    fn pre_visit_table_factor(&mut self, table_factor: &TableFactor) -> ControlFlow<()> {
        self.0.pre_visit_table_factor(table_factor)
    }

    fn post_visit_table_factor(&mut self, table_factor: &TableFactor) -> ControlFlow<()> {
        self.0.post_visit_table_factor(table_factor)
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.0.pre_visit_expr(expr)
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.0.post_visit_expr(expr)
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        self.0.pre_visit_statement(statement)
    }

    fn post_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        self.0.post_visit_statement(statement)
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
        self.0.pre_visit_value(value)
    }

    fn post_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
        self.0.post_visit_value(value)
    }

    fn pre_visit_ident(&mut self, ident: &Ident) -> ControlFlow<()> {
        self.0.pre_visit_ident(ident)
    }

    fn post_visit_ident(&mut self, ident: &Ident) -> ControlFlow<()> {
        self.0.post_visit_ident(ident)
    }

    fn pre_visit_order_by(&mut self, order_by: &OrderBy) -> ControlFlow<()> {
        self.0.pre_visit_order_by(order_by)
    }

    fn post_visit_order_by(&mut self, order_by: &OrderBy) -> ControlFlow<()> {
        self.0.post_visit_order_by(order_by)
    }

    fn pre_visit_order_by_expr(&mut self, order_by_expr: &OrderByExpr) -> ControlFlow<()> {
        self.0.pre_visit_order_by_expr(order_by_expr)
    }

    fn post_visit_order_by_expr(&mut self, order_by_expr: &OrderByExpr) -> ControlFlow<()> {
        self.0.post_visit_order_by_expr(order_by_expr)
    }

    fn pre_visit_group_by(&mut self, group_by: &GroupByExpr) -> ControlFlow<()> {
        self.0.pre_visit_group_by(group_by)
    }

    fn post_visit_group_by(&mut self, group_by: &GroupByExpr) -> ControlFlow<()> {
        self.0.post_visit_group_by(group_by)
    }
}

struct Writing<'a>(Writer<'a>);

impl VisitorMut for Writing<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.0.pre_visit_query(query)
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.0.post_visit_query(query)
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        self.0.pre_visit_select(select)
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        self.0.post_visit_select(select)
    }

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        self.0.pre_visit_relation(relation)
    }

    fn post_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        self.0.post_visit_relation(relation)
    }

    fn pre_visit_table_factor(&mut self, table_factor: &mut TableFactor) -> ControlFlow<()> {
        self.0.pre_visit_table_factor(table_factor)
    }

    fn post_visit_table_factor(&mut self, table_factor: &mut TableFactor) -> ControlFlow<()> {
        self.0.post_visit_table_factor(table_factor)
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.0.pre_visit_expr(expr)
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.0.post_visit_expr(expr)
    }

    fn pre_visit_statement(&mut self, statement: &mut Statement) -> ControlFlow<()> {
        self.0.pre_visit_statement(statement)
    }

    fn post_visit_statement(&mut self, statement: &mut Statement) -> ControlFlow<()> {
        self.0.post_visit_statement(statement)
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        self.0.pre_visit_value(value)
    }

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        self.0.post_visit_value(value)
    }

    fn pre_visit_ident(&mut self, ident: &mut Ident) -> ControlFlow<()> {
        self.0.pre_visit_ident(ident)
    }

    fn post_visit_ident(&mut self, ident: &mut Ident) -> ControlFlow<()> {
        self.0.post_visit_ident(ident)
    }

    fn pre_visit_order_by(&mut self, order_by: &mut OrderBy) -> ControlFlow<()> {
        self.0.pre_visit_order_by(order_by)
    }

    fn post_visit_order_by(&mut self, order_by: &mut OrderBy) -> ControlFlow<()> {
        self.0.post_visit_order_by(order_by)
    }

    fn pre_visit_order_by_expr(&mut self, order_by_expr: &mut OrderByExpr) -> ControlFlow<()> {
        self.0.pre_visit_order_by_expr(order_by_expr)
    }

    fn post_visit_order_by_expr(&mut self, order_by_expr: &mut OrderByExpr) -> ControlFlow<()> {
        self.0.post_visit_order_by_expr(order_by_expr)
    }

    fn pre_visit_group_by(&mut self, group_by: &mut GroupByExpr) -> ControlFlow<()> {
        self.0.pre_visit_group_by(group_by)
    }

    fn post_visit_group_by(&mut self, group_by: &mut GroupByExpr) -> ControlFlow<()> {
        self.0.post_visit_group_by(group_by)
    }
}
