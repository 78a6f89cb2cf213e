//! A query of a small model that nothing proves wrong, but that says what the question does not.

use crate::endpoint::{self, Script};
use crate::{harbours, offline};
use port_contracts::ScriptedDatabase;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, Egress, Endpoint, ModelConfig, Profile, TextEgress};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");

struct Asked {
    answer: Answer,
    /// The texts that the model was sent.
    sent: Vec<String>,
    /// The statements that ran.
    ran: Vec<String>,
}

/// A question about boats and their harbours, to a model of this profile with these replies.
fn ask(profile: Profile, max_repairs: u32, question: &str, replies: &[&str]) -> Asked {
    let catalog = harbours::catalog();
    let database = ScriptedDatabase::new(|_| ScriptedDatabase::one_row("boats", "bigint", "3"));
    let model = match endpoint::model(Egress::Schema, TextEgress::None) {
        ModelConfig::Endpoint(model) => {
            ModelConfig::Endpoint(Box::new(Endpoint { profile, ..*model }))
        }
        other => other,
    };
    let config = Config {
        model,
        max_repairs,
        ..Config::default()
    };
    let script = Script::new(replies);
    let run = Run {
        transport: &script,
        ..OFFLINE.run(&catalog, &database, &config)
    };
    let answer = pipeline::ask(&run, &Question::new(question).unwrap(), &[]).unwrap();
    drop(run);
    Asked {
        answer,
        sent: script
            .sent
            .into_inner()
            .into_iter()
            .map(|(_, text)| text)
            .collect(),
        ran: database.ran(),
    }
}

const QUESTION: &str = "How many boats are there?";
const RED: &str = "SELECT count(*) AS boats FROM boats WHERE colour = 'red'";
const LONG: &str = "SELECT count(*) AS boats FROM boats WHERE length > 8";
const ALL: &str = "SELECT count(*) AS boats FROM boats";

#[test]
fn is_no_answer() {
    let asked = ask(Profile::Compact, 0, QUESTION, &[RED]);
    assert_eq!(asked.answer.status, Status::Failed);
    let said = asked.answer.sentence.as_deref().unwrap();
    let why = "it is no answer: the question says nothing of `colour = 'red'`";
    assert!(said.ends_with(why), "{said}");
    assert_eq!(asked.answer.sql.as_deref(), Some(RED));
}

#[test]
fn is_one_where_a_strong_model_wrote_it() {
    let reply = serde_json::json!({"status": "ok", "sql": RED}).to_string();
    let asked = ask(Profile::Full, 0, QUESTION, &[&reply]);
    assert_eq!(asked.answer.status, Status::Ok);
}

#[test]
fn is_asked_in_another_form_and_then_told_what_speaks_against_it() {
    let asked = ask(Profile::Compact, 2, QUESTION, &[RED, LONG, ALL]);
    assert_eq!(asked.answer.status, Status::Ok);
    assert_eq!(asked.answer.sql.as_deref(), Some(ALL));
    let [_, otherwise, repair] = asked.sent.as_slice() else {
        panic!("{:?}", asked.sent);
    };
    assert!(otherwise.ends_with(QUESTION), "{otherwise}");
    assert!(!otherwise.contains("colour = 'red'"), "{otherwise}");
    assert!(
        repair.contains("the question says nothing of `length > 8`"),
        "{repair}"
    );
}

#[test]
fn loses_a_join_that_nothing_needs_before_the_model_is_asked_again() {
    let joined = "SELECT b.boat_id FROM boats AS b JOIN harbours AS h ON h.harbour_id = b.harbour_id WHERE b.length > 7";
    let question = "Which boats have a length of more than 7?";
    let asked = ask(Profile::Compact, 1, question, &[joined]);
    assert_eq!(asked.answer.status, Status::Ok);
    let alone = "SELECT b.boat_id FROM boats AS b WHERE b.length > 7";
    assert_eq!(asked.answer.sql.as_deref(), Some(alone));
    assert_eq!(asked.ran, [joined, alone]);
    assert_eq!(asked.sent.len(), 1);
    let note =
        "the query was changed, because it joins harbours, of which the question says nothing";
    assert!(
        asked.answer.warnings.iter().any(|warning| warning == note),
        "{:?}",
        asked.answer.warnings
    );
}
