//! What must hold for any input. The fuzz targets call these, and so does a test of core, which knows
//! nothing of a fuzzer.

use std::sync::Arc;

use serde_json::value::RawValue;
use text2sql_analysis::execution_plan::Plan;
use text2sql_analysis::findings::{self, Effort};
use text2sql_analysis::optimize::{self, ImaginedPlan, Planner, Storage};
use text2sql_analysis::{explain as explanation, revision, why_empty};
use text2sql_builtin as builtin;
use text2sql_charts::text_table;
use text2sql_domain::config::{Egress, Endpoint, Limits};
use text2sql_domain::error::Error;
use text2sql_domain::json_rows;
use text2sql_domain::ports::search_index::{Example, NoIndex};
use text2sql_domain::ports::{
    Database, HttpRequest, HttpResponse, Outcome, Transport, TransportError,
};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::score::ScoreConfig;
use text2sql_domain::secret::Secret;
use text2sql_domain::sql_result::{Cell, DatabaseError, Execution, ResultColumn};
use text2sql_engine::query_judge;
use text2sql_engine::scoring::{self, Ending, Facts};
use text2sql_engine::verified_examples::{self, ColumnName};
use text2sql_knowledge as knowledge;
use text2sql_language::sentences;
use text2sql_language::understanding::Understanding;
use text2sql_metrics::{boundary_values, components, execution_accuracy, similarity};
use text2sql_models::providers::{self, ChatRequest, Names, Speaker, Turn, options, replay};
use text2sql_models::reply as replies;
use text2sql_retrieval::joins::learned_joins;
use text2sql_retrieval::sql_skeleton;
use text2sql_sql::masking::Masking;

/// The day on which questions are asked.
const TODAY: &str = "2026-01-15";

