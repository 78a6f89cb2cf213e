//! A query that waits for approval is written, repaired and checked, but neither it nor anything about it is run.

use crate::offline;
use std::sync::Arc;

use port_contracts::memory_index::MemoryIndex;
use port_contracts::{MemoryCatalog, ScriptedDatabase};
use serde_json::{Value, json};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::approval::{Approval, ApprovalRule, ApprovedQuery};
use text2sql_domain::config::{Config, ModelConfig, Recording, RepairTrigger};
use text2sql_domain::engines::OnlyEngine;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::Example;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::shop;
use text2sql_engine::pipeline;
use text2sql_language::terms::Analyzer;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");
const QUESTION: &str = "How many orders are there?";
const UNCERTAIN: ApprovalRule = ApprovalRule::Uncertain {
    least_confidence: 0.8,
};

fn rule(rule: ApprovalRule) -> Approval {
    Approval {
        rule,
        approved: Vec::new(),
        asker: vec!["alice".to_owned()],
    }
}

fn recorded(replies: &[Value]) -> ModelConfig {
    ModelConfig::Replay(vec![Recording {
        question: QUESTION.to_owned(),
        replies: replies.iter().map(Value::to_string).collect(),
    }])
}

fn good() -> Value {
    json!({"status": "ok", "sql": "SELECT count(*) AS n FROM orders", "sentence": "{rows[0].n} orders."})
}

