//! A model that says what it lacks is shown tables that it had not seen, and asked once more; and a model that
//! chooses the tables first. Over fake ports, with an endpoint that replies from a script.

use crate::endpoint::{self, Script};
use crate::offline;
use std::sync::Arc;

use port_contracts::memory_index::MemoryIndex;
use port_contracts::{MemoryCatalog, ScriptedDatabase};
use serde_json::{Value, json};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, Egress, TextEgress};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::SearchIndex;
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Column, ForeignKey, Table};
use text2sql_domain::trace::StageTrace;
use text2sql_engine::pipeline;
use text2sql_language::terms::Analyzer;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");

fn table(oid: u32, name: &str, columns: &[&str], target: Option<u32>) -> Table {
    let column = |name: &&str| Column {
        name: (*name).to_owned(),
        type_name: "integer".to_owned(),
        ..Column::default()
    };
    Table {
        oid,
        schema: "public".to_owned(),
        name: name.to_owned(),
        is_visible: true,
        columns: columns.iter().map(column).collect(),
        foreign_keys: target
            .map(|target| ForeignKey {
                columns: vec!["customer_id".to_owned()],
                target,
                target_columns: vec!["customer_id".to_owned()],
                ..ForeignKey::default()
            })
            .into_iter()
            .collect(),
        ..Table::default()
    }
}

/// Seven hundred tables. The question shares words with the first; the last may not be read.
fn tables() -> Vec<Table> {
    let mut tables = vec![
        table(1, "customers", &["customer_id", "city"], None),
        table(2, "newsletters", &["customer_id", "subscribed"], Some(1)),
        table(3, "parcels", &["parcel_id", "weight"], None),
    ];
    for oid in 4..700 {
        tables.push(table(
            oid,
            &format!("measurement{oid}x"),
            &["reading", "taken"],
            None,
        ));
    }
    tables.push(table(900, "secrets_of_staff", &["parcel_weight"], None));
    tables
}

struct Asked {
    answer: Result<Answer, Error>,
    sent: Vec<(&'static str, String)>,
    calls: u32,
}

impl Asked {
    fn answer(&self) -> &Answer {
        self.answer.as_ref().unwrap()
    }

    fn stages(&self, name: &str) -> Vec<&StageTrace> {
        let stages = self.answer().trace.stages.iter();
        stages.filter(|stage| stage.stage == name).collect()
    }