/// Text of the input; what is no UTF-8 is replaced, as the HTTP client does.
fn text_of(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// The input in two: a line, and the rest.
fn parts(data: &[u8]) -> (String, String) {
    let text = text_of(data);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    (first.to_owned(), rest.to_owned())
}

/// What a model wrote: SQL that comes out is not empty and has no outer white space or semicolon; notes are
/// one plain line each.
pub fn reply(data: &[u8]) {
    match replies::read(&text_of(data)) {
        Some(Proposal::Sql(proposal)) => {
            let sql = &proposal.sql;
            assert!(
                !sql.is_empty() && sql.trim() == sql && !sql.ends_with(';'),
                "{sql:?}"
            );
            proposal.notes.iter().for_each(|note| is_plain(note));
        }
        Some(Proposal::Ambiguous { question, readings }) => {
            is_plain(&question);
            assert!((2..=4).contains(&readings.len()));
        }
        Some(Proposal::Unanswerable { missing, .. }) => {
            missing.iter().for_each(|what| is_plain(what))
        }
        _ => {}
    }
}

fn is_plain(text: &str) {
    assert!(
        !text.contains(['\n', '\r', '\u{1b}', '\u{202e}', '\u{200b}']),
        "{text:?}"
    );
    assert!(
        !text.contains("http://") && !text.contains("https://") && !text.contains("]("),
        "{text:?}"
    );
}

/// The sentence of an answer: stripping is done once, and a filled template holds nothing but text and values.
pub fn sentence(data: &[u8]) {
    let (template, value) = parts(data);
    let stripped = sentences::strip_markup(&template);
    is_plain(&stripped);
    assert_eq!(sentences::strip_markup(&stripped), stripped);
    let cells = |text: &str| {
        [Some(text), None].map(|text| Cell {
            text: text.map(str::to_owned),
            json: RawValue::NULL.to_owned(),
        })
    };
    let columns = ["name", "other"].map(|name| ResultColumn {
        name: name.to_owned(),
        type_name: "text".to_owned(),
    });
    let rows = vec![cells(&value).to_vec(), cells("second").to_vec()];
    for is_truncated in [false, true] {
        if let Some(filled) = sentences::fill(&template, &columns, &rows, is_truncated) {
            assert!(!filled.trim().is_empty() && filled.chars().count() <= 2_000);
        }
    }
    sentences::is_grounded(&template, &Understanding::of(&value, TODAY));
    for line in text_table::render_table(&columns, &rows, 20) {
        assert!(!line.contains(['\n', '\u{1b}', '\u{202e}']), "{line:?}");
    }
    assert_eq!(json_rows::unique_names(&columns).len(), 2);
}

/// SQL: every function that takes some answers, whatever it is. Each step of an explanation is one line.
pub fn sql(data: &[u8]) {
    let sql = text_of(data);
    let tables = shop();
    if let Ok(steps) = explanation::explain(&sql, &tables) {
        for step in steps {
            let line = format!("{step:?}");
            assert!(!line.contains('\u{1b}'), "{line}");
        }
    }
    judged(&sql, &tables);
    compared(&sql, &tables);
    taught(&sql, &tables);
}

/// What is wrong with a query, why it gives no rows, how it could be faster.
fn judged(sql: &str, tables: &[Arc<Table>]) {
    // A message quotes part of a statement.
    let message: String = sql.chars().take(2_000).collect();
    let error = DatabaseError {
        sqlstate: "42703".to_owned(),
        detail: Some(message.clone()),
        hint: Some(message.clone()),
        message,
        position: Some(1),
        is_private: false,
    };
    explanation::mistake(sql, &error, tables);
    explanation::without_closed_hint(error.clone(), sql, tables);
    query_judge::judge_error(error, Egress::Schema, tables, "PostgreSQL says");
    explanation::affected_rows(sql);
    let found = findings::find(sql, tables);
    let effort = Effort::within(&Limits::default());
    let _ = why_empty::why_empty(sql, tables, &Empty, &effort);
    let _ = optimize::optimize(sql, tables, &Empty, &Empty, &effort);
    let _ = optimize::rewrites(sql, tables, &storage(tables));
    let execution = empty();
    let facts = Facts {
        understanding: &Understanding::of("How many orders are there?", TODAY),
        sql,
        ending: Ending::Ran(&execution),
        findings: &found.ok().flatten().unwrap_or_default(),
        tables,
        values: &[],
        definitions: &[],
        is_follow_up: false,
        max_cost: 0.0,
    };
    scoring::score(&facts, &ScoreConfig::default());
}

/// A query beside another one.
fn compared(sql: &str, tables: &[Arc<Table>]) {
    let other = "SELECT status, sum(total) FROM orders WHERE total > 1 GROUP BY status";
    for (one, two) in [(sql, other), (other, sql), (sql, sql)] {
        revision::changes(one, two, tables);
        revision::line_difference(one, two);
        let _ = optimize::difference_query(one, two);
    }
    components::components(sql);
    boundary_values::boundaries(sql);
    similarity::embed(&similarity::normal_sql(sql));
    execution_accuracy::cuts_a_tie(&mut Default::default(), 1, sql);
    sql_skeleton::skeleton(sql);
    learned_joins::learn([(sql, 1)]);
    if let Some(masking) = Masking::of(sql, tables, Egress::Schema)
        && let Some(hidden) = masking.hide_in_sql(sql)
    {
        masking.restore_in_sql(&hidden);
    }
}

/// SQL as an example, and as the expression of a definition.
fn taught(sql: &str, tables: &[Arc<Table>]) {
    let example = Example {
        id: 1,
        question: "How many orders above 7 are there?".to_owned(),
        sql: sql.to_owned(),
        verified_by: "anna".to_owned(),
    };
    let understanding = Understanding::of("How many orders above 8 are there?", TODAY);
    verified_examples::replay(&example, &understanding, &|_, _| None);
    let column = ColumnName {
        qualifier: Some("orders".to_owned()),
        name: "status".to_owned(),
    };
    verified_examples::stored_value(&NoIndex, tables, sql, &column, "paid");
    text2sql_statements::explanation::nearest(sql, &[example]);
    let definition = Definition {
        term: "good".to_owned(),
        meaning: "paid".to_owned(),
        sql_expression: Some(sql.to_owned()),
        ..Definition::default()
    };
    explanation::meanings("SELECT total FROM orders", tables, &[definition]);
    explanation::meanings(sql, tables, &[]);
    knowledge::expression::objection(sql);
    knowledge::expression::names(sql);
    let _ = knowledge::pair::Pair::new("How many?", sql);
}

/// A database where every query passes and gives no rows, with a planner that has no price.
struct Empty;

impl Database for Empty {
    fn run(&self, _sql: &str, _limits: &Limits) -> Result<Outcome<Execution>, Error> {
        Ok(Outcome::Passed(empty()))
    }

    fn check(&self, _sql: &str, _limits: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        Ok(Outcome::Passed(Vec::new()))
    }
}

impl Planner for Empty {
    fn plan(&self, _sql: &str, _imagined: &[String]) -> Result<Option<ImaginedPlan>, Error> {
        Ok(Some(ImaginedPlan {
            plan: Plan {
                steps: Vec::new(),
                milliseconds: None,
            },
            names: Vec::new(),
            sizes: Vec::new(),
        }))
    }

    fn can_imagine(&self) -> bool {
        true
    }

    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error> {
        Ok(storage(tables))
    }
}

fn storage(tables: &[Arc<Table>]) -> Vec<Storage> {
    let of = |table: &Arc<Table>| Storage {
        table: table.oid,
        ..Storage::default()
    };
    tables.iter().map(of).collect()
}

fn empty() -> Execution {
    Execution {
        columns: Vec::new(),
        rows: Vec::new(),
        is_truncated: false,
        plan_cost: 1.0,
        plan_rows: 1.0,
        relations: Vec::new(),
        is_private: false,
        notes: Vec::new(),
    }
}

/// A question to the built-in engine: the SQL it writes is one that the explanation can read.
pub fn builtin(data: &[u8]) {
    let tables = shop();
    let understanding = Understanding::of(&text_of(data), TODAY);
    if let Proposal::Sql(proposal) = builtin::propose(&understanding, &tables, &[]) {
        assert!(
            proposal.sql.starts_with("SELECT") || proposal.sql.starts_with("WITH"),
            "{}",
            proposal.sql
        );
        let explained = explanation::explain(&proposal.sql, &tables);
        assert!(explained.is_ok(), "{}: {explained:?}", proposal.sql);
    }
}

struct Answering(HttpResponse);

impl Transport for Answering {
    fn send(&self, _request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        Ok(self.0.clone())
    }
}

fn endpoint(protocol: &str) -> Option<Endpoint> {
    let options = [
        ("protocol", protocol),
        ("base_url", "https://host.example/v1"),
        ("model", "m"),
    ];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    options::endpoint("gpt", &options, Some(Secret::new("sk-secret-4711")), None).ok()
}

/// What an endpoint sends: the first byte chooses the status, the rest is the body. No error tells the key.
pub fn providers(data: &[u8]) {
    let (choice, body) = data.split_first().unwrap_or((&0, &[]));
    let status = match choice % 8 {
        0..4 => 200,
        4 => 400,
        5 => 429,
        6 => 500,
        _ => 302,
    };
    let transport = Answering(HttpResponse {
        status,
        content_type: Some("application/json".to_owned()),
        body: body.to_vec(),
        attempts: 1,
    });
    let request = ChatRequest {
        system: "rules".to_owned(),
        turns: vec![Turn {
            speaker: Speaker::User,
            text: "question".to_owned(),
        }],
        shared: 0,
        reply_schema: replies::json_schema(true).into(),
        purpose: "generate",
        names: Names::default(),
        tools: Vec::new(),
    };
    for protocol in ["openai", "anthropic"] {
        let Some(endpoint) = endpoint(protocol) else {
            continue;
        };
        match providers::complete(&endpoint, &request, &transport) {
            Ok(answer) => reply(answer.text.as_bytes()),
            Err(error) => assert!(!format!("{error} {error:?}").contains("4711"), "{error:?}"),
        }
    }
}

/// What an administrator writes: options of a server, a line `name=value` each, and recordings.
pub fn settings(data: &[u8]) {
    let text = text_of(data);
    let options: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    if let Err(error) =
        options::endpoint("gpt", &options, Some(Secret::new("sk-secret-4711")), None)
    {
        assert!(!format!("{error} {error:?}").contains("4711"), "{error:?}");
    }
    let _ = replay::read_recordings(&text);
}

fn shop() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "countries")
            .columns("country_id integer!, name text")
            .key(&["country_id"])
            .done(),
        Build::table(2, "customers")
            .columns(
                "customer_id integer!, full_name text, country_id integer, \
                 created_at timestamp with time zone, active boolean",
            )
            .key(&["customer_id"])
            .refers("country_id", 1, "countries", "country_id")
            .with(|table| {
                for column in &mut table.columns {
                    if column.name == "full_name" {
                        column.name = "Full Name".to_owned();
                    }
                }
            })
            .done(),
        Build::table(3, "orders")
            .columns(
                "order_id bigint!, customer_id integer, total numeric, ordered_on date, status enum",
            )
            .key(&["order_id"])
            .refers("customer_id", 2, "customers", "customer_id")
            .with(|table| {
                for column in &mut table.columns {
                    if column.name == "status" {
                        column.enum_labels = vec!["paid".to_owned(), "it's open".to_owned()];
                    }
                }
            })
            .done(),
    ]
}
