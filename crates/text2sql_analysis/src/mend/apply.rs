//! Changes parts of a query, which are known by their addresses.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, Join, ObjectName, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor,
    TableWithJoins, VisitorMut,
};
use text2sql_sql::reader;
use text2sql_sql::tree::read_query;
use text2sql_sql::visit;

use super::uses::address;

/// A change.
pub(crate) enum Edit {
    /// Another expression.
    Replace { at: usize, by: Expr },
    /// Joins behind the source whose factor is at `behind`.
    Join { behind: usize, joins: Vec<Join> },
    /// Another table, under the name that the query has for it.
    Table {
        at: usize,
        name: ObjectName,
        alias: Option<TableAlias>,
    },
    /// More expressions to group by.
    Group { select: usize, by: Vec<Expr> },
    /// Leaves out the source whose factor is at `at`, with its condition.
    Leave { at: usize },
    /// Each row once.
    Distinct { select: usize },
}

/// An expression of its text.
pub(super) fn expression(sql: &str) -> Option<Expr> {
    reader::expression(sql).ok().flatten()
}

/// The FROM item of a text.
fn from_item(sql: &str) -> Option<TableWithJoins> {
    let query = read_query(&format!("SELECT 1 FROM {sql}"))?;
    match *query.body {
        SetExpr::Select(select) => select.from.into_iter().next(),
        _ => None,
    }
}

/// The joins of a text.
pub(super) fn joins(sql: &str) -> Option<Vec<Join>> {
    from_item(&format!("x {sql}")).map(|item| item.joins)
}

/// The name of a table, and the alias, of a text.
pub(super) fn table(sql: &str) -> Option<(ObjectName, Option<TableAlias>)> {
    match from_item(sql)?.relation {
        TableFactor::Table { name, alias, .. } => Some((name, alias)),
        _ => None,
    }
}

/// Makes the changes; whether each of them was made.
pub(crate) fn apply(query: &mut Query, edits: Vec<Edit>) -> bool {
    let mut editor = Editor(edits);
    let _ = visit::change(query, &mut editor);
    editor.0.is_empty()
}

struct Editor(Vec<Edit>);

impl Editor {
    fn take(&mut self, is_it: impl Fn(&Edit) -> bool) -> Option<Edit> {
        let place = self.0.iter().position(is_it)?;
        Some(self.0.swap_remove(place))
    }
}

impl VisitorMut for Editor {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let here = address(expr);
        let edit = self.take(|edit| matches!(edit, Edit::Replace { at, .. } if *at == here));
        if let Some(Edit::Replace { by, .. }) = edit {
            *expr = by;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let here = address(factor);
        let edit = self.take(|edit| matches!(edit, Edit::Table { at, .. } if *at == here));
        if let (
            Some(Edit::Table {
                name: other,
                alias: new,
                ..
            }),
            TableFactor::Table { name, alias, .. },
        ) = (edit, factor)
        {
            *name = other;
            if new.is_some() {
                *alias = new;
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        // Last, because it moves what has an address.
        for item in &mut select.from {
            let mut place = 0;
            while place <= item.joins.len() {
                let here = match place.checked_sub(1).and_then(|join| item.joins.get(join)) {
                    Some(join) => address(&join.relation),
                    None => address(&item.relation),
                };
                let edit =
                    self.take(|edit| matches!(edit, Edit::Join { behind, .. } if *behind == here));
                if let Some(Edit::Join { joins, .. }) = edit {
                    drop(item.joins.splice(place..place, joins));
                    break;
                }
                place += 1;
            }
        }
        for item in &mut select.from {
            let left = |editor: &mut Self, factor: &TableFactor| {
                let here = address(factor);
                let edit = editor.take(|edit| matches!(edit, Edit::Leave { at } if *at == here));
                edit.is_some()
            };
            item.joins.retain(|join| !left(self, &join.relation));
            if !item.joins.is_empty() && left(self, &item.relation) {
                item.relation = item.joins.remove(0).relation;
            }
        }
        let here = address(select);
        let edit = self.take(|edit| matches!(edit, Edit::Distinct { select } if *select == here));
        if edit.is_some() {
            select.distinct = Some(Distinct::Distinct);
        }
        let edit = self.take(|edit| matches!(edit, Edit::Group { select, .. } if *select == here));
        if let (Some(Edit::Group { by, .. }), sqlparser::ast::GroupByExpr::Expressions(groups, _)) =
            (edit, &mut select.group_by)
        {
            groups.extend(by);
        }
        ControlFlow::Continue(())
    }
}

/// The names that outputs have by AS, with what they stand for.
pub(super) fn named_output<'q>(select: &'q Select, name: &str) -> Option<&'q Expr> {
    select.projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias }
            if text2sql_sql::tree::syntax::fold(alias) == name =>
        {
            Some(expr)
        }
        _ => None,
    })
}
