//! Questions of several parts and plans over fake ports: with recorded replies and with the built-in engine.

use crate::offline;
use expect_test::expect_file;
use port_contracts::{MemoryCatalog, ScriptedDatabase};
use serde_json::json;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, ModelConfig, Recording};
use text2sql_domain::engines::OnlyEngine;
use text2sql_domain::error::Error;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::validate::Rule;
use text2sql_engine::pipeline;
use text2sql_engine::plan_in_words;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{parts_instructions, render, render_plan};
use text2sql_retrieval::Context;

static OFFLINE: offline::Offline = offline::Offline("2025-06-15");

fn catalog() -> MemoryCatalog {
    let stores = Build::table(1, "stores")
        .columns("store_id integer!, name text!, city text")
        .key(&["store_id"]);
    let orders = Build::table(2, "orders")
        .columns("order_id integer!, store_id integer!, ordered_on date!, total numeric")
        .key(&["order_id"])
        .refers("store_id", 1, "stores", "store_id");
    MemoryCatalog::new(vec![stores.done(), orders.done()])
}

fn database() -> ScriptedDatabase {
    ScriptedDatabase::new(|sql| match sql {
        sql if sql.contains("forbidden") => {
            ScriptedDatabase::refused(Rule::Function, "function forbidden is not allowed")
        }
        _ => ScriptedDatabase::one_row("n", "bigint", "42"),
    })
}

/// Runs `work` with recorded replies to questions; without any, with the built-in engine. Gives the queries
/// that ran, too.
fn with_run<T>(
    replies: &[(&str, &[String])],
    work: impl FnOnce(&Run<'_>) -> T,
) -> (T, Vec<String>) {
    let recordings: Vec<Recording> = replies
        .iter()
        .map(|(question, replies)| Recording {
            question: (*question).into(),
            replies: replies.to_vec(),
        })
        .collect();
    let (catalog, database) = (catalog(), database());
    let config = Config {
        model: match recordings.is_empty() {
            true => ModelConfig::Builtin,
            false => ModelConfig::Replay(recordings),
        },
        max_repairs: 1,
        ..Config::default()
    };
    let run = OFFLINE.run(&catalog, &database, &config);
    let result = work(&run);
    (result, database.ran())
}

fn failed(error: &Error) -> Answer {
    Answer::without_rows(Status::Failed, error.message())
}

fn ask(question: &str, replies: &[(&str, &[String])]) -> (Answer, Vec<String>) {
    with_run(replies, |run| {
        let question = Question::new(question).unwrap();
        let mut answer =
            pipeline::ask_all(run, &OnlyEngine::of(run.config), &question, &[], &failed).unwrap();
        plan_in_words::add(&mut answer);
        answer
    })
}

fn sql(sql: &str, sentence: &str) -> String {
    json!({"status": "ok", "sql": sql, "sentence": sentence}).to_string()
}

fn parts(parts: &[&str]) -> String {
    json!({"status": "ok", "sql": null, "parts": parts}).to_string()
}

/// A question that makes the prompt say what to do about several.
const BOTH: &str = "How many orders were there, and which store sold most?";
const ORDERS: &str = "How many orders were there?";
const STORE: &str = "Which store sold most?";

#[test]
fn each_part_that_a_model_names_is_answered() {
    let (answer, ran) = ask(
        BOTH,
        &[
            (BOTH, &[parts(&[ORDERS, STORE])]),
            (
                ORDERS,
                &[sql(
                    "SELECT count(*) AS n FROM orders",
                    "{rows[0].n} orders.",
                )],
            ),
            (
                STORE,
                &[sql(
                    "SELECT 42 AS n FROM stores",
                    "Store {rows[0].n} leads.",
                )],
            ),
        ],
    );
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(
        ran,
        [
            "SELECT count(*) AS n FROM orders",
            "SELECT 42 AS n FROM stores"
        ]
    );
    assert_eq!(
        answer.sentence.as_deref(),
        Some("42 orders. Store 42 leads.")
    );
    assert_eq!(answer.links, ["2 questions, each answered by itself"]);
    let questions: Vec<&str> = answer
        .parts
        .iter()
        .map(|part| part.question.as_str())
        .collect();
    assert_eq!(questions, [ORDERS, STORE]);
    assert_eq!(
        answer.main().sql.as_deref(),
        Some("SELECT count(*) AS n FROM orders")
    );
    // The lowest score stands for all.
    let totals: Vec<f64> = answer
        .parts
        .iter()
        .map(|part| part.answer.score.as_ref().unwrap().total())
        .collect();
    let lowest = totals.iter().copied().fold(1.0, f64::min);
    assert_eq!(answer.score.as_ref().unwrap().total(), lowest);
    assert_eq!(answer.trace.model_calls, 3);
    assert_eq!(answer.trace.standalone.as_deref(), Some(STORE));
    assert!(
        answer
            .plan
            .unwrap()
            .starts_with("1. How many orders were there?\n   Start with orders.\n")
    );
}

#[test]
fn a_part_that_fails_leaves_the_others() {
    let (answer, _) = ask(
        BOTH,
        &[
            (
                BOTH,
                &[parts(&[
                    ORDERS,
                    "Is it forbidden?",
                    "Nobody recorded this?",
                ])],
            ),
            (
                ORDERS,
                &[sql(
                    "SELECT count(*) AS n FROM orders",
                    "{rows[0].n} orders.",
                )],
            ),
            (
                "Is it forbidden?",
                &[
                    sql("SELECT forbidden()", ""),
                    sql("SELECT forbidden(2)", ""),
                ],
            ),
        ],
    );
    let statuses: Vec<Status> = answer.parts.iter().map(|part| part.answer.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Blocked, Status::Failed]);
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(
        answer.warnings,
        [
            "part 2 has no answer: its status is blocked",
            "part 3 has no answer: its status is failed"
        ]
    );
    assert_eq!(answer.trace.standalone.as_deref(), Some(ORDERS));
}

