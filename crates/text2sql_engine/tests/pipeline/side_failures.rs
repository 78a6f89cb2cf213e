//! What a failure of one side, or of one call, leaves of an answer, and what the answer says of it: over fake ports.

use std::cell::RefCell;

use port_contracts::MemoryPassages;
use serde_json::{Value, json};
use text2sql_domain::answer::Status;
use text2sql_domain::config::{Config, Egress, TextEgress};
use text2sql_domain::engines::{Engine, Engines};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::Exchange;
use text2sql_domain::passages::{FoundPassages, PassageRequest, TextSource};
use text2sql_domain::ports::{NoTexts, PassageSearch};

use crate::two_sides::{Asked, PASSAGES, SQL, WHY, ask, ask_of, document, said, texts};

fn warnings(asked: &Asked) -> Vec<&str> {
    asked.answer.warnings.iter().map(String::as_str).collect()
}

/// What the trace has of the sentences about passages.
fn narrated(asked: &Asked) -> &Value {
    let mut stages = asked.answer.trace.stages.iter();
    let stage = stages.find(|stage| stage.stage == "narrate_texts");
    &stage.unwrap().output
}

/// An embedder that fails, and what was searched for.
struct WithoutVectors<'a> {
    texts: &'a dyn PassageSearch,
    searched: RefCell<Vec<(String, Vec<String>)>>,
}

impl PassageSearch for WithoutVectors<'_> {
    fn has_texts(&self) -> Result<bool, Error> {
        self.texts.has_texts()
    }
    fn text_sources(&self) -> Result<Vec<TextSource>, Error> {
        self.texts.text_sources()
    }
    fn search(&self, request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
        let names = request.names.iter().map(|name| (*name).to_owned());
        let searched = (request.question.to_owned(), names.collect());
        self.searched.borrow_mut().push(searched);
        Ok(FoundPassages {
            warnings: vec![NO_VECTORS.to_owned()],
            exchanges: vec![Exchange {
                purpose: "embed",
                prompt: request.question.to_owned(),
                ..Exchange::default()
            }],
            ..self.texts.search(request)?
        })
    }
}

const NO_VECTORS: &str =
    "the texts were found without vectors: the host name of server \"e\" does not resolve";

/// Engines that cannot be used.
struct NotReady([String; 1]);

impl Engines for NotReady {
    fn names(&self) -> &[String] {
        &self.0
    }
    fn start(&self, _place: usize) -> Result<Engine, Error> {
        Err(Error::new(ErrorKind::Setup, NO_KEY).of_endpoint())
    }
}

const NO_KEY: &str = "there is no key for server \"m\"";

const HTML: &str = "<html>Bad gateway of Jane Doe</html>";
const NOT_JSON: &str = "the reply of server \"m\" is not JSON";

fn unsummed(reason: &str) -> String {
    format!("no model has summed up the passages: {reason}")
}

#[test]
fn the_answer_from_texts_alone_says_why_the_tables_gave_nothing() {
    let without = format!("the answer is from texts alone, without rows of the tables: {NOT_JSON}");
    let said = said(&[(
        "One customer says that the zipper broke after two weeks.",
        &[1],
    )]);
    let asked = ask(WHY, &texts(), PASSAGES, &[HTML, &said]);
    assert_eq!(asked.purposes(), ["generate", "narrate_texts"]);
    assert_eq!(asked.answer.status, Status::Ok);
    assert!(asked.answer.execution.is_none());
    assert_eq!(
        asked.sentence(),
        "One customer says that the zipper broke after two weeks. [1]"
    );
    assert_eq!(warnings(&asked), [without.as_str()]);
    assert_eq!(
        asked.answer.trace.endpoint_failure.as_deref(),
        Some(NOT_JSON)
    );
    // Each of the two failed calls is reported once.
    let asked = ask(WHY, &texts(), PASSAGES, &[HTML, HTML]);
    assert_eq!(warnings(&asked), [without, unsummed(NOT_JSON)]);
    assert!(asked.sentence().starts_with("The passages nearest"));
    assert!(!format!("{:?}", asked.answer.trace.stages).contains("Jane"));
    // In the language of the question.
    let german = "Warum gibt es so viele returns von jackets in 2025?";
    let asked = ask(german, &texts(), PASSAGES, &[HTML]);
    let expect = format!("die Antwort ist nur aus Texten, ohne Zeilen der Tabellen: {NOT_JSON}");
    assert_eq!(warnings(&asked)[0], expect);
    // If no text is about it either, the question fails and says why.
    let cheese = MemoryPassages::new(vec![(document(1, "Cheese."), true)]);
    let asked = ask(WHY, &cheese, PASSAGES, &[HTML]);
    assert_eq!(
        (asked.answer.status, asked.sentence()),
        (Status::Failed, NOT_JSON)
    );
    assert_eq!(
        asked.answer.trace.endpoint_failure.as_deref(),
        Some(NOT_JSON)
    );
    assert!(
        asked
            .answer
            .trace
            .stages
            .iter()
            .any(|stage| stage.stage == "search_texts")
    );
}

#[test]
fn a_table_that_may_not_be_read_is_named_beside_the_texts() {
    let refused = r#"{"status": "ok", "sql": "SELECT count(*) FROM forbidden"}"#;
    let asked = ask(WHY, &texts(), PASSAGES, &[refused]);
    assert_eq!(asked.answer.status, Status::Ok);
    let expect = "the answer is from texts alone, without rows of the tables: ";
    assert!(
        warnings(&asked)[0].starts_with(expect),
        "{:?}",
        warnings(&asked)
    );
    assert_ne!(warnings(&asked)[0], expect);
    // Finding nothing is not a failure.
    let declined = r#"{"status": "unanswerable", "sql": null, "missing": ["weather"]}"#;
    let asked = ask(WHY, &texts(), PASSAGES, &[declined]);
    let expect = "the tables gave no rows for this question: the answer is from texts alone";
    assert_eq!(warnings(&asked)[0], expect);
}

