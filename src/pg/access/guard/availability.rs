//! What is not available to questions: relations outside `text2sql.allowed_schemas`, and hidden objects. The
//! error is the same for both, and gives no reason.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;

use super::verdict::refuse;
use crate::pg::access::protection::availability::is_available;
use crate::pg::access::protection::{self, Level};
use crate::pg::access::query_tree::reads::Read;
use crate::pg::server::settings::GuardPolicy;

/// The names in a statement, with the byte offset of each.
#[derive(Default)]
pub(super) struct Named {
    /// Relations, by bare name.
    pub(super) relations: Vec<(String, c_int)>,
    /// Columns, and fields of rows.
    pub(super) columns: Vec<(String, c_int)>,
    /// Hidden columns of these relations.
    pub(super) hidden: Vec<String>,
}

impl Named {
    /// The hidden column that the statement names, if any.
    fn hidden_column(&self) -> Option<(&str, c_int)> {
        let named = self.columns.iter();
        named
            .map(|(name, location)| (name.as_str(), *location))
            .find(|(name, _)| self.hidden.iter().any(|hidden| hidden == name))
    }
}

/// What must be known about a statement when it fails.
#[derive(Default)]
pub(crate) struct Notes {
    /// A table with a private column is read.
    pub(super) is_private: Cell<bool>,
    /// Hidden columns of the relations named.
    pub(super) hidden: RefCell<Vec<String>>,
    /// A hidden column that the statement names.
    pub(super) named_hidden: RefCell<Option<String>>,
}

impl Notes {
    /// Keeps the result of the raw tree walk.
    pub(super) fn keep(&self, named: &Named) {
        self.hidden.replace(named.hidden.clone());
        let column = named.hidden_column().map(|(name, _)| name.to_owned());
        self.named_hidden.replace(column);
    }

    /// Replaces an error that could reveal hidden columns: messages of the parser describe them as freely as
    /// other columns.
    pub(super) fn judge(&self, error: DatabaseError) -> Result<DatabaseError, Rejection> {
        let error = DatabaseError {
            is_private: self.is_private.get(),
            ..error
        };
        let is_about_names = error.sqlstate.starts_with("42");
        if !is_about_names || self.hidden.borrow().is_empty() {
            return Ok(error);
        }
        let position = error.position;
        if let Some(column) = self.named_hidden.take() {
            let rejection = refuse(
                Rule::Relation,
                say!("column \"{name}\" is not available", name = column),
            );
            return Err(Rejection {
                position,
                ..rejection
            });
        }
        let says = |name: &String| {
            let mut words = error
                .message
                .split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == name) || error.message.contains(&format!("\"{name}\""))
        };
        if self.hidden.borrow().iter().any(says) {
            let rejection = not_available("part of a table in the statement");
            return Err(Rejection {
                position,
                ..rejection
            });
        }
        Ok(DatabaseError {
            detail: None,
            hint: None,
            ..error
        })
    }
}

/// Whether there is anything that questions may not see.
pub(super) fn is_limited(policy: &GuardPolicy) -> Result<bool, Rejection> {
    Ok(policy.allowed_schemas.is_some() || !protection::protects_nothing().map_err(unknown)?)
}

/// Judges a relation that the statement names.
pub(super) fn judge_relation(
    oid: pg_sys::Oid,
    name: &str,
    policy: &GuardPolicy,
) -> Result<(), Rejection> {
    match is_available(oid, policy.allowed_schemas.as_deref()).map_err(unknown)? {
        true => Ok(()),
        false => Err(not_available(&format!("relation \"{name}\""))),
    }
}

/// Judges a type that the statement names: the row type of a table reveals its columns.
pub(super) fn judge_row_type(relation: pg_sys::Oid, policy: &GuardPolicy) -> Result<(), Rejection> {
    let is_whole = protection::of_relation(relation)
        .map_err(unknown)?
        .strictest()
        < Level::Hidden;
    if is_whole && is_available(relation, policy.allowed_schemas.as_deref()).map_err(unknown)? {
        return Ok(());
    }
    Err(not_available("a type in the statement"))
}

/// Judges what is read of an available relation; returns the level of the strictest column read and whether any
/// column of the relation is private.
pub(super) fn judge_read(
    read: &Read,
    relation: &str,
    named: &Named,
) -> Result<(Level, bool), (Rejection, c_int)> {
    let levels = protection::of_relation(read.oid()).map_err(|error| (unknown(error), -1))?;
    let level = levels.of_read(read.numbers());
    if level < Level::Hidden {
        return Ok((level, levels.strictest() >= Level::Private));
    }
    Err(match named.hidden_column() {
        Some((name, location)) => (not_available(&format!("column \"{name}\"")), location),
        // `*`, a whole row, NATURAL JOIN: the hidden column is not named.
        None => {
            let rejection = not_available(&format!(
                "part of {relation}, of which all columns are read here,"
            ));
            let reason = format!("{}: name the columns that are needed", rejection.reason);
            (
                Rejection {
                    reason,
                    ..rejection
                },
                -1,
            )
        }
    })
}

fn not_available(what: &str) -> Rejection {
    refuse(Rule::Relation, format!("{what} is not available"))
}

fn unknown(error: Error) -> Rejection {
    refuse(
        Rule::Relation,
        format!("protection rules cannot be read: {}", error.message()),
    )
}
