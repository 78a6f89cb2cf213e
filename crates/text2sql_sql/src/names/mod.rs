//! Checks a query against the schema that was given for it: that it is one SELECT in its dialect, and that its
//! tables, columns and functions exist. It is not run, so this is all that stands between a model's mistake and the
//! caller. What cannot be known (the columns of a table function, of a view whose query cannot be read) is let pass.

mod checker;
mod expression;
mod forms;
mod group_by;
mod query;
mod scope;
mod statement;

use text2sql_domain::error::Error;
use text2sql_domain::sql_result::{DatabaseError, ResultColumn};
use text2sql_domain::validate::Rejection;

use self::checker::{Checker, Described, Fault};
use crate::given_schema::GivenSchema;
use crate::reader;

/// The verdict on a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every name exists.
    Passed(Checked),
    /// It is not one SELECT.
    Refused(Rejection),
    /// It is not SQL of the dialect, or a name does not exist; the error is the first one, and its DETAIL has the
    /// others.
    Wrong(DatabaseError),
}

/// A query whose names exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The columns of its result.
    pub columns: Vec<ResultColumn>,
    /// What a reader should know about its names.
    pub notes: Vec<String>,
}

/// Maximum number of further faults that the DETAIL of an error names.
const MAX_FURTHER: usize = 5;

/// Checks a statement against a schema.
///
/// # Errors
/// If it is too long or nested too deeply to be read.
pub fn check(sql: &str, schema: &GivenSchema) -> Result<Verdict, Error> {
    let statements = match reader::statements_in(schema.dialect, sql)? {
        Ok(statements) => statements,
        Err(error) => return Ok(Verdict::Wrong(statement::syntax_error(sql, &error))),
    };
    let query = match statement::only_query(&statements) {
        Ok(query) => query,
        Err(rejection) => return Ok(Verdict::Refused(rejection)),
    };
    let mut checker = Checker::new(schema);
    checker.forms(query);
    let outputs = checker.query(query, None, &[]);
    checker.faults.sort_by_key(|fault| fault.place);
    checker.faults.dedup();
    Ok(match checker.faults.split_first() {
        Some((first, others)) => Verdict::Wrong(error(sql, first, others)),
        None => Verdict::Passed(Checked {
            columns: checker.result_columns(outputs.as_deref().unwrap_or_default()),
            notes: checker.notes.into_iter().collect(),
        }),
    })
}

/// The outputs of a query over the schema; `None` if they cannot be known.
pub(crate) fn outputs(sql: &str, schema: &GivenSchema) -> Result<Option<Described>, Error> {
    let Ok(statements) = reader::statements_in(schema.dialect, sql)? else {
        return Ok(None);
    };
    let Ok(query) = statement::only_query(&statements) else {
        return Ok(None);
    };
    let mut checker = Checker::new(schema);
    let columns = checker.query(query, None, &[]);
    Ok(columns.map(|columns| Described {
        columns: columns.to_vec(),
        tables: checker.used,
    }))
}

/// The error about the first fault.
fn error(sql: &str, first: &Fault, others: &[Fault]) -> DatabaseError {
    let further: Vec<&str> = others
        .iter()
        .take(MAX_FURTHER)
        .map(|fault| fault.message.as_str())
        .collect();
    DatabaseError {
        sqlstate: first.sqlstate.to_owned(),
        message: first.message.clone(),
        detail: (!further.is_empty()).then(|| format!("Also: {}.", further.join("; "))),
        hint: first.hint.clone(),
        position: statement::position(sql, first.place),
        is_private: false,
    }
}
