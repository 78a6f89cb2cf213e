//! From a SQL call to a run of the pipeline: builds the configuration and the ports, and keeps the
//! record. Shared by every function that takes a question.

use std::collections::HashMap;
use std::sync::Arc;

use pgrx::JsonB;
use serde_json::Value;
use text2sql_core::answer::{Answer, Status};
use text2sql_core::config::{Config, ModelConfig, RetrievalConfig};
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::pipeline::{self, Run, Written};
use text2sql_core::ports::Catalog;
use text2sql_core::prompt::Prompt;
use text2sql_core::question::Question;
use text2sql_core::retrieve::index::{SearchIndex, ValueHit};
use text2sql_core::retrieve::matches::Overlay;
use text2sql_core::retrieve::search::{FoundTable, Search};
use text2sql_core::retrieve::values::{link, phrases};
use text2sql_core::retrieve::words::Analyzer;
use text2sql_core::retrieve::{document, search_words};
use text2sql_core::schema::Table;

use crate::pg::catalog::ReaderCatalog;
use crate::pg::database::GuardedDatabase;
use crate::pg::http::{HelperTransport, with_slot};
use crate::pg::models;
use crate::pg::search_index::{PgSearchIndex, embedder};
use crate::pg::session::PgSession;
use crate::pg::typed_rows::TypedRows;
use crate::settings::{self, Overrides};

/// How many tables `retrieve` shows.
const MOST_FOUND: usize = 40;

/// Values looked at for one phrase: a word that many columns hold says little.
const VALUES_PER_PHRASE: usize = 10;

/// What came of a run, with what the SQL surface adds to it.
pub(crate) struct Ran<T> {
    /// The answer, or the SQL.
    pub(crate) value: T,
    /// The typed rows, where they were asked for.
    pub(crate) rows: Option<TypedRows>,
    /// Names the question in the server log.
    pub(crate) trace_id: pgrx::Uuid,
}

/// Answers a question; with `keep_rows`, typed rows come along.
pub(crate) fn ask(
    question: Option<&str>,
    overrides: &Overrides,
    keep_rows: bool,
) -> Result<Ran<Answer>, Error> {
    let question = required(question)?;
    let status = |answer: &Answer| answer.status;
    run(overrides, keep_rows, status, |run| {
        pipeline::ask(run, &question)
    })
}

/// Writes the SQL for a question without running it.
pub(crate) fn write(question: Option<&str>) -> Result<Written, Error> {
    let question = required(question)?;
    let status = |written: &Written| match written {
        Ok(_) => Status::Ok,
        Err(answer) => answer.status,
    };
    let overrides = Overrides::default();
    let ran = run(&overrides, false, status, |run| {
        pipeline::write(run, &question)
    })?;
    Ok(ran.value)
}

/// Renders what would be sent for a question. Needs no key and waits for nobody.
pub(crate) fn preview(question: Option<&str>) -> Result<Prompt, Error> {
    let question = required(question)?;
    let overrides = Overrides::default();
    let model = models::model_without_key(&settings::model(&overrides))?;
    let config = settings::config(model, &overrides);
    with_ports(&config, &GuardedDatabase::new(false)?, |run| {
        pipeline::preview(run, &question)
    })
}

/// A table that was found, and where the search had it.
pub(crate) type Hit = (Arc<Table>, Option<FoundTable>);

/// What a question finds in the catalog.
pub(crate) struct Found {
    /// The tables, best first.
    pub(crate) tables: Vec<Hit>,
    /// Values that phrases of the question may mean, with the phrase.
    pub(crate) values: Vec<(String, ValueHit)>,
    /// Whether these are all that may be read.
    pub(crate) is_whole: bool,
}

/// Finds what a question is about, through the search index where there is one.
pub(crate) fn find(question: Option<&str>) -> Result<Found, Error> {
    let question = required(question)?;
    let reader = *GuardedDatabase::new(false)?.reader();
    let catalog = ReaderCatalog::new(reader);
    let index = PgSearchIndex::new(reader)?;
    let Some(state) = index.state()? else {
        let words = search_words(question.as_str());
        let tables = catalog.describe(&catalog.find(&words, MOST_FOUND)?)?;
        return Ok(Found {
            tables: tables.into_iter().map(|table| (table, None)).collect(),
            values: Vec::new(),
            is_whole: false,
        });
    };
    let analyzer = Analyzer::new(&state.language);
    let embedder = embedder::for_question(&state, &analyzer)?;
    let documents = catalog.describe(&state.stale)?;
    let documents = documents
        .iter()
        .map(|table| (table.oid, document::of_table(table, &analyzer)));
    let overlay = Overlay::new(documents.collect(), state.stale.clone());
    let search = Search {
        index: &index,
        state: &state,
        embedder: embedder.as_deref(),
        overlay: &overlay,
        analyzer: &analyzer,
        config: &RetrievalConfig::ALL,
    };
    let phrases = phrases(question.as_str(), &analyzer);
    let values = index.values(&phrases, VALUES_PER_PHRASE)?;
    let values = link(&phrases, &values);
    let found = search.find(question.as_str(), &values, MOST_FOUND)?;
    let oids: Vec<u32> = found.tables.iter().map(|hit| hit.table).collect();
    let tables = catalog.describe(&oids)?;
    let mut hits: HashMap<u32, FoundTable> = found
        .tables
        .into_iter()
        .map(|hit| (hit.table, hit))
        .collect();
    let tables = tables.into_iter().map(|table| {
        let hit = hits.remove(&table.oid);
        (table, hit)
    });
    let values = values.into_iter().filter_map(|hit| {
        let phrase = phrases.get(hit.phrase)?;
        Some((phrase.text.clone(), hit))
    });
    Ok(Found {
        tables: tables.collect(),
        values: values.collect(),
        is_whole: false,
    })
}