#[test]
fn passages_that_no_model_sums_up_say_why() {
    let texts = texts();
    let question = "Why do customers return jackets?";
    let long = said(&[("All customers get a refund of 1000 euros.", &[1])]);
    for (reply, reason, failure) in [
        (HTML, NOT_JSON, json!(NOT_JSON)),
        (
            "no object",
            "the reply of server \"m\" contains no sentences",
            json!("the reply of server \"m\" contains no sentences"),
        ),
        (
            r#"{"sentences": []}"#,
            "\"m\" found no answer in them",
            json!(null),
        ),
        (
            long.as_str(),
            "they do not support what \"m\" wrote",
            json!(null),
        ),
    ] {
        let asked = ask(question, &texts, PASSAGES, &[reply]);
        assert_eq!(asked.answer.status, Status::Ok, "{reply}");
        assert!(
            asked.sentence().starts_with("The passages nearest"),
            "{reply}"
        );
        assert_eq!(warnings(&asked), [unsummed(reason)], "{reply}");
        assert_eq!(narrated(&asked)["failure"], failure, "{reply}");
    }
    // The same holds beside rows.
    let asked = ask(WHY, &texts, PASSAGES, &[SQL, HTML]);
    assert!(asked.answer.execution.is_some());
    assert_eq!(warnings(&asked), [unsummed(NOT_JSON)]);
    // A model that may not be sent the passages is not called.
    let asked = ask(
        question,
        &texts,
        Some((Egress::Rows, TextEgress::None)),
        &[],
    );
    assert!(warnings(&asked).is_empty(), "{:?}", warnings(&asked));
    // The same holds for one that could not be set up.
    let not_ready = |_: &Config| NotReady(["m".to_owned()]);
    let asked = ask_of(question, &texts, PASSAGES, &[], &not_ready);
    assert!(asked.sent.is_empty());
    assert_eq!(warnings(&asked), [unsummed(NO_KEY)]);
}

#[test]
fn a_search_without_vectors_is_told_and_what_was_sent_recorded() {
    let texts = texts();
    let failing = WithoutVectors {
        texts: &texts,
        searched: RefCell::default(),
    };
    let asked = ask("Why do customers return jackets?", &failing, None, &[]);
    assert_eq!(warnings(&asked), [NO_VECTORS]);
    let sent: Vec<&str> = asked
        .answer
        .trace
        .exchanges
        .iter()
        .map(|one| one.purpose)
        .collect();
    assert_eq!(sent, ["embed"]);
    // The same holds if nothing is found this way.
    let cheese = MemoryPassages::new(vec![(document(1, "Cheese."), true)]);
    let failing = WithoutVectors {
        texts: &cheese,
        searched: RefCell::default(),
    };
    let asked = ask(WHY, &failing, PASSAGES, &[HTML]);
    assert!(
        warnings(&asked).contains(&NO_VECTORS),
        "{:?}",
        warnings(&asked)
    );
}

#[test]
fn names_in_rows_are_beside_the_question_and_not_in_it() {
    let texts = texts();
    let searching = WithoutVectors {
        texts: &texts,
        searched: RefCell::default(),
    };
    let sql = r#"{"status": "ok", "sql": "SELECT name FROM products", "sentence": "Rows."}"#;
    let asked = ask(
        "Which products are returned, and why?",
        &searching,
        PASSAGES,
        &[sql],
    );
    assert!(asked.answer.execution.is_some(), "{:?}", asked.answer);
    let searched = searching.searched.into_inner();
    assert!(!searched.is_empty());
    assert!(
        searched
            .iter()
            .all(|(question, _)| !question.contains("Anorak")),
        "{searched:?}"
    );
    assert!(
        searched
            .iter()
            .any(|(_, names)| names.as_slice() == ["Anorak"]),
        "{searched:?}"
    );
}

#[test]
fn rows_that_texts_did_not_narrow_say_so() {
    let sql = r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM products"}"#;
    let question = "How many products are there whose reviews mention velcro?";
    let asked = ask(question, &texts(), PASSAGES, &[sql]);
    assert!(asked.answer.execution.is_some());
    let expect =
        "the rows are not only those whose texts mention \"velcro\": no text was found for it";
    assert_eq!(warnings(&asked)[0], expect);
}

#[test]
fn a_sentence_that_no_model_wrote_says_why() {
    let rows = Some((Egress::Rows, TextEgress::None));
    let sql = r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM returns"}"#;
    let asked = ask("How many returns are there?", &NoTexts, rows, &[sql, HTML]);
    assert_eq!(asked.purposes(), ["generate", "narrate"]);
    let expect = format!("no model has put the rows into a sentence: {NOT_JSON}");
    assert_eq!(warnings(&asked), [expect]);
    assert!(asked.sentence().contains("42"), "{}", asked.sentence());
    // A small table that no model could read is answered by a query.
    let asked = ask("Summarize the reviews", &NoTexts, rows, &[HTML, sql, HTML]);
    let expect = format!("no model has read the rows themselves: {NOT_JSON}");
    assert!(
        warnings(&asked).contains(&expect.as_str()),
        "{:?}",
        warnings(&asked)
    );
}
