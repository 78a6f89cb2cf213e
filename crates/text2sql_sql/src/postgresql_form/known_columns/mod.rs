//! The PostgreSQL form of a query of SQLite whose tables are known: what SQLite allows because its columns have no
//! types is written out.
//!
//! SQLite compares a text with a number, takes a name in double quotes for a text, shows columns that it does not
//! group by, and joins without a condition. Whether such a query means the same here depends on the rows, so that there
//! are several [`Leniency`]s: whoever has both databases takes the first form that gives the rows of the original.

mod expressions;
mod kinds;
mod scopes;
mod selects;

use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Ident, Query, Select, Statement, TableFactor, VisitMut, VisitorMut};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::Error;
use text2sql_domain::schema::quote_identifier;

use self::scopes::Scopes;
use super::{PostgreSqlForm, finished};
use crate::reader::{self, SyntaxError};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Other numbers.
    Number,
    /// Texts.
    Text,
    /// Days.
    Date,
    /// Moments.
    Timestamp,
    /// True and false.
    Boolean,
    /// Anything else.
    Other,
}

/// The columns of a database, by table; all names in lower case.
#[derive(Debug, Clone, Default)]
pub struct KnownColumns {
    tables: HashMap<String, HashMap<String, ColumnKind>>,
}

impl KnownColumns {
    /// Adds a column.
    pub fn add(&mut self, table: &str, column: &str, kind: ColumnKind) {
        self.tables
            .entry(table.to_lowercase())
            .or_default()
            .insert(column.to_lowercase(), kind);
    }

    fn table(&self, name: &str) -> Option<&HashMap<String, ColumnKind>> {
        self.tables.get(&name.to_lowercase())
    }
}

/// What is written out of what SQLite does silently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Leniency {
    /// Shown columns that are not grouped by are grouped by as well.
    pub grouping: bool,
    /// NULL comes first in ascending order and last in descending order.
    pub null_order: bool,
    /// A division by zero is NULL.
    pub zero_division: bool,
}

impl Leniency {
    /// All that are worth a try, the form nearest to the original first.
    pub const ALL: [Self; 5] = [
        Self::of(false, false, false),
        Self::of(true, false, false),
        Self::of(false, true, false),
        Self::of(true, true, false),
        Self::of(true, true, true),
    ];

    const fn of(grouping: bool, null_order: bool, zero_division: bool) -> Self {
        Self {
            grouping,
            null_order,
            zero_division,
        }
    }
}

/// The PostgreSQL form of one query of SQLite over these columns, or why the text is not one.
///
/// # Errors
/// [`text2sql_domain::error::ErrorKind::Limit`] and [`text2sql_domain::error::ErrorKind::Complexity`] for a text that
/// is too long or too deep to be read.
pub fn form_over(
    columns: &KnownColumns,
    sql: &str,
    leniency: Leniency,
) -> Result<Result<PostgreSqlForm, SyntaxError>, Error> {
    let mut statements = match reader::statements_in(Dialect::Sqlite, sql)? {
        Ok(statements) => statements,
        Err(error) => return Ok(Err(error)),
    };
    let [Statement::Query(query)] = statements.as_mut_slice() else {
        return Ok(Err(SyntaxError {
            message: "only one SELECT has a PostgreSQL form".to_owned(),
            line: None,
            column: None,
        }));
    };
    let mut writing = Writing {
        columns,
        leniency,
        scopes: Scopes::default(),
        derived: 0,
    };
    let _ = query.visit(&mut writing);
    finished(Dialect::Sqlite, query).map(Ok)
}

/// The rewriting of one query.
struct Writing<'a> {
    columns: &'a KnownColumns,
    leniency: Leniency,
    scopes: Scopes,
    /// Number of subqueries that were given a name.
    derived: usize,
}

impl VisitorMut for Writing<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.scopes.enter_query(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.order(query);
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        self.scopes.enter_select(select);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        selects::cross_joins(select);
        if self.leniency.grouping {
            selects::group_by_all_shown(select);
        }
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        selects::name_derived(factor, &mut self.derived);
        ControlFlow::Continue(())
    }

    /// Before its name is folded: a name in double quotes that no table has is a text.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Identifier(name) = expr
            && name.quote_style == Some('"')
            && !self.scopes.has_column(self.columns, &name.value)
        {
            *expr = expressions::text(&name.value);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.expression(expr);
        ControlFlow::Continue(())
    }

    /// Names are in lower case, as those of PostgreSQL without quotes.
    fn post_visit_ident(&mut self, name: &mut Ident) -> ControlFlow<()> {
        if matches!(name.quote_style, Some('"' | '\'' | '`' | '[')) {
            name.value = name.value.to_lowercase();
            let is_plain = quote_identifier(&name.value) == name.value;
            name.quote_style = (!is_plain).then_some('"');
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