    fn purposes(&self) -> Vec<&str> {
        self.sent.iter().map(|(purpose, _)| *purpose).collect()
    }
}

fn ask(question: &str, config: Config, replies: &[&str]) -> Asked {
    let script = Script::new(replies);
    let config = Config {
        model: endpoint::model(Egress::Schema, TextEgress::None),
        enable_narration: false,
        ..config
    };
    let tables = tables();
    let mut index = MemoryIndex::new(Analyzer::default());
    index.add_tables(&tables, None).unwrap();
    index.hide(900);
    let mut catalog = MemoryCatalog::new(tables.into_iter().map(Arc::new).collect());
    catalog.hide(900);
    let database = ScriptedDatabase::new(|sql| match sql.contains("lacking_column") {
        true => ScriptedDatabase::failed("42703", "column \"lacking_column\" does not exist"),
        false => ScriptedDatabase::one_row("n", "bigint", "42"),
    });
    assert!(index.state().unwrap().is_some());
    let run = Run {
        index: &index,
        transport: &script,
        ..OFFLINE.run(&catalog, &database, &config)
    };
    let answer = pipeline::ask(&run, &Question::new(question).unwrap(), &[]);
    let calls = run.trace.borrow().model_calls;
    Asked {
        answer,
        sent: script.sent.into_inner(),
        calls,
    }
}

const BROKEN: &str = "the reply of server \"m\" broke off";
const QUESTION: &str = "In which city do customers live?";
const GONE: &str = "the host name of server \"m\" does not resolve";
const GOOD: &str = r#"{"status": "ok", "sql": "SELECT city FROM customers"}"#;

fn lacks(missing: &[&str]) -> String {
    json!({"status": "unanswerable", "sql": null, "missing": missing}).to_string()
}

#[test]
fn what_is_lacking_is_shown_and_the_model_asked_once_more() {
    let asked = ask(
        QUESTION,
        Config::default(),
        &[&lacks(&["weight of parcels"]), GOOD],
    );
    assert_eq!(asked.answer().status, Status::Ok);
    assert_eq!(asked.purposes(), ["generate", "second_look"]);
    assert_eq!(asked.calls, 2);
    let look = asked.stages("second_look");
    assert_eq!(look[0].input["missing"], json!(["weight of parcels"]));
    assert_eq!(look[0].output["tables"][0], "parcels");
    let (_, first) = &asked.sent[0];
    let (_, second) = &asked.sent[1];
    assert!(!first.contains("parcel_id") && second.contains("parcel_id integer"));
    assert!(
        second.starts_with(first.as_str()),
        "it is the same conversation"
    );
    assert!(!second.contains("secrets_of_staff"));
    // What the turn discloses is recorded in the egress log.
    let exchange = asked.answer().trace.exchanges.last().unwrap();
    assert!(exchange.disclosed.tables.contains(&"parcels".to_owned()));
}

#[test]
fn a_table_can_be_asked_for_by_the_name_in_the_list() {
    let asked = ask(
        QUESTION,
        Config::default(),
        &[&lacks(&["measurement100x"]), GOOD],
    );
    assert_eq!(
        asked.stages("second_look")[0].output["tables"][0],
        "measurement100x"
    );
    let (_, first) = &asked.sent[0];
    assert!(first.contains("give its name in \"missing\""), "{first}");
    assert!(!first.contains("secrets_of_staff"));
}

#[test]
fn what_is_asked_for_by_name_comes_and_nothing_else() {
    let asks = json!({"status": "show_tables", "sql": null, "missing": ["measurement100x", "table parcels"]});
    let asks = asks.to_string();
    let asked = ask(QUESTION, Config::default(), &[&asks, GOOD]);
    assert_eq!(
        asked.stages("second_look")[0].output["tables"],
        json!(["measurement100x", "parcels"])
    );
    assert!(
        asked.sent[0]
            .1
            .contains("set the status to \"show_tables\"")
    );
    // To ask for tables is another status than to say what is lacking.
    let asked = ask(QUESTION, Config::default(), &[&asks, &asks]);
    assert_eq!(asked.answer().status, Status::Unanswerable);
    assert_eq!(
        asked.answer().sentence.as_deref(),
        Some(
            "the model wrote no query, although the schema has the table measurement100x and the schema has the table parcels"
        )
    );
}

#[test]
fn a_model_that_insists_on_what_the_catalog_disproves_is_not_believed() {
    let lacks_it = lacks(&["The schema lacks the table customers."]);
    let asked = ask(QUESTION, Config::default(), &[&lacks_it, &lacks_it]);
    assert_eq!(asked.purposes(), ["generate", "repair"]);
    assert!(
        asked.sent[1]
            .1
            .contains("the schema has the table customers")
    );
    assert_eq!(
        asked.answer().sentence.as_deref(),
        Some("the model wrote no query, although the schema has the table customers")
    );
    let asks_back = json!({"status": "ambiguous", "sql": null, "readings": ["a?", "b?"],
        "clarification": "There is no table customers: is it about newsletters or parcels?"});
    let asked = ask(QUESTION, Config::default(), &[&asks_back.to_string(), GOOD]);
    assert_eq!(asked.purposes(), ["generate", "repair"]);
    assert_eq!(asked.answer().status, Status::Ok);
}

#[test]
fn it_is_asked_once_more_and_no_more() {
    let lacks = lacks(&["weight of parcels"]);
    let asked = ask(QUESTION, Config::default(), &[&lacks, &lacks, GOOD]);
    assert_eq!(asked.answer().status, Status::Unanswerable);
    assert_eq!(asked.calls, 2);
    let off = Config {
        enable_second_look: false,
        ..Config::default()
    };
    let asked = ask(QUESTION, off, &[&lacks, GOOD]);
    assert_eq!(
        (asked.answer().status, asked.calls),
        (Status::Unanswerable, 1)
    );
    assert!(!asked.sent[0].1.contains("give its name in"));
    // With several candidates, only one takes a second look.
    let candidates = Config {
        candidates: 3,
        ..Config::default()
    };
    let asked = ask(QUESTION, candidates, &[&lacks, &lacks, &lacks, GOOD]);
    assert_eq!((asked.answer().status, asked.calls), (Status::Ok, 4));
}

#[test]
fn a_part_of_an_answer_stays_where_the_second_look_gives_no_more() {
    let part = r#"{"status": "ok", "sql": "SELECT city FROM customers", "missing": ["weight of parcels"]}"#;
    let whole = r#"{"status": "ok", "sql": "SELECT city, weight FROM customers, parcels"}"#;
    let asked = ask(QUESTION, Config::default(), &[part, whole]);
    assert_eq!(
        asked.answer().sql.as_deref(),
        Some("SELECT city, weight FROM customers, parcels")
    );
    for second in [part, "no SQL at all", &lacks(&["all"]), "{"] {
        let asked = ask(
            QUESTION,
            Config {
                max_repairs: 0,
                ..Config::default()
            },
            &[part, second],
        );
        let sql = asked.answer().sql.as_deref();
        assert_eq!(sql, Some("SELECT city FROM customers"), "{second}");
    }
    // The endpoint fails: the part is still an answer. A cancel is not.
    let asked = ask(QUESTION, Config::default(), &[part]);
    assert_eq!(asked.answer().status, Status::Ok);
    let failed = format!("no second look at other tables: {GONE}");
    assert!(
        asked.answer().warnings.contains(&failed),
        "{:?}",
        asked.answer().warnings
    );
    let asked = ask(
        QUESTION,
        Config::default(),
        &[&lacks(&["weight of parcels"])],
    );
    assert_eq!(asked.answer().status, Status::Unanswerable);
    assert!(
        asked.answer().warnings.contains(&failed),
        "{:?}",
        asked.answer().warnings
    );
    let asked = ask(QUESTION, Config::default(), &[part, "cancel"]);
    assert_eq!(asked.answer.unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn a_hostile_reply_reveals_nothing_and_costs_one_call() {
    let names: Vec<String> = (0..5_000)
        .map(|n| format!("secrets_of_staff_{n} secrets_of_staff"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let asked = ask(
        QUESTION,
        Config::default(),
        &[&lacks(&names), &lacks(&names), GOOD],
    );
    assert!(asked.calls <= 2);
    for (_, text) in &asked.sent {
        // The model's own words come back; no description of the table does.
        assert!(!text.contains("parcel_weight"));
        assert!(text.chars().count() < 400_000);
    }
    let shown = asked.stages("second_look").into_iter().flat_map(|stage| {
        let tables = stage.output["tables"].as_array().cloned();
        tables.unwrap_or_default()
    });
    assert!(
        shown
            .into_iter()
            .all(|name: Value| name != "secrets_of_staff")
    );
}

#[test]
fn a_query_over_a_listed_table_is_repaired_with_its_columns() {
    let bad = r#"{"status": "ok", "sql": "SELECT lacking_column FROM measurement100x"}"#;
    let asked = ask(QUESTION, Config::default(), &[bad, GOOD]);
    assert_eq!(asked.purposes(), ["generate", "repair"]);
    assert_eq!(
        asked.stages("repair")[0].output["tables"],
        json!(["measurement100x"])
    );
}

#[test]
fn the_prompt_follows_the_certainty_of_the_search() {
    let tables = |question: &str| -> (String, usize) {
        let asked = ask(question, Config::default(), &[GOOD]);
        let retrieved = asked.stages("retrieve")[0].output.clone();
        let level = retrieved["certainty"]["level"].as_str().unwrap_or_default();
        (
            level.to_owned(),
            retrieved["tables"].as_array().unwrap().len(),
        )
    };
    let (level, count) = tables(QUESTION);
    assert!(level == "certain" && count <= 12, "{level}, {count}");
    let (level, count) = tables("Wo wohnt die Kundschaft?");
    assert_eq!(level, "uncertain", "{count}");
}

#[test]
fn a_model_may_choose_the_tables() {
    let choice = || Config {
        enable_table_choice: true,
        ..Config::default()
    };
    let chosen = r#"{"tables": ["parcels", "secrets_of_staff", "nonsense", "PARCELS"]}"#;
    let asked = ask(QUESTION, choice(), &[chosen, GOOD]);
    assert_eq!(asked.purposes(), ["choose_tables", "generate"]);
    let (_, list) = &asked.sent[0];
    assert!(list.contains("customers (customer_id, city)") && list.contains("measurement100x"));
    assert!(!list.contains("secrets_of_staff"));
    // The table that the question names stays.
    let stage = asked.stages("choose_tables")[0];
    assert_eq!(stage.output["tables"], json!(["parcels", "customers"]));
    assert_eq!((asked.calls, asked.answer().warnings.len()), (2, 0));
    for strange in [
        "",
        "parcels",
        r#"{"tables": []}"#,
        r#"{"tables": ["secrets_of_staff"]}"#,
    ] {
        let asked = ask(QUESTION, choice(), &[strange, GOOD]);
        assert_eq!(asked.answer().status, Status::Ok, "{strange}");
        let warnings = asked.answer().warnings.join("");
        assert!(
            warnings.contains("the tables are those of the search"),
            "{strange}: {warnings}"
        );
    }
    let asked = ask(QUESTION, choice(), &["broken", GOOD]);
    let note = format!("the tables are those of the search, not of enable_table_choice: {BROKEN}");
    assert_eq!(asked.answer().warnings, [note]);
    assert_eq!(asked.stages("choose_tables")[0].output["failure"], BROKEN);
    let asked = ask(QUESTION, choice(), &["cancel"]);
    assert_eq!(asked.answer.unwrap_err().kind(), ErrorKind::Cancelled);
    let asked = ask(QUESTION, Config::default(), &[GOOD]);
    assert_eq!(asked.purposes(), ["generate"]);
}

#[test]
fn a_candidate_that_could_not_be_asked_for_is_told() {
    let two = || Config {
        candidates: 2,
        ..Config::default()
    };
    for replies in [["broken", GOOD], [GOOD, "broken"]] {
        let asked = ask(QUESTION, two(), &replies);
        assert_eq!(asked.answer().status, Status::Ok);
        let note = format!("1 of 2 candidates could not be asked for: {BROKEN}");
        assert!(
            asked.answer().warnings.contains(&note),
            "{:?}",
            asked.answer().warnings
        );
    }
    let asked = ask(QUESTION, two(), &[GOOD, GOOD]);
    assert!(!asked.answer().warnings.join("").contains("could not"));
    let asked = ask(QUESTION, two(), &["broken", "broken"]);
    assert_eq!(asked.answer.unwrap_err().message(), BROKEN);
}

#[test]
fn an_opinion_that_no_model_could_give_is_told() {
    let judged = || {
        let mut config = Config::default();
        config.score.enable_relevance_check = true;
        config
    };
    let opinion = r#"{"relevance": 0.9, "reason": "Cities."}"#;
    let asked = ask(QUESTION, judged(), &[GOOD, opinion]);
    assert_eq!(asked.purposes(), ["generate", "relevance"]);
    assert!(
        asked.answer().warnings.is_empty(),
        "{:?}",
        asked.answer().warnings
    );
    let asked = ask(QUESTION, judged(), &[GOOD, "broken"]);
    let note = format!("no model has judged how well the rows answer the question: {BROKEN}");
    assert_eq!(asked.answer().warnings, [note.as_str()]);
    assert_eq!(asked.stages("judge")[0].output["unjudged"], note);
    let asked = ask(QUESTION, judged(), &[GOOD, "cancel"]);
    assert_eq!(asked.answer.unwrap_err().kind(), ErrorKind::Cancelled);
}
