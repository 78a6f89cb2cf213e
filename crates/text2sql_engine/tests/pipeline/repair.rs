//! What sends a query back, what the model is then told, and which attempt stays: over fake ports.

use crate::offline;
use std::sync::Arc;

use port_contracts::{MemoryCatalog, ScriptedDatabase};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::confidence::Fit;
use text2sql_domain::config::{Config, ModelConfig, Recording, RepairTrigger};
use text2sql_domain::ports::Outcome;
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Column, Table};
use text2sql_domain::sql_result::Execution;
use text2sql_domain::trace::StageTrace;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");

/// A catalog of this many tables; a search by name finds only a few of them at a time.
fn catalog(tables: usize) -> MemoryCatalog {
    let named = ["customers", "invoice_lines", "stores"].map(str::to_owned);
    let others = (named.len()..tables).map(|number| format!("other_{number}"));
    let table = |(oid, name): (u32, String)| {
        Arc::new(Table {
            oid,
            name,
            row_estimate: Some(10.0),
            is_visible: true,
            columns: vec![Column {
                name: "amount".to_owned(),
                type_name: "numeric".to_owned(),
                ..Column::default()
            }],
            ..Table::default()
        })
    };
    let names = named.into_iter().chain(others);
    MemoryCatalog::new((1..).zip(names).map(table).collect())
}

/// A database that knows "customers", and gives no row where something is below 0.
fn database() -> ScriptedDatabase {
    let database = ScriptedDatabase::new(|sql| match sql {
        sql if sql.contains("invoice_rows") => {
            ScriptedDatabase::failed("42P01", "relation \"invoice_rows\" does not exist")
        }
        sql if sql.contains("invoices") => {
            ScriptedDatabase::failed("42P01", "relation \"invoices\" does not exist")
        }
        sql if sql.ends_with("invoice") => {
            ScriptedDatabase::failed("42P01", "relation \"invoice\" does not exist")
        }
        sql if sql.contains("dateround") => {
            ScriptedDatabase::failed("42883", "function dateround(text, date) does not exist")
        }
        sql => match ScriptedDatabase::one_row("n", "bigint", "42") {
            Outcome::Passed(execution) => Outcome::Passed(Execution {
                rows: match sql.contains("< 0") {
                    true => Vec::new(),
                    false => execution.rows,
                },
                plan_rows: 1.0,
                ..execution
            }),
            other => other,
        },
    });
    database.with_functions(&["date_trunc", "round", "to_char", "date_part", "daterange"])
}

/// Asks "How many customers?" of a catalog of so many tables; gives the answer and what ran.
fn ask(tables: usize, config: Config, statements: &[&str]) -> (Answer, Vec<String>) {
    let reply = |sql: &&str| serde_json::json!({"status": "ok", "sql": sql}).to_string();
    ask_of_replies(tables, config, statements.iter().map(reply).collect())
}

/// The same, with the replies of the model as it writes them.
fn ask_of_replies(tables: usize, config: Config, replies: Vec<String>) -> (Answer, Vec<String>) {
    let (catalog, database) = (catalog(tables), database());
    let config = Config {
        model: ModelConfig::Replay(vec![Recording {
            question: "How many customers?".into(),
            replies,
        }]),
        ..config
    };
    let run = OFFLINE.run(&catalog, &database, &config);
    let question = Question::new("How many customers?").unwrap();
    let answer = pipeline::ask(&run, &question, &[]).unwrap();
    (answer, database.ran())
}

/// The attempts among the statements that ran; the others look up why one found nothing.
fn attempts(answer: &Answer) -> usize {
    stages(answer, "execute").len()
}

fn stages<'a>(answer: &'a Answer, name: &str) -> Vec<&'a StageTrace> {
    let stages = answer.trace.stages.iter();
    stages.filter(|stage| stage.stage == name).collect()
}

const GOOD: &str = "SELECT count(*) AS n FROM customers";

#[test]
fn a_table_that_was_not_retrieved_is_looked_for_again() {
    let bad = "SELECT sum(amount) FROM invoice";
    let (answer, ran) = ask(1_000, Config::default(), &[bad, GOOD]);
    assert_eq!((answer.status, ran.len()), (Status::Ok, 2));
    let repairs = stages(&answer, "repair");
    let output = &repairs.first().unwrap().output;
    assert_eq!(output["category"], "unknown_name");
    assert_eq!(output["tables"], serde_json::json!(["invoice_lines"]));
    // Where all tables were shown there is none to look for; the prompt has the nearest name.
    let bad = "SELECT sum(amount) FROM invoice_rows";
    let (answer, _) = ask(3, Config::default(), &[bad, GOOD]);
    let output = &stages(&answer, "repair").first().unwrap().output;
    assert_eq!(output["tables"], serde_json::json!([]));
    assert_eq!(output["names"], serde_json::json!(["invoice_lines"]));
}

