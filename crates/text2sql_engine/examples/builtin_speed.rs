//! How long the built-in engine takes for one question over a hundred tables, and for a refusal over a thousand: run
//! with `--release`.
#![allow(
    clippy::print_stdout,
    reason = "the figure is the purpose of this program"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use text2sql_builtin::{NoHelp, propose_with_help};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Column, ColumnStatistics, ForeignKey, Table, TypeCategory};
use text2sql_language::understanding::Understanding;

const RUNS: usize = 200;
const SYLLABLES: [&str; 10] = ["ba", "re", "mo", "ti", "lu", "ka", "so", "ne", "vi", "du"];

fn main() {
    let name = |i: usize| word(i * 7 + 3);
    // A refusal tries other words, and the questions that it offers: it takes longer than an answer.
    let refused = [
        "Which employees will leave next year?".to_owned(),
        format!("Which {} are happy in {}?", name(42), name(41)),
        format!("total revenue of {} per {}", name(42), name(41)),
    ];
    let large: Vec<Arc<Table>> = (0..1000).map(|i| Arc::new(table(i))).collect();
    println!("1,000 tables");
    refused
        .iter()
        .for_each(|question| measure(question, &large));
    let tables: Vec<Arc<Table>> = (0..100).map(|i| Arc::new(table(i))).collect();
    println!("100 tables");
    refused
        .iter()
        .for_each(|question| measure(question, &tables));
    for question in [
        format!("How many {} are there?", name(42)),
        format!("How many {} have a {} over 5?", name(42), word(500)),
        format!(
            "What is the average {} of {} per {}?",
            word(501),
            name(42),
            name(41)
        ),
        format!("Which {} has the most {}?", name(41), name(42)),
        format!(
            "Show the {} and {} of {} with a {} over 5 and a {} below 9 that have more than 3 {}, sorted by {}",
            word(500),
            word(501),
            name(42),
            word(502),
            word(503),
            name(43),
            word(500)
        ),
        format!("Welche {} haben keine {}?", name(41), name(42)),
        format!("List the {} in {}", name(42), word(1017)),
    ] {
        measure(&question, &tables);
    }
}

/// Prints how long the question takes.
fn measure(question: &str, tables: &[Arc<Table>]) {
    let mut answered = 0;
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let understanding = Understanding::of(question, "2026-01-15");
            let helped = propose_with_help(&understanding, tables, &[], &NoHelp);
            let is_answered =
                helped.is_ok_and(|helped| matches!(helped.proposal, Proposal::Sql(_)));
            answered += usize::from(is_answered);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times.get(RUNS / 2).copied().unwrap_or_default();
    let least = times.first().copied().unwrap_or_default();
    println!(
        "{median:?} (median), {least:?} (least), answered {}: {question}",
        answered > 0
    );
}

/// An invented word, another one for each number below 1000.
fn word(number: usize) -> String {
    (0..4)
        .filter_map(|place| SYLLABLES.get(number / 10_usize.pow(place) % 10))
        .copied()
        .collect()
}

/// Twelve columns: a key, a reference to the table before, five numbers, five texts of 100 values.
fn table(index: usize) -> Table {
    let column = |name: String, category: TypeCategory, values: Vec<String>| Column {
        name,
        category,
        statistics: Some(ColumnStatistics {
            most_common_values: values,
            ..ColumnStatistics::default()
        }),
        ..Column::default()
    };
    let name = |index: usize| word(index * 7 + 3);
    let key = |index: usize| format!("{}_id", name(index));
    let mut columns = vec![column(key(index), TypeCategory::Integer, Vec::new())];
    for i in 0..5 {
        columns.push(column(word(500 + i), TypeCategory::Number, Vec::new()));
        let values = (0..100)
            .map(|value| word(1000 + (index * 500 + i * 100 + value) % 9000))
            .collect();
        columns.push(column(
            format!("{}_{}", word(600 + i), word(700 + index)),
            TypeCategory::Text,
            values,
        ));
    }
    let mut foreign_keys = Vec::new();
    if let Some(parent) = index.checked_sub(1) {
        columns.push(column(key(parent), TypeCategory::Integer, Vec::new()));
        foreign_keys.push(ForeignKey {
            columns: vec![key(parent)],
            target: u32::try_from(index).unwrap_or_default(),
            target_schema: "public".to_owned(),
            target_name: name(parent),
            target_columns: vec![key(parent)],
            is_taught: false,
        });
    }
    Table {
        oid: u32::try_from(index).unwrap_or_default() + 1,
        schema: "public".to_owned(),
        name: name(index),
        is_visible: true,
        columns,
        primary_key: vec![key(index)],
        foreign_keys,
        ..Table::default()
    }
}