/// Does something in a run over a shop; returns its result with the statements that were run.
fn in_shop<T>(config: Config, work: impl FnOnce(&Run<'_>) -> T) -> (T, Vec<String>) {
    let tables: Vec<Arc<Table>> = shop();
    let catalog = MemoryCatalog::new(tables);
    let database = ScriptedDatabase::new(|sql| match sql.contains("custmers") {
        true => ScriptedDatabase::failed("42P01", "relation \"custmers\" does not exist"),
        false => ScriptedDatabase::one_row("n", "bigint", "42"),
    });
    let run = OFFLINE.run(&catalog, &database, &config);
    let result = work(&run);
    (result, database.ran())
}

fn ask(model: ModelConfig, approval: Approval) -> (Answer, Vec<String>) {
    let config = Config {
        model,
        approval,
        repair_on: RepairTrigger::Findings,
        ..Config::default()
    };
    in_shop(config, |run| {
        pipeline::ask(run, &Question::new(QUESTION).unwrap(), &[]).unwrap()
    })
}

fn reasons(answer: &Answer) -> Vec<&str> {
    let held = answer.held.as_ref().unwrap();
    held.reasons.iter().map(String::as_str).collect()
}

#[test]
fn with_always_nothing_is_run() {
    let (answer, ran) = ask(recorded(&[good()]), rule(ApprovalRule::Always));
    assert_eq!(answer.status, Status::Waiting);
    assert_eq!(
        answer.sql.as_deref(),
        Some("SELECT count(*) AS n FROM orders")
    );
    assert!(answer.execution.is_none() && answer.score.is_none());
    assert_eq!(reasons(&answer), ["every question of this role waits"]);
    let held = answer.held.unwrap();
    assert_eq!(held.sentence.as_deref(), Some("{rows[0].n} orders."));
    assert_eq!(ran, Vec::<String>::new());
    // Neither does the built-in engine, which looks up ties and the end of the data.
    let (answer, ran) = ask(ModelConfig::Builtin, rule(ApprovalRule::Always));
    assert_eq!((answer.status, ran), (Status::Waiting, Vec::new()));
}

#[test]
fn a_query_that_does_not_pass_the_guard_is_repaired_before_it_waits() {
    let wrong = json!({"status": "ok", "sql": "SELECT count(*) AS n FROM custmers"});
    let (answer, ran) = ask(recorded(&[wrong, good()]), rule(ApprovalRule::Always));
    assert_eq!(answer.status, Status::Waiting);
    assert_eq!(
        answer.sql.as_deref(),
        Some("SELECT count(*) AS n FROM orders")
    );
    assert!(ran.is_empty(), "{ran:?}");
}

#[test]
fn the_steps_of_a_plan_wait_together() {
    let plan = json!({"status": "ok", "steps": [
        {"question": "orders", "sql": "SELECT order_id FROM orders"},
        {"question": "how many", "sql": "SELECT count(*) AS n FROM step_1"}]});
    for rule_of in [ApprovalRule::Always, UNCERTAIN] {
        let part = json!({"status": "ok", "sql": "SELECT 1 AS n", "missing": ["weights"]});
        let (answer, ran) = ask(recorded(&[plan.clone(), part]), rule(rule_of));
        let is_waiting = answer.status == Status::Waiting;
        assert_eq!(is_waiting, rule_of == ApprovalRule::Always, "{answer:?}");
        assert_eq!(ran.is_empty(), is_waiting, "{ran:?}");
        if is_waiting {
            assert!(answer.sql.unwrap().starts_with("WITH step_1 AS ("));
        }
    }
}

#[test]
fn with_uncertain_only_what_is_doubtful_waits() {
    let (answer, ran) = ask(recorded(&[good()]), rule(UNCERTAIN));
    assert_eq!(answer.status, Status::Ok, "{answer:?}");
    assert_eq!(ran[0], "SELECT count(*) AS n FROM orders");
    let with = |name: &str, value: Value| {
        let mut reply = good();
        reply[name] = value;
        let (answer, ran) = ask(recorded(&[reply]), rule(UNCERTAIN));
        assert_eq!(answer.status, Status::Waiting, "{answer:?}");
        assert_eq!(ran, Vec::<String>::new());
        reasons(&answer).join("; ")
    };
    assert_eq!(
        with("missing", json!(["the weights"])),
        "part of the question is not answered: the weights"
    );
    assert_eq!(
        with("assumptions", json!(["paid only"])),
        "it assumes: paid only"
    );
    let cartesian = "SELECT count(*) AS n FROM orders, customers";
    assert!(
        with("sql", json!(cartesian)).contains("two tables meet without a join condition"),
        "a certain finding"
    );
    let off_topic = with("sql", json!("SELECT name FROM customers WHERE name = 'x'"));
    assert_eq!(off_topic, "question and query have little in common");
}

#[test]
fn the_built_in_engine_waits_below_the_confidence() {
    let (answer, _) = ask(ModelConfig::Builtin, rule(UNCERTAIN));
    assert_eq!(answer.status, Status::Ok);
    let strict = ApprovalRule::Uncertain {
        least_confidence: 0.99,
    };
    let (answer, ran) = ask(ModelConfig::Builtin, rule(strict));
    assert_eq!((answer.status, ran), (Status::Waiting, Vec::new()));
    let (answer, _) = ask(ModelConfig::Builtin, rule(strict));
    assert!(reasons(&answer)[0].starts_with("its confidence is 0.9"));
}

#[test]
fn what_was_approved_runs() {
    let approval = Approval {
        approved: vec![ApprovedQuery {
            sql: "SELECT count(*) AS n\nFROM orders".to_owned(),
            relations: Vec::new(),
        }],
        ..rule(ApprovalRule::Always)
    };
    let (answer, ran) = ask(recorded(&[good()]), approval);
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(ran[0], "SELECT count(*) AS n FROM orders");
    let config = Config {
        approval: rule(ApprovalRule::Always),
        ..Config::default()
    };
    let approved = SqlProposal {
        sql: "SELECT count(*) AS n FROM orders".to_owned(),
        sentence: Some("There are {rows[0].n} orders.".to_owned()),
        ..SqlProposal::default()
    };
    let (answer, ran) = in_shop(config, |run| {
        let question = Question::new(QUESTION).unwrap();
        pipeline::answer_approved(run, &question, approved).unwrap()
    });
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(answer.sentence.as_deref(), Some("There are 42 orders."));
    assert_eq!(ran, ["SELECT count(*) AS n FROM orders"]);
}

#[test]
fn an_example_that_another_person_verified_was_seen() {
    let verified = |by: &str| {
        let config = Config {
            approval: rule(ApprovalRule::Always),
            ..Config::default()
        };
        let tables: Vec<Arc<Table>> = shop();
        let mut index = MemoryIndex::new(Analyzer::default());
        let example = Example {
            id: 1,
            question: QUESTION.to_owned(),
            sql: "SELECT count(*) AS n FROM orders".to_owned(),
            verified_by: by.to_owned(),
        };
        index.add_example(example, None).unwrap();
        let catalog = MemoryCatalog::new(tables);
        let database = ScriptedDatabase::new(|_| ScriptedDatabase::one_row("n", "bigint", "42"));
        let run = Run {
            index: &index,
            ..OFFLINE.run(&catalog, &database, &config)
        };
        pipeline::ask(&run, &Question::new(QUESTION).unwrap(), &[])
            .unwrap()
            .status
    };
    assert_eq!(verified("lead"), Status::Ok);
    assert_eq!(verified("alice"), Status::Waiting);
}

fn asked(question: &str, config: Config) -> (Answer, Vec<String>) {
    let failed = |error: &Error| Answer::without_rows(Status::Failed, error.message());
    in_shop(config, |run| {
        let question = Question::new(question).unwrap();
        pipeline::ask_all(run, &OnlyEngine::of(run.config), &question, &[], &failed).unwrap()
    })
}

#[test]
fn a_question_of_several_parts_is_told_that_each_needs_its_own_approval() {
    let config = Config {
        approval: rule(ApprovalRule::Always),
        ..Config::default()
    };
    let (answer, ran) = asked(
        "How many orders are there? How many customers are there?",
        config,
    );
    assert_eq!(answer.status, Status::Ambiguous, "{answer:?}");
    assert_eq!(
        answer.sentence.as_deref(),
        Some("these are 2 questions, and a query that waits for approval answers one")
    );
    assert_eq!(
        answer.readings,
        [
            "How many orders are there?",
            "How many customers are there?"
        ]
    );
    assert_eq!(ran, [""; 0]);
}

#[test]
fn a_query_off_topic_is_told_in_its_own_words() {
    let question = "How many customers live in Berlin?";
    let off_topic = json!({
        "status": "ok", "sql": "SELECT count(*) AS n FROM orders",
        "sentence": "{rows[0].n} customers live in Berlin.",
    });
    let config = Config {
        model: ModelConfig::Replay(vec![Recording {
            question: question.to_owned(),
            replies: vec![off_topic.to_string()],
        }]),
        repair_on: RepairTrigger::Errors,
        ..Config::default()
    };
    let (answer, _) = asked(question, config);
    assert_eq!(answer.status, Status::Ok);
    // A customer with two orders is counted twice, too.
    assert_eq!(
        answer.sentence.as_deref(),
        Some("Probably wrong: The number of orders is 42.")
    );
}
