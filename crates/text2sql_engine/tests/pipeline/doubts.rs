//! A doubt about names and values: asked back where nothing else in the question decides, else left to the model
//! with its readings in the prompt.

use crate::offline;
use std::sync::Arc;

use port_contracts::{MemoryCatalog, ScriptedDatabase};
use text2sql_domain::answer::Status;
use text2sql_domain::config::{Config, ModelConfig, Recording};
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Column, ColumnStatistics, Table, TypeCategory};
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2025-06-15");

fn flights() -> MemoryCatalog {
    let airports = |number, name: &str| Column {
        number,
        name: name.into(),
        type_name: "text".into(),
        category: TypeCategory::Text,
        statistics: Some(ColumnStatistics {
            most_common_values: vec!["LAX".into(), "ORD".into()],
            most_common_shares: vec![0.5, 0.5],
            distinct_values: Some(2.0),
            ..ColumnStatistics::default()
        }),
        ..Column::default()
    };
    let flights = Table {
        oid: 1,
        name: "flights".into(),
        is_visible: true,
        columns: vec![airports(1, "from_airport"), airports(2, "to_airport")],
        ..Table::default()
    };
    MemoryCatalog::new(vec![Arc::new(flights)])
}

/// The status of the answer, and the prompt that a model would get.
fn asked(question: &str) -> (Status, String) {
    let recording = Recording {
        question: question.into(),
        replies: vec![r#"{"status": "ok", "sql": "SELECT 1 AS n"}"#.to_owned()],
    };
    let config = Config {
        model: ModelConfig::Replay(vec![recording]),
        ..Config::default()
    };
    let (catalog, database) = (
        flights(),
        ScriptedDatabase::new(|_| ScriptedDatabase::one_row("n", "bigint", "42")),
    );
    let run = OFFLINE.run(&catalog, &database, &config);
    let question = Question::new(question).unwrap();
    let prompt = pipeline::preview(&run, &question, &[]).unwrap();
    let answer = pipeline::ask(&run, &question, &[]).unwrap();
    (answer.status, prompt.user)
}

#[test]
fn a_bare_doubt_is_asked_back_and_another_is_left_to_the_model() {
    const READINGS: &str = "A word of the question could mean each of these";
    let (status, prompt) = asked("How many flights at LAX?");
    assert_eq!(status, Status::Ambiguous);
    assert!(!prompt.contains(READINGS), "{prompt}");
    let (status, prompt) = asked("How many flights in LAX and in ORD are there?");
    assert_eq!(status, Status::Ok);
    assert!(prompt.contains(READINGS), "{prompt}");
    assert!(
        prompt.contains("from airport") && prompt.contains("to airport"),
        "{prompt}"
    );
}
