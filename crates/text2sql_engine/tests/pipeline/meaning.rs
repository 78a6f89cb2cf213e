//! A meaning in place of words: one that the caller gives, and one that a model writes instead of a query.

use std::sync::Arc;

use crate::{harbours, offline};
use port_contracts::ScriptedDatabase;
use serde_json::{Value, json};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, ModelConfig, Recording};
use text2sql_domain::error::Error;
use text2sql_domain::question::Question;
use text2sql_domain::strategy::Strategy;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");
const QUESTION: &str = "How many boats of each harbour?";
const BY_TOWN: &str = "SELECT h.town, count(*) AS count\nFROM boats AS b\nJOIN harbours AS h ON h.harbour_id = b.harbour_id\nGROUP BY h.town\nORDER BY h.town";
const OWN: &str = "SELECT town, count(*) FROM boats JOIN harbours USING (harbour_id) GROUP BY town";

fn ask(config: Config) -> (Result<Answer, Error>, Vec<String>) {
    let catalog = harbours::catalog();
    let database = ScriptedDatabase::new(|_| ScriptedDatabase::one_row("boats", "bigint", "3"));
    let run = OFFLINE.run(&catalog, &database, &config);
    let answer = pipeline::ask(&run, &Question::new(QUESTION).unwrap(), &[]);
    (answer, database.ran())
}

/// A model that writes this, asked for meanings.
fn writes(reply: &str, candidates: usize) -> (Answer, Vec<String>) {
    let model = ModelConfig::Replay(vec![Recording {
        question: QUESTION.into(),
        replies: vec![reply.to_owned()],
    }]);
    let (answer, ran) = ask(Config {
        model,
        candidates,
        strategy: Some(Strategy::Meaning),
        ..Config::default()
    });
    (answer.unwrap(), ran)
}

#[test]
fn a_model_says_what_is_meant_and_the_keys_join() {
    let reply = r#"{"measure": "count boats", "by": ["harbours.town"]}"#;
    let (answer, ran) = writes(reply, 1);
    assert_eq!(answer.status, Status::Ok);
    assert_eq!(ran, [BY_TOWN]);
    assert!(
        answer.trace.meaning.is_some(),
        "it can be changed like any other"
    );
    assert_eq!(answer.trace.model_calls, 1);
}

#[test]
fn a_meaning_and_a_query_with_the_same_rows_agree() {
    let reply =
        json!({"measure": "count boats", "by": ["harbours.town"], "status": "ok", "sql": OWN});
    let (answer, ran) = writes(&reply.to_string(), 2);
    assert_eq!(ran, [BY_TOWN, OWN]);
    let said = "2 of 2 candidates agree on these rows".to_owned();
    assert!(answer.warnings.contains(&said), "{:?}", answer.warnings);
}

#[test]
fn what_is_no_meaning_is_asked_for_as_a_query() {
    // A column that is not there; the same reply has the query that the second request asks for.
    let reply = format!("{{\"measure\": \"sum boats.weight\"}}\n```sql\n{OWN}\n```");
    let (answer, ran) = writes(&reply, 1);
    assert_eq!((answer.status, answer.trace.model_calls), (Status::Ok, 2));
    assert_eq!(ran, [OWN]);
}

fn given(meaning: Value) -> (Result<Answer, Error>, Vec<String>) {
    ask(Config {
        meaning: Some(Arc::new(meaning)),
        ..Config::default()
    })
}

fn longest() -> Value {
    let length =
        json!({"aggregate": {"function": "maximum", "of": {"column": {"column": "length"}}}});
    json!({
        "subject": {"schema": "public", "name": "boats"},
        "conditions": [],
        "answer": {"figures": {"measures": [{"name": "length", "value": length}], "dimensions": []}},
        "order": null,
    })
}

#[test]
fn the_callers_meaning_goes_before_the_words() {
    let (answer, ran) = given(longest());
    let answer = answer.unwrap();
    assert_eq!(ran, ["SELECT max(b.length) AS length\nFROM boats AS b"]);
    assert_eq!(answer.trace.standalone.as_deref(), Some("largest length"));
    let sentence = answer.sentence.unwrap();
    assert!(!sentence.contains("harbour"), "{sentence}");
}

#[test]
fn what_the_caller_may_not_see_is_not_there() {
    let mut unseen = longest();
    unseen["answer"]["figures"]["measures"][0]["value"]["aggregate"]["of"]["column"]["column"] =
        "owner".into();
    let (answer, ran) = given(unseen);
    let said = answer.unwrap_err().message().to_owned();
    assert_eq!(
        said,
        "option \"meaning\" has no statement: boats has no column owner"
    );
    let mut unseen = longest();
    unseen["subject"]["name"] = "salaries".into();
    let said = given(unseen).0.unwrap_err().message().to_owned();
    assert_eq!(
        said,
        "option \"meaning\" has no statement: there is no table salaries"
    );
    assert!(ran.is_empty());
}

#[test]
fn an_expression_that_no_owner_defined_is_refused() {
    let mut own = longest();
    own["conditions"] = json!([{"defined": {"condition": {"expression": "pg_sleep(9) IS NULL"}, "is_negated": false}}]);
    let said = given(own).0.unwrap_err().message().to_owned();
    assert!(
        said.ends_with("no definition has the expression pg_sleep(9) IS NULL"),
        "{said}"
    );
}
