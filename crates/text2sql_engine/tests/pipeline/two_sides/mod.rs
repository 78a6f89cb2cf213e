//! A question to tables and texts over fake ports: a shop with reviews and a handbook, and an endpoint that replies from
//! a script.

use std::cell::RefCell;
use std::collections::VecDeque;

use port_contracts::{MemoryCatalog, MemoryPassages, ScriptedDatabase};
use serde_json::json;
use serde_json::value::RawValue;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, Egress, ModelConfig, TextEgress};
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::Error;
use text2sql_domain::passages::{
    FoundPassages, Origin, Passage, PassageRequest, Place, TextProtection, TextSource,
};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::{
    HttpRequest, HttpResponse, Outcome, PassageSearch, Transport, TransportError,
};
use text2sql_domain::question::Question;
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::sql_result::{Cell, Execution, ResultColumn};
use text2sql_engine::pipeline;

use crate::endpoint;
use crate::offline::Offline;

/// Counts what is asked of the texts.
pub struct Counting<'a> {
    texts: &'a dyn PassageSearch,
    pub calls: RefCell<Vec<&'static str>>,
}

impl PassageSearch for Counting<'_> {
    fn has_texts(&self) -> Result<bool, Error> {
        self.calls.borrow_mut().push("has_texts");
        self.texts.has_texts()
    }
    fn text_sources(&self) -> Result<Vec<TextSource>, Error> {
        self.calls.borrow_mut().push("text_sources");
        self.texts.text_sources()
    }
    fn search(&self, request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
        self.calls.borrow_mut().push("search");
        self.texts.search(request)
    }
}

static OFFLINE: Offline = Offline("2025-06-15");
pub const WHY: &str = "Why did returns of jackets rise in March?";

/// One whose figures the built-in engine finds.
pub const WHY_SIMPLE: &str = "Why are there so many returns in 2025?";

/// An endpoint that gives these replies, one for each request.
pub struct Script {
    replies: RefCell<VecDeque<String>>,
    pub sent: RefCell<Vec<(&'static str, String)>>,
}

impl Transport for Script {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let sends = request.sends.as_ref().unwrap();
        self.sent
            .borrow_mut()
            .push((sends.purpose, sends.text.clone()));
        match self.replies.borrow_mut().pop_front() {
            None => Err(TransportError::Dns),
            Some(reply) if reply.starts_with('<') => Ok(HttpResponse {
                status: 200,
                content_type: Some("text/html".to_owned()),
                body: reply.into_bytes(),
                attempts: 1,
            }),
            Some(reply) => Ok(HttpResponse {
                status: 200,
                content_type: Some("application/json".to_owned()),
                body: json!({"choices": [{"message": {"content": reply}}]})
                    .to_string()
                    .into_bytes(),
                attempts: 1,
            }),
        }
    }
}

pub fn passage(id: i64, title: &str, text: &str, origin: Origin) -> Passage {
    Passage {
        id,
        title: Some(title.to_owned()),
        place: Place {
            headings: Vec::new(),
            part: 1,
            parts: 1,
        },
        origin,
        text: text.to_owned(),
        score: 0.0,
        similarity: None,
        protection: TextProtection::Open,
    }
}

pub fn review(id: i64, text: &str) -> Passage {
    let origin = Origin::Row {
        table: 3,
        schema: "public".to_owned(),
        name: "reviews".to_owned(),
        column: "body".to_owned(),
        key: vec![("review_id".to_owned(), id.to_string())],
    };
    passage(100 + id, "Rain jacket", text, origin)
}

pub fn document(id: i64, text: &str) -> Passage {
    let origin = Origin::Document { id, source: None };
    passage(id, "Handbook", text, origin)
}

/// Each kind of text includes one that the caller may not read.
pub fn texts() -> MemoryPassages {
    MemoryPassages::new(vec![
        (
            review(
                1,
                "The zipper of the jackets broke after two weeks, hence the returns.",
            ),
            true,
        ),
        (review(2, "Jackets with a hood that is too small."), true),
        (
            review(3, "Jackets: secret of another role, returns rise."),
            false,
        ),
        (
            document(
                1,
                "Returns of jackets are accepted within 30 days. Call +49 170 1234567.",
            ),
            true,
        ),
        (document(2, "Returns of jackets: board only."), false),
    ])
}

