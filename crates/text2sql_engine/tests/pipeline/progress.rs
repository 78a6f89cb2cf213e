//! What is reported while a question runs, over fake ports.

use crate::offline;
use std::cell::RefCell;

use expect_test::{Expect, expect};
use port_contracts::{MemoryCatalog, ScriptedDatabase};
use serde_json::json;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, ModelConfig, Recording};
use text2sql_domain::engines::{Engine, Engines};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Session;
use text2sql_domain::progress::{News, Progress};
use text2sql_domain::question::Question;
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2025-06-15");

/// A session that writes down what is reported, if it is asked to.
struct Listening {
    is_on: bool,
    heard: RefCell<Vec<String>>,
}

impl Session for Listening {
    fn today(&self) -> String {
        OFFLINE.today()
    }
    fn server_version(&self) -> String {
        OFFLINE.server_version()
    }
    fn user(&self) -> String {
        OFFLINE.user()
    }
    fn reports_progress(&self) -> bool {
        self.is_on
    }
    fn progress(&self, progress: &Progress<'_>) {
        assert!(self.is_on, "nobody listens");
        let report = progress.to_json(0.0, None).replace("\"ms\":0.0,", "");
        self.heard.borrow_mut().push(report);
    }
    fn elapsed_ms(&self) -> f64 {
        0.0
    }
}

/// The models of a test, each with its replies.
struct Models<'a> {
    names: Vec<String>,
    replies: Replies<'a>,
}

impl Engines for Models<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }
    fn start(&self, place: usize) -> Result<Engine, Error> {
        let (name, replies) = self.replies.get(place).unwrap();
        let recordings = replies.iter().map(|(question, replies)| Recording {
            question: (*question).to_owned(),
            replies: replies.clone(),
        });
        Ok(Engine {
            model: match *name {
                "builtin" => ModelConfig::Builtin,
                _ => ModelConfig::Replay(recordings.collect()),
            },
            confidence: None,
            side_models: Default::default(),
        })
    }
}

