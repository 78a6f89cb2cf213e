//! Plans of dependent steps over fake ports: taken, repaired, refused, asked on, and ended.

use crate::offline;
use port_contracts::{MemoryCatalog, ScriptedDatabase};
use serde_json::json;
use serde_json::value::RawValue;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, ModelConfig, Recording};
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::ports::Outcome;
use text2sql_domain::question::Question;
use text2sql_domain::sql_result::{Cell, Execution, ResultColumn};
use text2sql_domain::validate::Rule;
use text2sql_engine::pipeline;
use text2sql_models::prompt::{StepResult, render_next_step, steps_instructions};

static OFFLINE: offline::Offline = offline::Offline("2025-06-15");

fn execution() -> Execution {
    let text = |text: &str| Cell {
        text: Some(text.into()),
        json: RawValue::from_string(json!(text).to_string()).unwrap(),
    };
    let column = |name: &str| ResultColumn {
        name: name.into(),
        type_name: "text".into(),
    };
    Execution {
        columns: vec![column("month"), column("mail")],
        rows: vec![vec![text("2025-03"), text("anna@example.org")]],
        ..Execution::default()
    }
}

/// A database that fails what says `broken` and refuses what says `forbidden`.
fn database() -> ScriptedDatabase {
    ScriptedDatabase::new(|sql| match sql {
        sql if sql.contains("broken") => {
            ScriptedDatabase::failed("42703", "column \"broken\" does not exist")
        }
        sql if sql.contains("forbidden") => {
            ScriptedDatabase::refused(Rule::Function, "function forbidden is not allowed")
        }
        _ => Outcome::Passed(execution()),
    })
}

/// Asks with scripted replies; gives the answer and the queries that ran.
fn ask(max_steps: usize, max_repairs: u32, replies: &[String]) -> (Answer, Vec<String>) {
    let (catalog, database) = (MemoryCatalog::default(), database());
    let question = "Who bought most in the best month?";
    let recording = Recording {
        question: question.into(),
        replies: replies.to_vec(),
    };
    let config = Config {
        model: ModelConfig::Replay(vec![recording]),
        max_repairs,
        max_steps,
        ..Config::default()
    };
    let run = OFFLINE.run(&catalog, &database, &config);
    let answer = pipeline::ask(&run, &Question::new(question).unwrap(), &[]).unwrap();
    (answer, database.ran())
}

fn plan(steps: &[Option<&str>]) -> String {
    let steps: Vec<_> = steps
        .iter()
        .enumerate()
        .map(|(n, sql)| json!({"question": format!("part {}", n + 1), "sql": sql}))
        .collect();
    json!({"status": "ok", "sql": null, "steps": steps, "sentence": "{rows[0].month}", "assumptions": ["by revenue"]})
        .to_string()
}

fn sql(sql: &str) -> String {
    json!({"status": "ok", "sql": sql}).to_string()
}

const BOTH: &str = "WITH step_1 AS (\nSELECT 1\n)\nSELECT * FROM step_1";

#[test]
fn each_step_runs_and_the_last_one_answers() {
    let (answer, ran) = ask(
        4,
        2,
        &[plan(&[Some("SELECT 1"), Some("SELECT * FROM step_1")])],
    );
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(ran, ["SELECT 1", BOTH]);
    assert_eq!(answer.sql.as_deref(), Some(BOTH));
    assert_eq!(answer.sentence.as_deref(), Some("2025-03"));
    assert_eq!(answer.warnings, ["by revenue", "step_1: part 1, 1 row"]);
    assert_eq!(answer.trace.model_calls, 1);
}

#[test]
fn a_step_that_is_still_to_be_written_is_asked_for() {
    let replies = [plan(&[Some("SELECT 1"), None]), sql("SELECT * FROM step_1")];
    // This is not a repair: none is allowed here.
    let (answer, ran) = ask(4, 0, &replies);
    assert_eq!(
        (answer.status, ran.as_slice()),
        (Status::Ok, &["SELECT 1".to_owned(), BOTH.to_owned()][..])
    );
    assert_eq!(answer.trace.model_calls, 2);
    let broken = [
        plan(&[Some("SELECT 1"), None]),
        sql("SELECT broken"),
        sql("SELECT 2"),
    ];
    assert_eq!(ask(4, 0, &broken).0.status, Status::Failed);
}