#[test]
fn a_function_that_does_not_exist_comes_back_with_its_neighbours() {
    let (answer, _) = ask(
        3,
        Config::default(),
        &["SELECT dateround('day', now())", GOOD],
    );
    let output = &stages(&answer, "repair").first().unwrap().output;
    assert_eq!(output["category"], "unknown_name");
    let names = output["names"].as_array().unwrap();
    assert_eq!(names.first().unwrap(), "date_trunc()");
    assert!(names.contains(&"daterange()".into()) && !names.contains(&"to_char()".into()));
}

#[test]
fn a_function_that_stays_unknown_is_told_with_its_neighbours() {
    let config = Config {
        max_repairs: 0,
        ..Config::default()
    };
    let (answer, _) = ask(3, config, &["SELECT dateround('x', current_date)"]);
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(
        answer.hint.as_deref(),
        Some("names that exist: date_trunc(), daterange(), round(), date_part()")
    );
}

#[test]
fn an_empty_result_goes_back_through_the_gate_only() {
    let empty = "SELECT amount FROM customers WHERE amount < 0";
    let (answer, _) = ask(3, Config::default(), &[empty, GOOD]);
    let tried = attempts(&answer);
    assert_eq!((answer.execution.unwrap().rows.len(), tried), (0, 1));
    let gate = Config {
        repair_on: RepairTrigger::Gate,
        ..Config::default()
    };
    let (answer, _) = ask(3, gate, &[empty, GOOD]);
    let category = &stages(&answer, "repair").first().unwrap().output["category"];
    assert_eq!((category, attempts(&answer)), (&"empty_result".into(), 2));
    assert_eq!(answer.sql.as_deref(), Some(GOOD));
    let score = answer.score.unwrap();
    assert!(score.passes() && score.total() > 0.9, "{:?}", score.parts);
}

#[test]
fn a_low_score_goes_back_and_the_best_attempt_stays() {
    let mut gate = Config {
        repair_on: RepairTrigger::Gate,
        ..Config::default()
    };
    gate.score.threshold = 1.1;
    // Neither passes; the second is worse, for it shows every column.
    let first = "SELECT amount FROM stores";
    let second = "SELECT * FROM stores";
    let (answer, ran) = ask(3, gate.clone(), &[first, second, second]);
    assert_eq!((answer.sql.as_deref(), ran.len()), (Some(first), 2));
    let repairs = stages(&answer, "repair");
    assert_eq!(repairs.first().unwrap().output["category"], "relevance");
    // With no repair left the best attempt is the answer, not a failure.
    gate.max_repairs = 0;
    let (answer, ran) = ask(3, gate, &[first]);
    assert_eq!((answer.status, ran.len()), (Status::Ok, 1));
}

#[test]
fn a_query_that_the_model_writes_again_stands_with_its_reason_and_is_not_complained_of_twice() {
    let mut gate = Config {
        repair_on: RepairTrigger::Gate,
        max_repairs: 3,
        ..Config::default()
    };
    gate.score.threshold = 1.1;
    let reply = |sql: &str, assumptions: &[&str]| {
        serde_json::json!({"status": "ok", "sql": sql, "assumptions": assumptions}).to_string()
    };
    let stands = vec![
        reply(GOOD, &[]),
        reply(GOOD, &["each amount is of one customer"]),
    ];
    let (answer, ran) = ask_of_replies(3, gate.clone(), stands);
    assert_eq!((answer.sql.as_deref(), ran.len()), (Some(GOOD), 1));
    assert_eq!(
        answer.warnings,
        [
            "the score of this result is 1.00, and 1.10 is the threshold.",
            "the model was told of this, and lets the query stand: each amount is of one customer"
        ]
    );
    let repairs = stages(&answer, "repair");
    assert_eq!(repairs.last().unwrap().output["stands"], true);
    // Another query with the same fault is not sent back for it again.
    let other = "SELECT amount FROM customers";
    let replies = vec![reply(GOOD, &[]), reply(other, &[]), reply("SELECT 3", &[])];
    let (answer, ran) = ask_of_replies(3, gate, replies);
    assert_eq!((answer.sql.as_deref(), ran.len()), (Some(other), 2));
    assert_eq!(stages(&answer, "repair").len(), 1);
}

#[test]
fn a_claim_that_something_is_missing_is_sent_back_once_where_it_exists() {
    let claim = |missing: &str| {
        serde_json::json!({"status": "unanswerable", "sql": null, "missing": [missing]}).to_string()
    };
    let good = serde_json::json!({"status": "ok", "sql": GOOD}).to_string();
    let replies = vec![claim("The schema lacks the table customers."), good.clone()];
    let (answer, _) = ask_of_replies(3, Config::default(), replies);
    assert_eq!(
        (answer.status, answer.sql.as_deref()),
        (Status::Ok, Some(GOOD))
    );
    assert_eq!(stages(&answer, "repair").len(), 1);
    let twice = vec![
        claim("the table customers"),
        claim("the table customers"),
        good.clone(),
    ];
    let (answer, _) = ask_of_replies(3, Config::default(), twice);
    assert_eq!(
        (answer.status, stages(&answer, "repair").len()),
        (Status::Unanswerable, 1)
    );
    let (answer, _) = ask_of_replies(
        3,
        Config::default(),
        vec![claim("the table deliveries"), good],
    );
    assert_eq!(
        (answer.status, stages(&answer, "repair").len()),
        (Status::Unanswerable, 0)
    );
}