#[test]
fn parts_have_no_parts() {
    let inner = parts(&["How many a are there?", "How many b are there?"]);
    let (answer, ran) = ask(
        BOTH,
        &[
            (BOTH, &[parts(&[BOTH, ORDERS])]),
            (ORDERS, &[inner.clone(), inner]),
        ],
    );
    // A question that names itself as a part would never end.
    assert_eq!(answer.status, Status::Failed);
    assert!(ran.is_empty());
    assert_eq!(answer.parts.len(), 2);
}

#[test]
fn more_parts_than_allowed_are_left_out_and_said() {
    let names: Vec<String> = (1..=6)
        .map(|n| format!("How many orders of {n}?"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (answer, _) = ask(
        BOTH,
        &[
            (BOTH, &[parts(&names)]),
            (names[0], &[sql("SELECT 1 AS n", "One.")]),
        ],
    );
    assert_eq!(answer.parts.len(), 4);
    assert_eq!(
        answer.warnings.last().map(String::as_str),
        Some("only the first 4 parts are answered, this one is not: How many orders of 6?")
    );
}

#[test]
fn a_caller_with_room_for_one_result_gets_no_parts_of_a_model() {
    let recorded: &[(&str, &[String])] = &[(
        BOTH,
        &[parts(&[ORDERS, STORE]), sql("SELECT 1 AS n", "One.")],
    )];
    let (answer, ran) = with_run(recorded, |run| {
        pipeline::ask_one(
            run,
            &OnlyEngine::of(run.config),
            &Question::new(BOTH).unwrap(),
            &[],
        )
        .unwrap()
    });
    // It was not offered, so the reply has no query, and the repair has one.
    assert_eq!(
        (answer.status, ran),
        (Status::Ok, vec!["SELECT 1 AS n".to_owned()])
    );
}

const TWO_COUNTS: &str = "How many orders were placed in 2025, and which stores are there?";

#[test]
fn the_built_in_engine_answers_parts_that_it_can_answer() {
    let (answer, ran) = ask(TWO_COUNTS, &[]);
    assert_eq!(answer.status, Status::Ok, "{answer:?}");
    let questions: Vec<&str> = answer
        .parts
        .iter()
        .map(|part| part.question.as_str())
        .collect();
    assert_eq!(
        questions,
        [
            "How many orders were placed in 2025?",
            "Which stores are there?"
        ]
    );
    assert!(ran.len() >= 2, "{ran:?}");
    assert!(answer.confidence.is_some());
    assert_eq!(
        answer.warnings,
        ["part 2 is answered without the conditions of part 1"]
    );
}

#[test]
fn a_part_that_the_built_in_engine_cannot_answer_declines_the_whole() {
    for question in [
        "How many orders were placed in 2025, and which competitors are cheaper?",
        // The period may be meant of both.
        "How many stores are there and how many orders were placed in 2025?",
        "How many orders were placed in 2025 and how many stores are there?",
    ] {
        let (answer, _) = ask(question, &[]);
        assert_eq!(
            answer.status,
            Status::Unanswerable,
            "{question}: {answer:?}"
        );
        assert!(answer.parts.is_empty());
    }
}

#[test]
fn a_caller_with_room_for_one_result_is_told_the_parts() {
    let (answer, _) = with_run(&[], |run| {
        pipeline::ask_one(
            run,
            &OnlyEngine::of(run.config),
            &Question::new(TWO_COUNTS).unwrap(),
            &[],
        )
        .unwrap()
    });
    assert_eq!(answer.status, Status::Ambiguous);
    assert_eq!(
        answer.hint.as_deref(),
        Some(
            "Ask \"How many orders were placed in 2025?\", \"Which stores are there?\", or all of them with text2sql.ask()."
        )
    );
    let (written, ran) = with_run(&[], |run| {
        pipeline::write(run, &Question::new(TWO_COUNTS).unwrap(), &[]).unwrap()
    });
    assert_eq!(written.unwrap_err().readings.len(), 2);
    assert!(ran.is_empty());
}

fn planned(
    question: &str,
    replies: &[(&str, &[String])],
) -> (Result<Vec<String>, Box<Answer>>, Vec<String>) {
    with_run(replies, |run| {
        let plan = pipeline::plan(
            run,
            &OnlyEngine::of(run.config),
            &Question::new(question).unwrap(),
            &[],
        )
        .unwrap()?;
        // A query that is known has the confidence of its kind; this model says none.
        let is_builtin = matches!(run.config.model, ModelConfig::Builtin);
        assert_eq!(plan.confidence.is_some(), is_builtin);
        Ok(plan
            .steps
            .iter()
            .map(|step| {
                format!(
                    "{}|{:?}|{}|{}|{}",
                    step.statement,
                    step.depends_on,
                    step.tables.join(","),
                    step.what,
                    step.sql.is_some()
                )
            })
            .collect())
    })
}

#[test]
fn the_built_in_engine_plans_from_its_query_and_runs_nothing() {
    let (steps, ran) = planned("How many orders were placed in 2025?", &[]);
    assert_eq!(
        steps.unwrap(),
        [
            "1|[]|orders|Start with orders.|false",
            "1|[1]||Keep only the rows where ordered_on is on or after 2025-01-01 but before 2026-01-01.|false",
            "1|[2]||Take all these rows together and show, as one row: the number of rows (as orders).|true",
        ]
    );
    assert!(ran.is_empty());
    let (steps, ran) = planned(TWO_COUNTS, &[]);
    let steps = steps.unwrap();
    assert!(
        steps.first().unwrap().starts_with("1|[]|orders"),
        "{steps:?}"
    );
    assert!(steps.last().unwrap().starts_with("2|"), "{steps:?}");
    assert!(ran.is_empty());
    let (declined, _) = planned("Will it rain tomorrow?", &[]);
    assert_eq!(declined.unwrap_err().status, Status::Unanswerable);
}

#[test]
fn a_model_plans_in_one_call() {
    let plan = json!({"status": "ok", "steps": [
        {"what": "Read the orders of each <b>store</b>", "depends_on": [], "tables": ["orders", "stores", "hr.salaries"], "statement": 1},
        {"what": "Sum them and sort", "depends_on": [1], "tables": [], "statement": 1}
    ], "missing": []})
    .to_string();
    let (steps, ran) = planned(STORE, &[(STORE, &[plan])]);
    assert_eq!(
        steps.unwrap(),
        [
            "1|[]|orders,stores|Read the orders of each store|false",
            "1|[1]||Sum them and sort|false"
        ]
    );
    assert!(ran.is_empty());
    let declined = r#"{"status": "unanswerable", "steps": [], "missing": ["the weather"]}"#;
    let (answer, _) = planned(STORE, &[(STORE, &[declined.to_owned()])]);
    assert_eq!(
        answer.unwrap_err().sentence.as_deref(),
        Some("the schema does not hold the weather")
    );
}

#[test]
fn a_reply_without_a_plan_is_an_error_of_the_endpoint() {
    let (error, _) = with_run(&[(STORE, &["<html>busy</html>".to_owned()])], |run| {
        pipeline::plan(
            run,
            &OnlyEngine::of(run.config),
            &Question::new(STORE).unwrap(),
            &[],
        )
        .unwrap_err()
    });
    assert!(error.is_of_endpoint());
    assert_eq!(error.message(), "the reply of the model has no plan");
}

#[test]
fn the_models_own_plan_is_kept_without_markup() {
    let reply = json!({
        "plan": "1. <b>read</b> orders\n2. [count](http://x.example)\n<script>alert(1)</script>",
        "status": "ok", "sql": "SELECT count(*) AS n FROM orders", "sentence": "{rows[0].n} orders."
    })
    .to_string();
    let (answer, _) = ask(ORDERS, &[(ORDERS, &[reply])]);
    let plan = answer.plan.unwrap();
    assert!(plan.starts_with("1. read orders\n2. count"), "{plan}");
    assert!(!plan.contains('<') && !plan.contains("http"), "{plan}");
    let (answer, _) = ask(
        ORDERS,
        &[(ORDERS, &[sql("SELECT count(*) AS n FROM orders", "")])],
    );
    assert!(answer.plan.unwrap().starts_with("Start with orders."));
}

#[test]
fn instructions_are_as_recorded() {
    let config = Config::default();
    let context = Context::default();
    let understanding = Understanding::of(ORDERS, "2026-11-21");
    let plan = render_plan(&understanding, &context, &config, "15", 8);
    // Below are the schema and the question, as for the query.
    assert_eq!(
        plan.user,
        render(&understanding, &context, &config, "15").user
    );
    let parts = parts_instructions(&OwnPrompts::default(), 4);
    let both = format!("{parts}\n\n{}\n", plan.system);
    expect_file!["golden/parts_and_plan.txt"].assert_eq(&both);
}
