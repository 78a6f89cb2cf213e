//! Engines in order: the first that is sure answers, and the next one takes over where one declines, fails or cannot
//! be asked. What is best is kept where none is sure.

use crate::offline;
use std::cell::RefCell;
use std::sync::Arc;

use port_contracts::{MemoryCatalog, ScriptedDatabase};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, ModelConfig, Recording, SideModels};
use text2sql_domain::engines::{Engine, Engines};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::Outcome;
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Column, ColumnStatistics, Table, TypeCategory};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2025-06-15");

/// What an engine does.
#[derive(Clone)]
enum Doing {
    Builtin,
    /// Gives this reply.
    Replies(&'static str),
    /// Has no key.
    NoKey,
    /// Its endpoint fails.
    Fails,
    /// The call itself is invalid.
    Invalid,
}

use Doing::{Builtin, Fails, Invalid, NoKey, Replies};

struct List {
    names: Vec<String>,
    doing: Vec<Doing>,
    question: String,
    started: RefCell<Vec<usize>>,
}

impl Engines for List {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn start(&self, place: usize) -> Result<Engine, Error> {
        self.started.borrow_mut().push(place);
        let replies = |replies: Vec<String>| {
            ModelConfig::Replay(vec![Recording {
                question: self.question.clone(),
                replies,
            }])
        };
        let model = match &self.doing[place] {
            Builtin => ModelConfig::Builtin,
            Replies(reply) => replies(vec![(*reply).to_owned(); 9]),
            // The recorded replies are used up, which counts as an error of the endpoint.
            Fails => replies(Vec::new()),
            NoKey => return Err(Error::new(ErrorKind::Setup, "no API key found").of_endpoint()),
            Invalid => return Err(Error::new(ErrorKind::Denied, "permission denied")),
        };
        Ok(Engine {
            model,
            confidence: None,
            side_models: SideModels::default(),
        })
    }
}

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

fn sql() -> ScriptedDatabase {
    ScriptedDatabase::new(|sql| match sql.contains("broken") {
        true => Outcome::Failed(DatabaseError {
            sqlstate: "22012".into(),
            message: "value 4711 is a secret".into(),
            detail: None,
            hint: None,
            position: None,
            is_private: false,
        }),
        false => ScriptedDatabase::one_row("n", "bigint", "42"),
    })
}

/// Asks the engines, named after what they do: the outcome, and which of them were started.
fn asked(question: &str, doing: &[(&str, Doing)]) -> (Result<Answer, Error>, Vec<usize>) {
    let engines = List {
        names: doing.iter().map(|(name, _)| (*name).to_owned()).collect(),
        doing: doing.iter().map(|(_, doing)| doing.clone()).collect(),
        question: question.to_owned(),
        started: RefCell::default(),
    };
    let (catalog, database, config) = (flights(), sql(), Config::default());
    let run = OFFLINE.run(&catalog, &database, &config);
    let question = Question::new(question).unwrap();
    let answer = pipeline::ask_in_order(&run, &engines, &question, &[]);
    (answer, engines.started.into_inner())
}

fn hand_overs(answer: &Answer) -> Vec<String> {
    let stages = answer.trace.stages.iter();
    let stages = stages.filter(|stage| stage.stage == "hand_over");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let line = |stage: &text2sql_domain::trace::StageTrace| {
        let (from, to) = (text(&stage.input["from"]), text(&stage.input["to"]));
        format!("{from} > {to}: {}", text(&stage.output["cause"]))
    };
    stages.map(line).collect()
}

const EASY: &str = "How many flights are there?";
const HARD: &str = "Which of the flights is the most romantic?";
const RIGHT: Doing =
    Replies(r#"{"status": "ok", "sql": "SELECT flight FROM flights ORDER BY is_most_romantic"}"#);
const NO: Doing = Replies(r#"{"status": "unanswerable", "missing": ["4711"]}"#);
const BROKEN: Doing = Replies(r#"{"status": "ok", "sql": "SELECT broken"}"#);

#[test]
fn the_first_sure_engine_answers_and_no_other_is_started() {
    let (answer, started) = asked(EASY, &[("builtin", Builtin), ("gpt", RIGHT)]);
    let answer = answer.unwrap();
    assert_eq!(
        (answer.status, answer.engine()),
        (Status::Ok, Some("builtin"))
    );
    assert_eq!(started, [0]);
    assert!(hand_overs(&answer).is_empty() && answer.warnings.is_empty());
    assert!(answer.confidence.is_some(), "that of the built-in engine");
}

#[test]
fn the_next_one_takes_over_and_the_asker_learns_what_matters() {
    let order = [("builtin", Builtin), ("gpt", RIGHT)];
    let (answer, _) = asked(HARD, &order);
    let answer = answer.unwrap();
    assert_eq!((answer.status, answer.engine()), (Status::Ok, Some("gpt")));
    assert_eq!(hand_overs(&answer), ["builtin > gpt: declined"]);
    assert_eq!(answer.warnings, Vec::<String>::new(), "usual");
    for (first, warning, cause) in [
        (NO, "gpt declined", "declined"),
        (
            NoKey,
            "gpt was not asked: no API key found",
            "was not asked",
        ),
        (
            BROKEN,
            "gpt failed: its query failed (SQLSTATE 22012)",
            "failed",
        ),
    ] {
        let (answer, _) = asked(EASY, &[("gpt", first), ("builtin", Builtin)]);
        let answer = answer.unwrap();
        assert_eq!(answer.engine(), Some("builtin"));
        assert_eq!(answer.warnings, [warning]);
        assert_eq!(hand_overs(&answer), [format!("gpt > builtin: {cause}")]);
        let trace = serde_json::to_string(&answer.trace.stages).unwrap();
        assert!(!trace.contains("secret"), "{trace}");
    }
    let (answer, _) = asked(EASY, &[("gpt", Fails), ("builtin", Builtin)]);
    let answer = answer.unwrap();
    assert_eq!(answer.engine(), Some("builtin"));
    assert!(
        answer.warnings[0].starts_with("gpt failed: "),
        "{:?}",
        answer.warnings
    );
}

#[test]
fn where_none_is_sure_the_best_outcome_is_kept() {
    let kept = |question, doing: &[(&str, Doing)]| match asked(question, doing).0 {
        Ok(answer) => format!(
            "{} {}",
            answer.status.as_str(),
            answer.engine().unwrap_or("-")
        ),
        Err(error) => format!("error {}", error.message()),
    };
    // A failure says that there may be an answer; the built-in engine declines what is not simple.
    assert_eq!(
        kept(HARD, &[("builtin", Builtin), ("gpt", NoKey)]),
        "error no API key found"
    );
    assert_eq!(
        kept(HARD, &[("gpt", NoKey), ("builtin", Builtin)]),
        "error no API key found"
    );
    assert_eq!(
        kept(HARD, &[("builtin", Builtin), ("gpt", NO)]),
        "unanswerable gpt"
    );
    assert_eq!(
        kept(HARD, &[("gpt", NoKey), ("local", NO)]),
        "unanswerable local"
    );
    assert_eq!(
        kept(HARD, &[("gpt", BROKEN), ("local", NO)]),
        "unanswerable local"
    );
    // Readings are a way on, whoever gave them.
    let settled = "How many flights in LAX and in ORD are there?";
    assert_eq!(
        kept(settled, &[("builtin", Builtin), ("gpt", RIGHT)]),
        "ok gpt"
    );
}

#[test]
fn what_no_engine_can_change_ends_the_order() {
    // Two readings by names and values alone.
    let order = [("builtin", Builtin), ("gpt", RIGHT)];
    let (answer, started) = asked("How many flights at LAX?", &order);
    let answer = answer.unwrap();
    assert_eq!(answer.status, Status::Ambiguous);
    assert_eq!(started, [0]);
    // Decided by its words: no engine was asked.
    let (answer, started) = asked("Delete all flights", &order);
    let answer = answer.unwrap();
    assert_eq!(
        (answer.status, answer.engine()),
        (Status::Unanswerable, None)
    );
    assert_eq!(started, [0]);
    // A call that is invalid.
    let (error, started) = asked(HARD, &[("gpt", Invalid), ("builtin", Builtin)]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Denied);
    assert_eq!(started, [0]);
}