pub fn catalog() -> MemoryCatalog {
    let products = Build::table(1, "products")
        .columns("product_id integer!, name text!, kind text")
        .key(&["product_id"]);
    let returns = Build::table(2, "returns")
        .columns("return_id integer!, product_id integer!, returned_on date!")
        .key(&["return_id"])
        .refers("product_id", 1, "products", "product_id");
    let reviews = Build::table(3, "reviews")
        .columns("review_id integer!, product_id integer!, body text!")
        .key(&["review_id"])
        .refers("product_id", 1, "products", "product_id");
    MemoryCatalog::new(vec![products.done(), returns.done(), reviews.done()])
}

/// The only row of `reviews`.
pub fn small_table() -> Outcome<Execution> {
    one_row(&[
        ("review_id", "integer", "7"),
        ("body", "text", "The jacket is fine, call +49 170 1234567."),
    ])
}

pub fn one_row(values: &[(&str, &str, &str)]) -> Outcome<Execution> {
    let columns = values.iter().map(|(name, type_name, _)| ResultColumn {
        name: (*name).to_owned(),
        type_name: (*type_name).to_owned(),
    });
    let row = values.iter().map(|(_, _, text)| Cell {
        text: Some((*text).to_owned()),
        json: RawValue::from_string(json!(text).to_string()).unwrap(),
    });
    Outcome::Passed(Execution {
        columns: columns.collect(),
        rows: vec![row.collect()],
        ..Execution::default()
    })
}

pub struct Asked {
    pub answer: Answer,
    pub ran: Vec<String>,
    pub sent: Vec<(&'static str, String)>,
    pub calls: Vec<&'static str>,
}

impl Asked {
    pub fn sentence(&self) -> &str {
        self.answer.sentence.as_deref().unwrap_or_default()
    }
    pub fn cited(&self) -> Vec<i64> {
        self.answer
            .citations
            .iter()
            .map(|citation| citation.passage.id)
            .collect()
    }
    pub fn purposes(&self) -> Vec<&str> {
        self.sent.iter().map(|(purpose, _)| *purpose).collect()
    }
}

pub fn ask(
    question: &str,
    texts: &dyn PassageSearch,
    model: Option<(Egress, TextEgress)>,
    replies: &[&str],
) -> Asked {
    ask_of(question, texts, model, replies, &|config| {
        OnlyEngine::of(config)
    })
}

pub fn ask_of<E: Engines>(
    question: &str,
    texts: &dyn PassageSearch,
    model: Option<(Egress, TextEgress)>,
    replies: &[&str],
    engines: &dyn Fn(&Config) -> E,
) -> Asked {
    let script = Script {
        replies: RefCell::new(replies.iter().map(|reply| (*reply).to_owned()).collect()),
        sent: RefCell::default(),
    };
    let model = match model {
        None => ModelConfig::Builtin,
        Some((egress, texts)) => endpoint::model(egress, texts),
    };
    let config = Config {
        model,
        max_repairs: 0,
        enable_second_look: false,
        ..Config::default()
    };
    let (catalog, database) = (
        catalog(),
        ScriptedDatabase::new(|sql| {
            if sql.contains("text_rows") || sql.starts_with("SELECT DISTINCT") {
                return ScriptedDatabase::one_row("review_id", "integer", "1");
            }
            if sql.contains("forbidden") {
                return ScriptedDatabase::failed("42501", "permission denied for table forbidden");
            }
            if sql == "SELECT name FROM products" {
                return one_row(&[("name", "text", "Anorak")]);
            }
            if sql.contains("FROM public.reviews LIMIT 51") {
                return small_table();
            }
            ScriptedDatabase::one_row("n", "bigint", "42")
        }),
    );
    let texts = Counting {
        texts,
        calls: RefCell::default(),
    };
    let run = Run {
        texts: &texts,
        transport: &script,
        ..OFFLINE.run(&catalog, &database, &config)
    };
    let failed = |error: &Error| Answer::without_rows(Status::Failed, error.message());
    let engines = engines(&config);
    let question = Question::new(question).unwrap();
    let answer = pipeline::ask_all(&run, &engines, &question, &[], &failed).unwrap();
    Asked {
        answer,
        ran: database.ran(),
        sent: script.sent.into_inner(),
        calls: texts.calls.into_inner(),
    }
}

pub const SQL: &str = r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM returns r JOIN products p USING (product_id) WHERE p.kind = 'jacket'", "sentence": "{rows[0].n} returns."}"#;
pub const PASSAGES: Option<(Egress, TextEgress)> = Some((Egress::Schema, TextEgress::Passages));

pub fn said(sentences: &[(&str, &[usize])]) -> String {
    let sentences: Vec<_> = sentences
        .iter()
        .map(|(text, passages)| json!({"text": text, "passages": passages}))
        .collect();
    json!({"sentences": sentences}).to_string()
}
