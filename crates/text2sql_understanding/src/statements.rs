//! The statement of a question over an invented business, for tests.

use std::sync::Arc;

use crate::{Understood, understand};
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;

/// The statement on one line with the notes behind it; empty where there is none.
pub(crate) fn statement(question: &str, today: &str, tables: &[Arc<Table>]) -> String {
    match understand(&Understanding::of(question, today), tables, &[]) {
        Understood::Meaning(_, proposal) => {
            let notes = proposal.notes.join("; ");
            format!("{} -- {notes}", proposal.sql.replace('\n', " "))
        }
        Understood::Nothing { .. } => String::new(),
    }
}

pub(crate) fn has_all(question: &str, sql: &str, parts: &[&str]) {
    for part in parts {
        assert!(sql.contains(part), "{question}: {sql}");
    }
}
