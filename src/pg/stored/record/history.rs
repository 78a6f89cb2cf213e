//! The history of questions: the question, its outcome, its cost, and what left the server.
//!
//! It is written as the owner of its tables, so that records can be neither forged nor erased. It holds no row
//! value: neither rows, nor the sentence filled from them, nor an error text. On a standby and in a read-only
//! transaction nothing can be written; the lines in the server log remain.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde_json::Value;
use text2sql_domain::error::Error;
use text2sql_domain::exchange::Exchange;
use text2sql_domain::prices::Cost;
use text2sql_domain::trace::Trace;

use crate::pg::server::spi::json_text::json_text;
use crate::pg::server::spi::owner::{as_owner_of, can_write, is_standby};
use crate::pg::server::{settings, spi};
use crate::pg::stored::record::audit;

const RECORD_QUESTION: &str = include_str!("../../../../sql/queries/record_question.sql");
const RECORD_EXCHANGE: &str = include_str!("../../../../sql/queries/record_exchange.sql");
const DROP_EXPIRED: &str = include_str!("../../../../sql/queries/drop_expired.sql");

/// How often a session looks for expired entries.
const PURGE_EVERY: Duration = Duration::from_secs(3_600);

thread_local! {
    static HAS_TOLD: Cell<bool> = const { Cell::new(false) };
    static LAST_PURGE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// A completed question.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// Its trace_id.
    pub(crate) trace_id: pgrx::Uuid,
    /// The SQL function that was called.
    pub(crate) function: &'static str,
    /// The conversation it belongs to.
    pub(crate) conversation: Option<&'a str>,
    /// Its text.
    pub(crate) question: &'a str,
    /// Its outcome.
    pub(crate) ended: Ended,
    /// The model that wrote the SQL.
    pub(crate) model: &'a str,
    /// The configuration of the run.
    pub(crate) settings: Value,
    /// The trace of the run.
    pub(crate) trace: &'a Trace,
}

/// The outcome of a question.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    /// The status.
    pub(crate) status: &'static str,
    /// The SQLSTATE of the database's error behind it.
    pub(crate) sqlstate: Option<String>,
    /// The interpretations, where the question had several; only a conversation stores them.
    pub(crate) readings: Vec<String>,
    /// The query that ran, or the last one that failed; of several parts all of them.
    pub(crate) sql: Option<String>,
    /// The query that a conversation continues from, if `sql` has several.
    pub(crate) continued_sql: Option<String>,
    /// Rows captured.
    pub(crate) row_count: Option<usize>,
    /// Whether a limit truncated them.
    pub(crate) is_truncated: Option<bool>,
    /// The fitted confidence.
    pub(crate) confidence: Option<f64>,
    /// The role that verified the replayed example.
    pub(crate) verified_by: Option<String>,
}

/// Writes the record, where that is enabled and possible.
pub(crate) fn record(record: &Record<'_>) -> Result<(), Error> {
    if !settings::enable_history() {
        return Ok(());
    }
    if !can_write() {
        if is_standby() && !HAS_TOLD.replace(true) {
            pgrx::notice!("questions are not recorded in text2sql.history on a standby");
        }
        return Ok(());
    }
    // SAFETY: reads a variable.
    let caller = unsafe { pgrx::pg_sys::GetUserId() };
    as_owner_of(c"history", || {
        record_question(record, caller)?;
        for exchange in &record.trace.exchanges {
            record_exchange(record.trace_id, caller, exchange)?;
        }
        drop_expired()
    })
}

fn record_question(record: &Record<'_>, caller: pgrx::pg_sys::Oid) -> Result<(), Error> {
    let (trace, ended) = (record.trace, &record.ended);
    let milliseconds: f64 = trace.stages.iter().map(|stage| stage.milliseconds).sum();
    let sql = ended.sql.as_deref().map(audit::kept);
    // One currency for all models of a database: the cost in another one is in the egress log alone.
    let costs = trace.costs();
    let cost = costs.first();
    let settings = json_text(&record.settings)?;
    let stages = json_text(&trace.stages)?;
    let arguments = [
        record.trace_id.into(),
        caller.into(),
        record.function.into(),
        record.conversation.into(),
        record.question.into(),
        ended.status.into(),
        ended.sqlstate.clone().into(),
        sql.as_deref().into(),
        ended.row_count.map(count).into(),
        ended.is_truncated.into(),
        ended.confidence.into(),
        ended.verified_by.clone().into(),
        record.model.into(),
        count(trace.model_calls).into(),
        count(trace.requests).into(),
        count(trace.input_tokens).into(),
        count(trace.output_tokens).into(),
        count(trace.prompt_chars).into(),
        milliseconds.into(),
        spi::json(settings),
        spi::json(stages),
        cost.map(Cost::amount).into(),
        cost.map(|cost| cost.currency.clone()).into(),
    ];
    spi::write(RECORD_QUESTION, &arguments, |_| Ok(())).map(drop)
}

fn record_exchange(
    trace_id: pgrx::Uuid,
    caller: pgrx::pg_sys::Oid,
    exchange: &Exchange,
) -> Result<(), Error> {
    let (prompt, reply) = (audit::kept(&exchange.prompt), audit::kept(&exchange.reply));
    let keeps = settings::enable_prompt_history();
    let cost = exchange.cost.as_ref();
    let arguments = [
        trace_id.into(),
        caller.into(),
        exchange.endpoint.as_str().into(),
        exchange.purpose.into(),
        count(prompt.chars().count()).into(),
        audit::sha256(&prompt).into(),
        exchange.disclosed.tables.clone().into(),
        exchange.disclosed.value_columns.clone().into(),
        count(exchange.disclosed.result_rows).into(),
        count(exchange.input_tokens).into(),
        count(exchange.output_tokens).into(),
        exchange.milliseconds.into(),
        keeps.then_some(prompt.as_ref()).into(),
        keeps.then_some(reply.as_ref()).into(),
        cost.map(Cost::amount).into(),
        cost.map(|cost| cost.currency.clone()).into(),
        exchange.disclosed.passages.clone().into(),
        exchange.disclosed.sample_columns.clone().into(),
    ];
    spi::write(RECORD_EXCHANGE, &arguments, |_| Ok(())).map(drop)
}

/// A number as PostgreSQL counts.
fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Deletes records older than text2sql.history_retention, in batches, and kept answers after 30 days at the latest.
fn drop_expired() -> Result<(), Error> {
    let minutes = match settings::history_retention() {
        0 => i32::MAX,
        minutes => minutes,
    };
    let is_due = LAST_PURGE
        .get()
        .is_none_or(|last| last.elapsed() > PURGE_EVERY);
    if !is_due {
        return Ok(());
    }
    LAST_PURGE.set(Some(Instant::now()));
    spi::write(DROP_EXPIRED, &[minutes.into()], |_| Ok(())).map(drop)
}
