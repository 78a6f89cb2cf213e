//! From a SQL call to a run of the pipeline: builds the configuration and the ports, and keeps the
//! record. Shared by every function that takes a question.

use pgrx::JsonB;
use serde_json::Value;
use text2sql_core::answer::Answer;
use text2sql_core::config::ModelConfig;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::pipeline::{self, Run};
use text2sql_core::question::Question;

use crate::pg::catalog::ReaderCatalog;
use crate::pg::database::GuardedDatabase;
use crate::pg::http::{HelperTransport, with_slot};
use crate::pg::models;
use crate::pg::session::PgSession;
use crate::pg::typed_rows::TypedRows;
use crate::settings::{self, Overrides};

/// An answer with what the SQL surface adds to it.
pub(crate) struct Asked {
    pub(crate) answer: Answer,
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
) -> Result<Asked, Error> {
    let question = required(question)?;
    let (answer, rows) = run(overrides, keep_rows, |run| pipeline::ask(run, &question))?;
    let trace_id = models::log_answer(&settings::model(overrides), &answer);
    Ok(Asked {
        answer,
        rows,
        trace_id,
    })
}

/// The question, which must not be NULL.
pub(crate) fn required(question: Option<&str>) -> Result<Question, Error> {
    Question::new(question.unwrap_or_default())
}

/// Runs `work` with the ports of this backend and the configuration of this call.
pub(crate) fn run<T>(
    overrides: &Overrides,
    keep_rows: bool,
    work: impl FnOnce(&Run<'_>) -> Result<T, Error>,
) -> Result<(T, Option<TypedRows>), Error> {
    let name = settings::model(overrides);
    let model = models::model(&name)?;
    let waits = matches!(model, ModelConfig::Endpoint(_));
    let config = settings::config(model, overrides);
    let database = GuardedDatabase::new(keep_rows)?;
    let session = PgSession::new();
    let run = Run {
        catalog: &ReaderCatalog::new(*database.reader()),
        database: &database,
        transport: &HelperTransport,
        session: &session,
        config: &config,
        trace: Default::default(),
    };
    let result = if waits {
        with_slot(|| work(&run))
    } else {
        work(&run)
    }?;
    if run.trace.borrow().structured_refused {
        models::remember_refusal(&name);
    }
    Ok((result, database.into_rows()))
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
