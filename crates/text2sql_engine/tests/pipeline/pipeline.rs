//! The whole flow over fake ports: every way a question can end, without PostgreSQL and network.

use crate::offline;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use port_contracts as contract;
use port_contracts::{MemoryCatalog, ScriptedDatabase};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, Limits, ModelConfig, Recording};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::interrupts;
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Column, Table};
use text2sql_domain::validate::Rule;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2025-06-15");

#[test]
fn the_ports_without_a_network_keep_their_contracts() {
    contract::transport(&OFFLINE);
    contract::session(&OFFLINE);
}

/// A catalog of one table, with another one that may not be read.
fn catalog() -> MemoryCatalog {
    let column = Column {
        name: "customer_id".into(),
        type_name: "integer".into(),
        ..Column::default()
    };
    let customers = Table {
        oid: 1,
        name: "customers".into(),
        is_visible: true,
        columns: vec![column],
        ..Table::default()
    };
    let salaries = Table {
        oid: 2,
        schema: "hr".into(),
        name: "salaries".into(),
        ..Table::default()
    };
    let mut catalog = MemoryCatalog::new(vec![Arc::new(customers), Arc::new(salaries)]);
    catalog.hide(2);
    catalog
}

/// A database whose queries behave as their text says.
fn database() -> ScriptedDatabase {
    ScriptedDatabase::new(|sql| match sql {
        sql if sql.contains("custmers") => {
            ScriptedDatabase::failed("42P01", "relation \"custmers\" does not exist")
        }
        sql if sql.contains("1/0") => ScriptedDatabase::failed("22012", "division by zero"),
        sql if sql.contains("pg_sleep") => {
            ScriptedDatabase::refused(Rule::Function, "function pg_sleep is not allowed")
        }
        sql if sql.contains("hr.salaries") => {
            ScriptedDatabase::refused(Rule::Permission, "permission denied for table salaries")
        }
        _ => ScriptedDatabase::one_row("n", "bigint", "42"),
    })
}

fn config(model: ModelConfig) -> Config {
    Config {
        model,
        limits: Limits {
            max_result_rows: 10,
            max_result_bytes: 1000,
            max_cost: 0.0,
            query_timeout: Duration::from_secs(1),
            memory_limit: 0,
        },
        ..Config::default()
    }
}

/// Asks "How many customers?" with scripted replies; gives the answer and the queries that ran.
fn ask(replies: &[&str]) -> (Result<Answer, Error>, Vec<String>) {
    let (catalog, database) = (catalog(), database());
    let question = "How many customers?";
    let recording = Recording {
        question: question.into(),
        replies: replies.iter().map(|r| (*r).to_owned()).collect(),
    };
    let config = config(ModelConfig::Replay(vec![recording]));
    let run = OFFLINE.run(&catalog, &database, &config);
    let answer = pipeline::ask(&run, &Question::new(question).unwrap(), &[]);
    (answer, database.ran())
}

fn sql(sql: &str, sentence: &str) -> String {
    serde_json::json!({"status": "ok", "sql": sql, "sentence": sentence}).to_string()
}

#[test]
fn a_good_reply_becomes_rows_and_a_sentence() {
    let (answer, ran) = ask(&[&sql(
        "SELECT count(*) AS n FROM customers;",
        "There are {rows[0].n} customers.",
    )]);
    let answer = answer.unwrap();
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(answer.sentence.as_deref(), Some("There are 42 customers."));
    assert_eq!(ran, ["SELECT count(*) AS n FROM customers"]);
    assert_eq!(answer.trace.model_calls, 1);
    let stages: Vec<_> = answer
        .trace
        .stages
        .iter()
        .map(|stage| stage.stage)
        .collect();
    assert_eq!(
        stages,
        [
            "retrieve",
            "interpret",
            "route",
            "prompt",
            "generate",
            "execute",
            "judge",
            "answer"
        ]
    );
}

#[test]
fn a_sentence_with_a_number_of_its_own_is_not_shown() {
    let query = "SELECT count(*) AS n FROM customers";
    let (answer, _) = ask(&[&sql(query, "There are 4711 customers.")]);
    assert_eq!(
        answer.unwrap().sentence.as_deref(),
        Some("There are 42 customers.")
    );
}

#[test]
fn an_error_is_repaired_once_the_model_knows_it() {
    let (answer, ran) = ask(&[
        &sql("SELECT * FROM custmers", ""),
        &sql("SELECT 1 AS n", ""),
    ]);
    let answer = answer.unwrap();
    assert_eq!(
        (answer.status, ran.len(), answer.trace.model_calls),
        (Status::Ok, 2, 2)
    );
}

#[test]
fn repairs_end() {
    let bad = |n: u32| sql(&format!("SELECT {n}/0 + 1/0"), "");
    let (answer, ran) = ask(&[&bad(1), &bad(2), &bad(3), &bad(4)]);
    let answer = answer.unwrap();
    assert_eq!((answer.status, ran.len()), (Status::Failed, 3));
    assert_eq!(answer.error.unwrap().sqlstate, "22012");
}

