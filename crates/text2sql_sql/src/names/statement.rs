//! Whether a text is one SELECT that only reads, and where something is in it.

use std::ops::ControlFlow;

use sqlparser::ast::{Query, Select, Statement, Visitor};

use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};

use crate::reader::SyntaxError;
use crate::visit;

/// The only query of the statements.
pub(super) fn only_query(statements: &[Statement]) -> Result<&Query, Rejection> {
    let refuse = |reason: &str| Rejection {
        rule: Rule::Statement,
        reason: reason.to_owned(),
        offender: None,
        position: None,
    };
    let query = match statements {
        [Statement::Query(query)] => query,
        [] => return Err(refuse("there is no statement")),
        [_] => return Err(refuse("it is not a SELECT")),
        _ => return Err(refuse("there are several statements")),
    };
    let mut writes = Writes(None);
    let _ = visit::query(query, &mut writes);
    match writes.0 {
        Some(what) => Err(refuse(what)),
        None => Ok(query),
    }
}

/// Finds what would write or lock, in words.
struct Writes(Option<&'static str>);

impl Writes {
    fn found(&mut self, what: &'static str) -> ControlFlow<()> {
        self.0 = Some(what);
        ControlFlow::Break(())
    }
}

impl Visitor for Writes {
    type Break = ();

    fn pre_visit_statement(&mut self, _: &Statement) -> ControlFlow<()> {
        self.found("a part of it changes data")
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        match select.into {
            Some(_) => self.found("SELECT INTO creates a table or a file"),
            None => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        match query.locks.is_empty() {
            true => ControlFlow::Continue(()),
            false => self.found("it locks rows"),
        }
    }
}

/// The error about a text that is not SQL of its dialect.
pub(super) fn syntax_error(sql: &str, error: &SyntaxError) -> DatabaseError {
    let place = error.line.zip(error.column);
    let at = place.map_or_else(String::new, |(line, column)| {
        format!(" at line {line}, column {column}")
    });
    DatabaseError {
        sqlstate: "42601".to_owned(),
        message: format!("syntax error{at}: {}", error.message),
        detail: None,
        hint: None,
        position: Some(place.and_then(|place| position(sql, place)).unwrap_or(1)),
        is_private: false,
    }
}

/// The character position of a line and column, all from 1.
pub(super) fn position(sql: &str, (line, column): (u64, u64)) -> Option<usize> {
    if line == 0 {
        return Some(1);
    }
    let mut position = 0;
    for (number, text) in (1..).zip(sql.split('\n')) {
        if number == line {
            return Some(position + usize::try_from(column).ok()?);
        }
        position += text.chars().count() + 1;
    }
    None
}
