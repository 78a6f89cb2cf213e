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

/// The two hooks of a part of a statement, passed on to the visitor inside.
macro_rules! hooks {
    ($before:ident, $after:ident, $part:ty) => {
        fn $before(&mut self, part: $part) -> ControlFlow<()> {
            self.0.$before(part)
        }

        fn $after(&mut self, part: $part) -> ControlFlow<()> {
            self.0.$after(part)
        }
    };
}

/// All hooks of a kind of visitor, which takes parts as `&` or as `&mut`.
macro_rules! all_hooks {
    ($visitor:ident for $name:ident by $($by:tt)+) => {
        impl $visitor for $name<'_> {
            type Break = ();

            hooks!(pre_visit_query, post_visit_query, $($by)+ Query);
            hooks!(pre_visit_select, post_visit_select, $($by)+ Select);
            hooks!(pre_visit_relation, post_visit_relation, $($by)+ ObjectName);
            hooks!(pre_visit_table_factor, post_visit_table_factor, $($by)+ TableFactor);
            hooks!(pre_visit_expr, post_visit_expr, $($by)+ Expr);
            hooks!(pre_visit_statement, post_visit_statement, $($by)+ Statement);
            hooks!(pre_visit_value, post_visit_value, $($by)+ ValueWithSpan);
            hooks!(pre_visit_ident, post_visit_ident, $($by)+ Ident);
            hooks!(pre_visit_order_by, post_visit_order_by, $($by)+ OrderBy);
            hooks!(pre_visit_order_by_expr, post_visit_order_by_expr, $($by)+ OrderByExpr);
            hooks!(pre_visit_group_by, post_visit_group_by, $($by)+ GroupByExpr);
        }
    };
}

struct Reading<'a>(Reader<'a>);

all_hooks!(Visitor for Reading by &);

struct Writing<'a>(Writer<'a>);

all_hooks!(VisitorMut for Writing by &mut);