#[test]
fn a_failing_step_is_repaired_by_itself() {
    let replies = [
        plan(&[Some("SELECT broken"), Some("SELECT * FROM step_1")]),
        sql("SELECT 1"),
    ];
    let (answer, ran) = ask(4, 2, &replies);
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(ran, ["SELECT broken", "SELECT 1", BOTH]);
}

#[test]
fn a_step_that_is_refused_ends_it() {
    let refused = plan(&[Some("SELECT 1"), Some("SELECT forbidden()")]);
    let (answer, _) = ask(4, 1, &[refused, sql("SELECT forbidden(2)")]);
    assert_eq!(answer.status, Status::Blocked);
    assert!(answer.sql.unwrap().starts_with("WITH step_1 AS ("));
}

#[test]
fn too_many_steps_are_sent_back_and_then_refused() {
    let long = plan(&[Some("SELECT 1"), Some("SELECT 2"), Some("SELECT 3")]);
    let (answer, ran) = ask(2, 1, &[long.clone(), sql("SELECT 4")]);
    assert_eq!(
        (answer.status, ran),
        (Status::Ok, vec!["SELECT 4".to_owned()])
    );
    let (answer, ran) = ask(2, 1, &[long.clone(), long]);
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(
        answer.sentence.as_deref(),
        Some("the model wrote a plan of 3 steps, and 2 are allowed")
    );
    assert!(ran.is_empty());
}

#[test]
fn planning_ends() {
    let endless = plan(&[None, None]);
    let (answer, _) = ask(4, 2, &vec![endless; 9]);
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(answer.trace.model_calls, 4, "two repairs, and no more");
}

#[test]
fn without_steps_a_plan_is_no_reply() {
    let replies = [plan(&[Some("SELECT 1"), Some("SELECT 2")]), sql("SELECT 5")];
    let (answer, ran) = ask(1, 2, &replies);
    assert_eq!(
        (answer.status, ran),
        (Status::Ok, vec!["SELECT 5".to_owned()])
    );
}

#[test]
fn rows_are_in_the_prompt_only_where_they_may_be() {
    let execution = execution();
    let step = |rows| StepResult {
        question: "the best month",
        columns: &execution.columns,
        rows,
    };
    let own = OwnPrompts::default();
    let (text, rows) = render_next_step(&own, 2, "who bought then", &[step(Some(&execution))]);
    assert_eq!(rows, 1);
    assert!(text.contains(r#"["2025-03","…"]"#), "{text}");
    let (closed, rows) = render_next_step(&own, 2, "who bought then", &[step(None)]);
    assert_eq!(rows, 0);
    assert!(
        !closed.contains("2025-03") && !closed.contains("1 row"),
        "{closed}"
    );
    let both = format!("{}\n\n{text}\n\n{closed}\n", steps_instructions(&own, 4));
    expect_test::expect_file!["golden/steps.txt"].assert_eq(&both);
}

#[test]
fn a_step_that_varies_is_written_anew_or_ends_the_plan() {
    let replies = [
        plan(&[Some("SELECT random()"), Some("SELECT * FROM step_1")]),
        plan(&[Some("SELECT 1"), Some("SELECT * FROM step_1")]),
    ];
    let (answer, ran) = ask(4, 2, &replies);
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(ran, ["SELECT random()", "SELECT 1", BOTH]);
    let (answer, _) = ask(4, 0, &replies);
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(
        answer.sentence.as_deref(),
        Some(
            "step 1 of 2: the query gives other rows each time it runs (random()), and later steps build on it"
        )
    );
    // No other step reads the last one.
    let last = plan(&[Some("SELECT 1"), Some("SELECT random() FROM step_1")]);
    assert_eq!(ask(4, 0, &[last]).0.status, Status::Ok);
}