/// Models, and what each replies to which question.
type Replies<'a> = &'a [(&'a str, &'a [Recorded<'a>])];
type Recorded<'a> = (&'a str, Vec<String>);

/// Does `work` with those models; gives what was reported, a line for each stage, and what is left to report.
fn heard_of<T>(
    is_on: bool,
    replies: Replies<'_>,
    work: impl FnOnce(&Run<'_>, &Models<'_>) -> T,
) -> (T, String, News) {
    let stores = Build::table(1, "stores").columns("store_id integer!, name text!");
    let orders = Build::table(2, "orders").columns("order_id integer!, ordered_on date!");
    let catalog = MemoryCatalog::new(vec![stores.done(), orders.done()]);
    let database = ScriptedDatabase::new(|sql| match sql.contains("broken") {
        true => text2sql_domain::ports::Outcome::Failed(DatabaseError {
            sqlstate: "42P01".into(),
            message: "relation \"broken\" does not exist".into(),
            detail: None,
            hint: None,
            position: None,
            is_private: false,
        }),
        false => ScriptedDatabase::one_row("n", "bigint", "42"),
    });
    let config = Config::default();
    let session = Listening {
        is_on,
        heard: RefCell::default(),
    };
    let run = Run {
        session: &session,
        ..OFFLINE.run(&catalog, &database, &config)
    };
    let models = Models {
        names: replies.iter().map(|(name, _)| (*name).to_owned()).collect(),
        replies,
    };
    let result = work(&run, &models);
    let left = run.trace.take().news;
    (result, session.heard.into_inner().join("\n"), left)
}

fn failed(error: &Error) -> Answer {
    Answer::without_rows(Status::Failed, error.message())
}

fn ask(question: &str, replies: Replies<'_>, expected: Expect) {
    let (answer, heard, _) = heard_of(true, replies, |run, models| {
        let question = Question::new(question).unwrap();
        pipeline::ask_all(run, models, &question, &[], &failed).unwrap()
    });
    assert_eq!(answer.status, Status::Ok, "{:?}", answer.sentence);
    expected.assert_eq(&heard);
}

fn sql(sql: &str) -> String {
    json!({"status": "ok", "sql": sql, "sentence": "{rows[0].n} orders."}).to_string()
}

const ORDERS: &str = "How many orders were there?";
const STORES: &str = "How many stores are there?";

#[test]
fn a_repaired_query_and_its_category() {
    let replies = vec![
        sql("SELECT count(*) AS n FROM broken"),
        sql("SELECT count(*) AS n FROM orders"),
    ];
    ask(
        ORDERS,
        &[("replay", &[(ORDERS, replies)])],
        expect![[r#"
            {"stage":"retrieve","engine":"replay"}
            {"stage":"interpret","engine":"replay"}
            {"stage":"route","engine":"replay"}
            {"stage":"prompt","engine":"replay"}
            {"stage":"generate","engine":"replay"}
            {"stage":"execute","engine":"replay","sql":"SELECT count(*) AS n FROM broken","plan":["Start with broken.","Take all these rows together and show, as one row: the number of rows (as n)."]}
            {"stage":"repair","engine":"replay","repair":"unknown_name"}
            {"stage":"generate","engine":"replay"}
            {"stage":"execute","engine":"replay","sql":"SELECT count(*) AS n FROM orders","plan":["Start with orders.","Take all these rows together and show, as one row: the number of rows (as n)."]}
            {"stage":"judge","engine":"replay","rows":1,"first_rows":{"result_columns":[{"name":"n","type":"bigint"}],"result_rows":[{"n": 42}]}}
            {"stage":"answer","engine":"replay","score":1.0}"#]],
    );
}

#[test]
fn another_engine_takes_over() {
    let declines = json!({"status": "unanswerable", "reason": "no Ada", "missing": ["Ada"]});
    ask(
        ORDERS,
        &[
            ("first", &[(ORDERS, vec![declines.to_string(); 2])]),
            ("builtin", &[]),
        ],
        expect![[r#"
            {"stage":"retrieve","engine":"first"}
            {"stage":"interpret","engine":"first"}
            {"stage":"route","engine":"first"}
            {"stage":"prompt","engine":"first"}
            {"stage":"generate","engine":"first"}
            {"stage":"hand_over","engine":"builtin","gave_up":{"engine":"first","cause":"declined"}}
            {"stage":"retrieve","engine":"builtin"}
            {"stage":"interpret","engine":"builtin"}
            {"stage":"route","engine":"builtin"}
            {"stage":"generate","engine":"builtin"}
            {"stage":"execute","engine":"builtin","sql":"SELECT count(*) AS orders\nFROM orders AS o","plan":["Start with orders.","Take all these rows together and show, as one row: the number of rows (as orders)."]}
            {"stage":"answer","engine":"builtin","rows":1,"first_rows":{"result_columns":[{"name":"n","type":"bigint"}],"result_rows":[{"n": 42}]}}"#]],
    );
}

#[test]
fn each_part_has_its_number() {
    let both = "How many orders were there, and how many stores are there?";
    let parts = json!({"status": "ok", "sql": null, "parts": [ORDERS, STORES]}).to_string();
    ask(
        both,
        &[(
            "replay",
            &[
                (both, vec![parts]),
                (ORDERS, vec![sql("SELECT count(*) AS n FROM orders")]),
                (STORES, vec![sql("SELECT count(*) AS n FROM stores")]),
            ],
        )],
        expect![[r#"
            {"stage":"retrieve","engine":"replay"}
            {"stage":"interpret","engine":"replay"}
            {"stage":"route","engine":"replay"}
            {"stage":"prompt","engine":"replay"}
            {"stage":"generate","engine":"replay"}
            {"stage":"retrieve","engine":"replay","part":1,"parts":2}
            {"stage":"interpret","engine":"replay","part":1,"parts":2}
            {"stage":"route","engine":"replay","part":1,"parts":2}
            {"stage":"prompt","engine":"replay","part":1,"parts":2}
            {"stage":"generate","engine":"replay","part":1,"parts":2}
            {"stage":"execute","engine":"replay","part":1,"parts":2,"sql":"SELECT count(*) AS n FROM orders","plan":["Start with orders.","Take all these rows together and show, as one row: the number of rows (as n)."]}
            {"stage":"judge","engine":"replay","part":1,"parts":2,"rows":1,"first_rows":{"result_columns":[{"name":"n","type":"bigint"}],"result_rows":[{"n": 42}]}}
            {"stage":"answer","engine":"replay","part":1,"parts":2,"score":1.0}
            {"stage":"retrieve","engine":"replay","part":2,"parts":2}
            {"stage":"interpret","engine":"replay","part":2,"parts":2}
            {"stage":"route","engine":"replay","part":2,"parts":2}
            {"stage":"prompt","engine":"replay","part":2,"parts":2}
            {"stage":"generate","engine":"replay","part":2,"parts":2}
            {"stage":"execute","engine":"replay","part":2,"parts":2,"sql":"SELECT count(*) AS n FROM stores","plan":["Start with stores.","Take all these rows together and show, as one row: the number of rows (as n)."]}
            {"stage":"judge","engine":"replay","part":2,"parts":2,"rows":1,"first_rows":{"result_columns":[{"name":"n","type":"bigint"}],"result_rows":[{"n": 42}]}}
            {"stage":"answer","engine":"replay","part":2,"parts":2,"score":1.0}"#]],
    );
}

#[test]
fn a_plan_has_stages_as_well() {
    let (planned, heard, _) = heard_of(true, &[("builtin", &[])], |run, models| {
        pipeline::plan(run, models, &Question::new(ORDERS).unwrap(), &[]).unwrap()
    });
    assert!(planned.is_ok());
    expect![[r#"
        {"stage":"retrieve","engine":"builtin"}
        {"stage":"interpret","engine":"builtin"}
        {"stage":"route","engine":"builtin"}
        {"stage":"generate","engine":"builtin"}
        {"stage":"execute","engine":"builtin","sql":"SELECT count(*) AS orders\nFROM orders AS o","plan":["Start with orders.","Take all these rows together and show, as one row: the number of rows (as orders)."]}"#]].assert_eq(&heard);
}

#[test]
fn nothing_is_noted_where_nobody_listens() {
    let (_, heard, left) = heard_of(false, &[("builtin", &[])], |run, models| {
        let question = Question::new(ORDERS).unwrap();
        pipeline::ask_all(run, models, &question, &[], &failed).unwrap()
    });
    assert_eq!((heard.as_str(), left), ("", News::default()));
}