/// The question, which must not be NULL.
fn required(question: Option<&str>) -> Result<Question, Error> {
    Question::new(question.unwrap_or_default())
}

/// Runs `work` with the configuration of this call, and writes the log line of what was sent.
fn run<T>(
    overrides: &Overrides,
    keep_rows: bool,
    status: impl Fn(&T) -> Status,
    work: impl FnOnce(&Run<'_>) -> Result<T, Error>,
) -> Result<Ran<T>, Error> {
    let name = settings::model(overrides);
    let model = models::model(&name)?;
    let waits = matches!(model, ModelConfig::Endpoint(_));
    let config = settings::config(model, overrides);
    let database = GuardedDatabase::new(keep_rows)?;
    let trace_id = models::new_trace_id();
    let value = with_ports(&config, &database, |run| {
        let result = if waits {
            with_slot(|| work(run))
        } else {
            work(run)
        };
        let trace = run.trace.borrow();
        if waits && trace.prompt_chars > 0 {
            let outcome = match &result {
                Ok(value) => status(value).as_str(),
                Err(error) => error.message(),
            };
            models::log_question(trace_id, &name, outcome, &trace);
        }
        if trace.structured_refused {
            models::remember_refusal(&name);
        }
        result
    })?;
    Ok(Ran {
        value,
        rows: database.into_rows(),
        trace_id,
    })
}

/// Runs `work` with the ports of this backend.
fn with_ports<T>(
    config: &Config,
    database: &GuardedDatabase,
    work: impl FnOnce(&Run<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    work(&Run {
        catalog: &ReaderCatalog::new(*database.reader()),
        database,
        transport: &HelperTransport,
        session: &PgSession::new(),
        config,
        trace: Default::default(),
    })
}

/// Reads the `options` of a call: settings for this question only.
pub(crate) fn overrides(options: Option<JsonB>) -> Result<Overrides, Error> {
    let mut overrides = Overrides::default();
    let object = match options.map(|JsonB(value)| value) {
        None | Some(Value::Null) => return Ok(overrides),
        Some(Value::Object(object)) => object,
        Some(_) => return Err(bad_options("options is not a JSON object".to_owned())),
    };
    for (name, value) in &object {
        let number = |least: u64, most: u64| {
            value
                .as_u64()
                .filter(|number| (least..=most).contains(number))
                .ok_or_else(|| {
                    bad_options(format!(
                        "option \"{name}\" is not a whole number from {least} to {most}"
                    ))
                })
        };
        match name.as_str() {
            "model" => {
                let model = value
                    .as_str()
                    .ok_or_else(|| bad_options("option \"model\" is not a text".to_owned()))?;
                overrides.model = Some(model.to_owned());
            }
            "max_repairs" => overrides.max_repairs = Some(number(0, 5)? as u32),
            "context_chars" => overrides.context_chars = Some(number(1_000, 2_000_000)? as usize),
            "max_rows" => overrides.max_rows = Some(number(1, i32::MAX as u64)? as usize),
            "statement_limit" => overrides.statement_limit = Some(number(1, i32::MAX as u64)?),
            "narrate" => {
                let narrate = value.as_bool();
                overrides.narrate = Some(narrate.ok_or_else(|| {
                    bad_options("option \"narrate\" is not true or false".to_owned())
                })?);
            }
            _ => return Err(bad_options(format!("unknown option \"{name}\""))),
        }
    }
    Ok(overrides)
}

fn bad_options(message: String) -> Error {
    Error::new(ErrorKind::Setting, message).with_hint(
        r#"options => '{"model": "gpt", "max_rows": 100, "max_repairs": 1, "context_chars": 30000, "statement_limit": 5000, "narrate": true}'"#,
    )
}
