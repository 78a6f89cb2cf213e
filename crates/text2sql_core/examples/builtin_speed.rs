//! How long the built-in engine takes for one question over a hundred tables: run with `--release`.
#![allow(
    clippy::print_stdout,
    reason = "the figure is the purpose of this program"
)]

use std::sync::Arc;
use std::time::Instant;

use text2sql_core::builtin::propose;
use text2sql_core::proposal::Proposal;
use text2sql_core::schema::{Column, ColumnStatistics, ForeignKey, Table, TypeCategory};

const RUNS: u32 = 200;

fn main() {
    let tables: Vec<Arc<Table>> = (0..100).map(|i| Arc::new(table(i))).collect();
    for question in [
        "How many thing 7 rows are there?",
        "How many thing 42 have a label 3 of value 17 of 42?",
        "What is the average amount 5 of thing 42 per thing 41?",
        "Which employees will leave next year?",
    ] {
        let start = Instant::now();
        let mut answered = 0;
        for _ in 0..RUNS {
            answered += u32::from(matches!(
                propose(question, &tables, "2026-01-15"),
                Proposal::Sql(_)
            ));
        }
        let each = start.elapsed() / RUNS;
        println!("{each:?} a question, answered {}: {question}", answered > 0);
    }
}

/// Twelve columns: a key, a reference to the table before, five numbers, five texts of 100 values.
fn table(index: u32) -> Table {
    let column = |name: String, category: TypeCategory, values: Vec<String>| Column {
        name,
        category,
        statistics: Some(ColumnStatistics {
            most_common_values: values,
            ..ColumnStatistics::default()
        }),
        ..Column::default()
    };
    let mut columns = vec![
        column(
            format!("thing_{index}_id"),
            TypeCategory::Integer,
            Vec::new(),
        ),
        column("parent_id".to_owned(), TypeCategory::Integer, Vec::new()),
    ];
    for i in 0..5 {
        columns.push(column(
            format!("amount_{i}"),
            TypeCategory::Number,
            Vec::new(),
        ));
        let values = (0..100)
            .map(|value| format!("value {value} of {index}"))
            .collect();
        columns.push(column(format!("label_{i}"), TypeCategory::Text, values));
    }
    let parent = index.checked_sub(1);
    Table {
        oid: index + 1,
        schema: "public".to_owned(),
        name: format!("thing_{index}"),
        is_visible: true,
        columns,
        primary_key: vec![format!("thing_{index}_id")],
        foreign_keys: parent
            .map(|parent| ForeignKey {
                columns: vec!["parent_id".to_owned()],
                target: parent + 1,
                target_schema: "public".to_owned(),
                target_name: format!("thing_{parent}"),
                target_columns: vec![format!("thing_{parent}_id")],
            })
            .into_iter()
            .collect(),
        ..Table::default()
    }
}