#[test]
fn what_fails_after_something_ran_does_not_replace_it() {
    let mut gate = Config {
        repair_on: RepairTrigger::Gate,
        ..Config::default()
    };
    gate.score.threshold = 1.1;
    let first = "SELECT amount FROM stores";
    let (answer, _) = ask(
        3,
        gate,
        &[first, "SELECT 1 FROM invoices", "SELECT 2 FROM invoices"],
    );
    assert_eq!(
        (answer.status, answer.sql.as_deref()),
        (Status::Ok, Some(first))
    );
}

#[test]
fn the_score_is_in_the_trace_and_a_fit_makes_it_a_confidence() {
    let (answer, _) = ask(3, Config::default(), &[GOOD]);
    let judged = &stages(&answer, "judge").first().unwrap().output["score"];
    assert_eq!(judged["total"], 1.0);
    assert_eq!(judged["dimensions"][0]["dimension"], "correctness");
    assert_eq!(answer.confidence, None, "nobody has measured it");
    let fit = Fit {
        intercept: 0.0,
        by_score: 0.0,
        by_agreement: 2.0,
    };
    let fitted = Config {
        confidence: Some(fit),
        ..Config::default()
    };
    let (answer, _) = ask(3, fitted, &[GOOD]);
    assert!((answer.confidence.unwrap() - 0.8808).abs() < 1e-4);
    let is_doubted = |answer: &Answer| {
        let mut warnings = answer.warnings.iter();
        warnings.any(|warning| warning.starts_with("of ten answers like this one, about 5 are"))
    };
    assert!(!is_doubted(&answer), "{:?}", answer.warnings);
    let tossed = Config {
        confidence: Some(Fit::default()),
        ..Config::default()
    };
    let (answer, _) = ask(3, tossed, &[GOOD]);
    assert!(is_doubted(&answer), "{:?}", answer.warnings);
}

#[test]
fn judging_can_be_switched_off() {
    let mut config = Config {
        repair_on: RepairTrigger::Gate,
        ..Config::default()
    };
    config.stages.judge = false;
    let (answer, _) = ask(3, config, &["SELECT amount FROM stores WHERE amount < 0"]);
    assert_eq!(answer.status, Status::Ok);
    assert!(stages(&answer, "judge").is_empty() && answer.score.is_none());
}

#[test]
fn the_best_attempt_is_the_answer_when_the_endpoint_fails_to_write_another() {
    let mut gate = Config {
        repair_on: RepairTrigger::Gate,
        ..Config::default()
    };
    gate.score.threshold = 1.1;
    let first = "SELECT amount FROM stores";
    let (answer, ran) = ask(3, gate, &[first]);
    assert_eq!((answer.status, ran.len()), (Status::Ok, 1));
    assert_eq!(answer.sql.as_deref(), Some(first));
    assert_eq!(
        answer.warnings,
        [
            "do not rely on this result: it did not pass the check name. The question names customers, and the query reads stores alone.",
            "this result may answer another question. It does not use a table or column that the question names.",
            "no better query was written: there is no recorded reply for this call"
        ]
    );
}

#[test]
fn the_plan_of_each_candidate_is_in_the_trace_and_that_of_a_repair_is_not() {
    let reply = |plan: &str, sql: &str| {
        serde_json::json!({"plan": plan, "status": "ok", "sql": sql}).to_string()
    };
    let config = Config {
        candidates: 2,
        ..Config::default()
    };
    let replies = vec![
        reply("count\nthem", "SELECT sum(amount) FROM invoice_rows"),
        // Here the model may have read a value of a row in an error.
        reply("not Anna's", GOOD),
    ];
    let (answer, _) = ask_of_replies(3, config, replies);
    assert_eq!(answer.sql.as_deref(), Some(GOOD));
    let generated = stages(&answer, "generate");
    assert_eq!(generated.len(), 2, "the candidates, and a repair");
    let both = generated[0].output["candidates"].as_array().unwrap();
    assert_eq!(both.len(), 2);
    assert!(
        both.iter().all(|one| one["plan"] == "count\nthem"),
        "{both:?}"
    );
    assert_eq!(
        generated[0].input["candidates"][1]["strategy"],
        "chain_of_thought"
    );
    assert!(generated[1].output.get("plan").is_none());
    let everything = format!("{:?}", answer.trace.stages);
    assert!(!everything.contains("Anna"));
}
