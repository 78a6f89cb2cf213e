//! Lines in the server log about everything that leaves the server, written before it leaves:
//! `text2sql_domain::audit` defines their form. A rollback removes rows, but no line of the log.

use std::cell::{Cell, RefCell};

use pgrx::{IntoDatum, Uuid, direct_function_call, pg_sys};
use text2sql_domain::audit::{QuestionLine, RequestLine, Sender};
use text2sql_domain::ports::HttpRequest;
use text2sql_domain::trace::Trace;
use text2sql_models::providers::options;

use crate::pg::server::ereport;
use crate::pg::server::spi::encoding::text_of;

thread_local! {
    /// The question for which requests are sent.
    static TRACE: Cell<Option<Uuid>> = const { Cell::new(None) };
}

/// Runs `work`, whose requests belong to the question with that trace_id.
pub(crate) fn with_trace<T>(trace_id: Uuid, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Uuid>);
    // Restored when an ERROR unwinds as well: the next question must not get this trace_id.
    impl Drop for Restore {
        fn drop(&mut self) {
            TRACE.set(self.0);
        }
    }
    let _restore = Restore(TRACE.replace(Some(trace_id)));
    work()
}

/// Writes the line of a request that is about to be sent.
pub(crate) fn log_request(request: &HttpRequest) {
    let Some(sends) = &request.sends else { return };
    let text = kept(&sends.text);
    let line = RequestLine {
        sender: &sender(TRACE.get()),
        purpose: sends.purpose,
        endpoint: &sends.endpoint,
        host: options::host(&request.url),
        characters: text.chars().count(),
        bytes: request.body.len(),
        sha256: &sha256(&text),
    };
    ereport::log(&line.to_string());
}

/// Writes the line of a question that was sent to an endpoint, whatever its outcome: the model, the status and
/// the cost.
pub(crate) fn log_question(trace_id: Uuid, model: &str, outcome: &str, trace: &Trace) {
    let line = QuestionLine {
        sender: &sender(Some(trace_id)),
        model,
        outcome,
        trace,
    };
    ereport::log(&line.to_string());
}

/// A text that can be stored in a table: a model may write a NUL, which no text of PostgreSQL can contain.
pub(crate) fn kept(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "").into(),
        false => text.into(),
    }
}

thread_local! {
    /// The last text and its SHA-256: a prompt is in the log and in the egress log.
    static LAST: RefCell<(String, String)> = RefCell::default();
}

/// The SHA-256 of a text in UTF-8, as returned by `encode(sha256(convert_to(…, 'UTF8')), 'hex')`.
pub(crate) fn sha256(text: &str) -> String {
    let last = LAST.with_borrow(|(known, hash)| (known == text).then(|| hash.clone()));
    if let Some(hash) = last.filter(|hash| !hash.is_empty()) {
        return hash;
    }
    let hash = sha256_of(text);
    LAST.with_borrow_mut(|last| {
        text.clone_into(&mut last.0);
        last.1.clone_from(&hash);
    });
    hash
}

fn sha256_of(text: &str) -> String {
    // SAFETY: a function of the server's that takes and gives a bytea.
    let hash: Option<Vec<u8>> =
        unsafe { direct_function_call(pg_sys::sha256_bytea, &[text.as_bytes().into_datum()]) };
    hash.into_iter()
        .flatten()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn sender(trace_id: Option<Uuid>) -> Sender {
    // SAFETY: look-ups by OID; each returns a palloc'd, NUL-terminated name or, with `true`, NULL for what is gone.
    unsafe {
        Sender {
            trace_id: trace_id.map(|trace_id| trace_id.to_string()),
            role: text_of(pg_sys::GetUserNameFromId(pg_sys::GetUserId(), true)),
            session_role: text_of(pg_sys::GetUserNameFromId(pg_sys::GetSessionUserId(), true)),
            database: text_of(pg_sys::get_database_name(pg_sys::MyDatabaseId)),
        }
    }
}