#[test]
fn a_repair_that_repeats_itself_is_the_last() {
    let bad = sql("SELECT 1/0", "");
    let (answer, ran) = ask(&[&bad, &sql("SELECT  1/0", ""), &bad]);
    // What failed once is not run again.
    assert_eq!((answer.unwrap().status, ran.len()), (Status::Failed, 1));
}

#[test]
fn the_guard_has_the_last_word() {
    let bad = sql("SELECT pg_sleep(1)", "");
    let answer = ask(&[&bad, &bad]).0.unwrap();
    assert_eq!(answer.status, Status::Blocked);
    assert_eq!(
        answer.sentence.as_deref(),
        Some("the guard refused the query (rule function): function pg_sleep is not allowed")
    );
    let bad = sql("SELECT * FROM hr.salaries", "");
    assert_eq!(ask(&[&bad, &bad]).0.unwrap().status, Status::NotPermitted);
}

#[test]
fn what_may_not_be_read_is_not_called_missing() {
    let reply = |missing: &str| {
        serde_json::json!({"status": "unanswerable", "missing": [missing]}).to_string()
    };
    let answer = ask(&[&reply("salaries of employees")]).0.unwrap();
    assert_eq!(answer.status, Status::NotPermitted);
    assert!(answer.sentence.unwrap().contains("hr.salaries"));
    let answer = ask(&[&reply("the weather")]).0.unwrap();
    assert_eq!(answer.status, Status::Unanswerable);
    assert_eq!(
        answer.sentence.as_deref(),
        Some("the schema does not hold the weather")
    );
}

#[test]
fn a_word_that_a_readable_table_explains_names_no_forbidden_one() {
    // The fake knows a readable table "customers" and forbids what is called "salaries".
    let reply = |missing: &str| {
        serde_json::json!({"status": "unanswerable", "missing": [missing]}).to_string()
    };
    assert_eq!(
        ask(&[&reply("customer salaries")]).0.unwrap().status,
        Status::NotPermitted
    );
    assert_eq!(
        ask(&[&reply("customers")]).0.unwrap().status,
        Status::Unanswerable
    );
}

#[test]
fn a_part_that_cannot_be_answered_is_told() {
    let reply = |missing: &str| {
        serde_json::json!({"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "missing": [missing]})
            .to_string()
    };
    let answer = ask(&[&reply("the weather")]).0.unwrap();
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(
        answer.warnings,
        ["not answered: the schema does not hold the weather"]
    );
    assert!(answer.withheld.is_empty());
    let answer = ask(&[&reply("salaries of employees")]).0.unwrap();
    assert_eq!(
        answer.withheld,
        [
            "hr.salaries: permission denied. Ask the owner to run: GRANT SELECT ON hr.salaries TO analyst;"
        ]
    );
    assert!(answer.warnings.is_empty());
}

#[test]
fn an_ambiguous_question_comes_back_with_readings() {
    let reply = r#"{"status":"ambiguous","clarification":"Active or all?","readings":["How many active customers?","How many customers in all?"]}"#;
    let answer = ask(&[reply]).0.unwrap();
    assert_eq!(
        (answer.status, answer.readings.len()),
        (Status::Ambiguous, 2)
    );
}

#[test]
fn a_reply_without_sql_is_asked_for_again_and_then_an_error() {
    let (answer, ran) = ask(&["I would love to help!", &sql("SELECT 1 AS n", "")]);
    assert_eq!((answer.unwrap().status, ran.len()), (Status::Ok, 1));
    let error = ask(&["no", "never", "not at all"]).0.unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::ModelReply, "the recorded reply holds no SQL")
    );
}

#[test]
fn writing_does_not_execute() {
    let (catalog, database) = (catalog(), database());
    let recording = Recording {
        question: "q".into(),
        replies: vec![sql("SELECT 1 AS n", "")],
    };
    let config = config(ModelConfig::Replay(vec![recording]));
    let run = OFFLINE.run(&catalog, &database, &config);
    let written = pipeline::write(&run, &Question::new("q").unwrap(), &[])
        .unwrap()
        .unwrap();
    assert_eq!(
        (written.sql.as_str(), written.columns.len()),
        ("SELECT 1 AS n", 1)
    );
}

thread_local! {
    /// How often it may still be looked for a cancel before there is one.
    static LOOKS: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A long question takes its time in each stage: a cancel is seen before the next.
#[test]
fn a_cancel_ends_the_question_between_any_two_stages() {
    interrupts::watch(|| {
        let left = LOOKS.get();
        LOOKS.set(left.saturating_sub(1));
        left == 0
    });
    let reply = sql("SELECT count(*) AS n FROM customers", "{rows[0].n}");
    let mut cancelled = 0;
    for looks in 0.. {
        LOOKS.set(looks);
        match ask(&[&reply]).0 {
            Ok(answer) => {
                assert_eq!(answer.status, Status::Ok);
                break;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Cancelled);
                cancelled += 1;
            }
        }
    }
    assert!(cancelled >= 8, "seen at {cancelled} places");
}
