//! The PostgreSQL form of a query of SQLite whose tables are known: what SQLite allows because its columns have no
//! types is written out.
//!
//! SQLite compares a text with a number, takes a name in double quotes for a text, shows columns that it does not
//! group by, and joins without a condition. Whether such a query means the same here depends on the rows, so that there
//! are several [`Leniency`]s: whoever has both databases takes the first form that gives the rows of the original.

mod columns;
mod expressions;
mod kinds;
mod leniency;
mod scopes;
mod selects;
mod writing;

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Ident, Query, Select, Statement, TableFactor, VisitorMut};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::Error;
use text2sql_domain::schema::quote_identifier;

pub use self::columns::{ColumnKind, KnownColumns};
pub use self::leniency::Leniency;
use self::scopes::Scopes;
use self::writing::Writing;
use super::{PostgreSqlForm, finished};
use crate::reader::{self, SyntaxError};
use crate::visit;

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
    let _ = visit::change(query, &mut writing);
    finished(Dialect::Sqlite, query).map(Ok)
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
