//! A statement that fails by a name is mended by the keys before a model is asked to repair it.

use crate::{harbours, offline};
use port_contracts::ScriptedDatabase;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, ModelConfig, Recording};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::question::Question;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");
const QUESTION: &str = "How many boats of each harbour?";

const WRONG: &str = "SELECT b.town, count(*) AS boats FROM boats AS b GROUP BY b.town";
const RIGHT: &str = "SELECT harbours.town, count(*) AS boats FROM boats AS b JOIN harbours ON b.harbour_id = harbours.harbour_id GROUP BY harbours.town";

/// The answer to replies of a model over boats and their harbours, and the statements that ran. Statements in which
/// `fails` occurs have no such column.
fn ask(config: Config, fails: &'static str, replies: &[&str]) -> (Answer, Vec<String>) {
    let catalog = harbours::catalog();
    let database = ScriptedDatabase::new(move |sql| match sql {
        sql if sql.contains(fails) => {
            ScriptedDatabase::failed("42703", "column b.town does not exist")
        }
        sql if sql.contains("secret") => ScriptedDatabase::failed("22012", "division by zero"),
        _ => ScriptedDatabase::one_row("boats", "bigint", "3"),
    });
    let reply = |sql: &&str| serde_json::json!({"status": "ok", "sql": sql}).to_string();
    let config = Config {
        model: ModelConfig::Replay(vec![Recording {
            question: QUESTION.into(),
            replies: replies.iter().map(reply).collect(),
        }]),
        ..config
    };
    let run = OFFLINE.run(&catalog, &database, &config);
    let question = Question::new(QUESTION).unwrap();
    let answer = pipeline::ask(&run, &question, &[]).unwrap();
    (answer, database.ran())
}

fn count(answer: &Answer, name: &str) -> usize {
    let stages = answer.trace.stages.iter();
    stages.filter(|stage| stage.stage == name).count()
}

/// How often it was mended, and whether the model was asked to repair it.
fn done(answer: &Answer) -> (usize, bool) {
    (count(answer, "mend"), count(answer, "repair") > 0)
}

#[test]
fn the_keys_say_what_was_meant_and_no_model_is_asked_again() {
    let (answer, ran) = ask(Config::default(), "b.town", &[WRONG]);
    assert_eq!(
        (answer.status, answer.sql.as_deref()),
        (Status::Ok, Some(RIGHT))
    );
    assert_eq!(ran.get(..2).unwrap(), [WRONG, RIGHT]);
    assert_eq!(done(&answer), (1, false));
    let said = "town is a column of harbours, which was joined along harbour_id";
    assert!(
        answer.warnings.iter().any(|warning| warning == said),
        "{:?}",
        answer.warnings
    );
}

#[test]
fn a_statement_that_runs_stays() {
    let (answer, ran) = ask(Config::default(), "nowhere", &[WRONG]);
    assert_eq!(answer.sql.as_deref(), Some(WRONG));
    assert!(!ran.iter().any(|sql| sql == RIGHT));
    assert_eq!(count(&answer, "mend"), 0);
}

#[test]
fn what_is_mended_and_does_not_run_goes_back_as_it_was_written() {
    let (answer, ran) = ask(
        Config::default(),
        "town",
        &[WRONG, "SELECT count(*) FROM boats"],
    );
    assert_eq!(answer.sql.as_deref(), Some("SELECT count(*) FROM boats"));
    assert_eq!(done(&answer), (1, true));
    assert_eq!(ran.get(1).unwrap(), RIGHT);
    assert!(
        !answer
            .warnings
            .iter()
            .any(|warning| warning.contains("joined along"))
    );
}

#[test]
fn it_can_be_left_out_and_is_not_for_other_dialects() {
    let mut without = Config::default();
    without.stages.mend = false;
    let other = Config {
        given_schema: Some(Dialect::MySql),
        ..Config::default()
    };
    for config in [without, other] {
        let (answer, _) = ask(config, "b.town", &[WRONG, "SELECT count(*) FROM boats"]);
        assert_eq!(done(&answer), (0, true));
    }
}

#[test]
fn another_error_mends_nothing() {
    let (answer, _) = ask(
        Config::default(),
        "nowhere",
        &["SELECT 1 / 0 AS secret", "SELECT count(*) FROM boats"],
    );
    assert_eq!(done(&answer), (0, true));
}
