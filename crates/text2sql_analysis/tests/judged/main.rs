//! Queries against questions, over tables that no other test has.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod copies;
mod ferries;
mod parking;

use std::sync::Arc;

use text2sql_analysis::findings::{Asked, Finding, find_asked};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_language::understanding::Understanding;

/// What is found of a query against its question, where it gave these values, a row each.
fn against(question: &str, sql: &str, tables: &[Arc<Table>], values: &[&str]) -> Vec<Finding> {
    let understanding = Understanding::of(question, "2026-11-21");
    let asked = Asked::alone(&understanding);
    let execution = Execution {
        rows: rows_of(values),
        ..Execution::default()
    };
    find_asked(sql, tables, &asked, Some(&execution))
}

/// These values, a row each.
fn rows_of(values: &[&str]) -> Vec<Vec<Cell>> {
    let row = |value: &&str| {
        vec![Cell {
            text: Some((*value).to_owned()),
            json: serde_json::value::to_raw_value(value).unwrap(),
        }]
    };
    values.iter().map(row).collect()
}
