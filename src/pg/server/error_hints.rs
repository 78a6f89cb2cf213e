//! Hints for errors that PostgreSQL raises before a function of this extension is called: a call of `ask_rows` or
//! `run` without a column definition list fails when it is parsed, as does one of a function that has another name now,
//! and one by a role without the privilege when it is planned or started.
//!
//! The hook runs while the error is being reported. It therefore reads no catalog and raises nothing: it has what the
//! error says, the text of the query, and what this session remembers. PostgreSQL calls it for errors that are also
//! written to the server's log, which they are by default, and only where the library is loaded.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use pgrx::{PgLogLevel, pg_sys};

use crate::pg::server::renamed;

/// How many answers the session remembers the columns of.
const MAX_REMEMBERED: usize = 16;

/// Longer calls are not repeated in a hint.
const MAX_CALL_CHARS: usize = 400;

/// The untranslated message of a function that returns `record` in FROM without a column definition list.
const NO_COLUMN_LIST: &[u8] =
    b"a column definition list is required for functions returning \"record\"";
const FUNCTION_DENIED: &[u8] = b"permission denied for function %s";
const PROCEDURE_DENIED: &[u8] = b"permission denied for procedure %s";
const SCHEMA_DENIED: &[u8] = b"permission denied for schema %s";
const NO_FUNCTION: &[u8] = b"function %s does not exist";
const NO_PROCEDURE: &[u8] = b"procedure %s does not exist";
const NO_SETTING: &[u8] = b"unrecognized configuration parameter \"%s\"";
const NO_RELATION: &[u8] = b"relation \"%s.%s\" does not exist";
const WRONG_SETTING: &[u8] = b"invalid configuration parameter name \"%s\"";

/// The functions that return `record`.
const RECORD_FUNCTIONS: [&str; 2] = ["ask_rows", "run"];

/// The list of privileges, as it is installed.
const GRANTS: &str = include_str!("../../../sql/schema/grants.sql");

/// The levels of `grant_access`, which are the audiences of [`GRANTS`].
const LEVELS: [&str; 4] = ["usage", "curator", "approver", "evaluation"];

/// The functions that no audience has and that a role can call with EXECUTE. The others write to tables that only the
/// owner of the extension may write to.
const GRANTED_ALONE: [&str; 4] = ["add_model", "drop_history", "protect", "set_prompt"];

/// What the role needs to create a model besides.
const GRANT_WRAPPER: &str =
    "GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO \"name of this role\";";

static PREVIOUS: OnceLock<pg_sys::emit_log_hook_type> = OnceLock::new();

thread_local! {
    /// The answers of this session, the latest last.
    static COLUMN_LISTS: RefCell<VecDeque<ColumnList>> = const { RefCell::new(VecDeque::new()) };
}

/// The column definition list of an answer. Another role may have other columns, and must not see these.
struct ColumnList {
    role: pg_sys::Oid,
    question: String,
    text: String,
}

/// Installs the hook in front of an existing one. Called once, from `_PG_init`.
pub(crate) fn watch() {
    // SAFETY: a process' only thread, while the library is being loaded.
    unsafe {
        if PREVIOUS.set(pg_sys::emit_log_hook).is_ok() {
            pg_sys::emit_log_hook = Some(on_error);
        }
    }
}

/// Remembers the column definition list of the answer to a question.
pub(crate) fn remember_columns(question: &str, definition_list: String) {
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() };
    COLUMN_LISTS.with_borrow_mut(|lists| {
        lists.retain(|list| list.role != role || list.question != question);
        if lists.len() == MAX_REMEMBERED {
            lists.pop_front();
        }
        lists.push_back(ColumnList {
            role,
            question: question.to_owned(),
            text: definition_list,
        });
    });
}

/// Not wrapped by pgrx: it would turn a panic into an error, inside the report of another.
unsafe extern "C-unwind" fn on_error(error: *mut pg_sys::ErrorData) {
    // SAFETY: the arguments as PostgreSQL gave them.
    unsafe {
        if let Some(Some(previous)) = PREVIOUS.get() {
            previous(error);
        }
        let Some(reported) = error.as_mut() else {
            return;
        };
        if reported.elevel != PgLogLevel::ERROR as c_int {
            return;
        }
        let hint = catch_unwind(AssertUnwindSafe(|| hint_for(reported)));
        if let Ok(Some(hint)) = hint {
            // In the memory of the error, which is current.
            reported.hint = pg_sys::pstrdup(hint.as_ptr());
        }
    }
}

/// The hint for an error, in the server's encoding.
///
/// # Safety
/// Texts of the error and of the query are NULL or NUL-terminated.
unsafe fn hint_for(error: &pg_sys::ErrorData) -> Option<CString> {
    // SAFETY: promised by the caller.
    let (untranslated, message, inner, outer) = unsafe {
        (
            bytes(error.message_id)?,
            text(error.message)?,
            text(error.internalquery),
            text(pg_sys::debug_query_string),
        )
    };
    // PostgreSQL's own hint where a function is missing says nothing of other names.
    if !error.hint.is_null() && !matches!(untranslated, NO_FUNCTION | NO_PROCEDURE) {
        return None;
    }
    // A query that a function runs has a position of its own.
    let (query, position) = match inner {
        Some(query) => (query, error.internalpos),
        None => (outer?, error.cursorpos),
    };
    let hint = match untranslated {
        NO_COLUMN_LIST => missing_columns(call_at(&query, position)?),
        FUNCTION_DENIED | PROCEDURE_DENIED | SCHEMA_DENIED => missing_privilege(&message, &query)?,
        NO_FUNCTION | NO_PROCEDURE | NO_SETTING | NO_RELATION | WRONG_SETTING => {
            other_name(&message)?
        }
        _ => return None,
    };
    // SAFETY: reads a setting of the database.
    let is_utf8 = unsafe { pg_sys::GetDatabaseEncoding() } == pg_sys::pg_enc::PG_UTF8.cast_signed();
    if !is_utf8 && !hint.is_ascii() {
        return None;
    }
    CString::new(hint).ok()
}

/// The column definition list that a call lacks, if this session knows it, or how to find it out.
fn missing_columns(call: &str) -> String {
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() };
    let known = COLUMN_LISTS.try_with(|lists| {
        let lists = lists.try_borrow().ok()?;
        let mut called = lists.iter().filter(|list| {
            let literal = list.question.replace('\'', "''");
            list.role == role && call.contains(&format!("'{literal}'"))
        });
        called.next_back().map(|list| list.text.clone())
    });
    if let Ok(Some(list)) = known {
        return list;
    }
    let example = "AS t(month date, orders bigint)";
    match call.chars().count() <= MAX_CALL_CHARS {
        true => format!(
            "Name the columns of the rows, as in {example}. SELECT {call} says which they are."
        ),
        false => format!("Name the columns of the rows, as in {example}."),
    }
}

/// The call that begins at a position of a query, counted in characters from 1, up to its closing parenthesis, if it
/// is one of a function of this extension that returns `record`.
fn call_at(query: &str, position: c_int) -> Option<&str> {
    let characters = usize::try_from(position).ok()?.checked_sub(1)?;
    let (start, _) = query.char_indices().nth(characters)?;
    let call = query.get(start..)?;
    let (name, _) = call.split_once('(')?;
    let name = name.trim_end().to_ascii_lowercase();
    let name = name.strip_prefix("text2sql.").unwrap_or(&name);
    if !RECORD_FUNCTIONS.contains(&name) {
        return None;
    }
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (place, character) in call.char_indices() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted && depth == 1 => return call.get(..=place),
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// What replaced the function, setting or view that does not exist.
fn other_name(message: &str) -> Option<String> {
    let start = message.find("text2sql")?;
    let name = message.get(start..)?.split(['(', '"']).next()?;
    let name = name.strip_prefix("text2sql.").unwrap_or(name);
    let successor = renamed::successor(name)?;
    Some(format!(
        "It is {successor} now: docs/reference/renamed.md lists what has another name."
    ))
}

/// How a role gets what it lacks.
fn missing_privilege(message: &str, query: &str) -> Option<String> {
    let name = message.rsplit(' ').next()?;
    let query = query.to_ascii_lowercase();
    let is_called = |schema: &str| query.contains(&format!("{schema}.{name}"));
    let level = match name {
        "text2sql" => Some("usage"),
        "text2sql_eval" => Some("evaluation"),
        // They decide about several things, each of which is for a level of its own.
        "accept" | "reject" if query.contains("'query'") => Some("approver"),
        "accept" if query.contains("'proposal'") => Some("evaluation"),
        _ if is_called("text2sql") || is_called("text2sql_eval") => level_of(name),
        _ => return None,
    };
    let statement = match level {
        Some("usage") => "SELECT text2sql.grant_access('name of this role');".to_owned(),
        Some(level) => format!("SELECT text2sql.grant_access('name of this role', '{level}');"),
        // Parts of the implementation are for nobody.
        None if name.starts_with('_') => return None,
        None if !GRANTED_ALONE.contains(&name) => {
            return Some("Only superusers and the owner of the extension can call it.".to_owned());
        }
        None => {
            let execute =
                format!("GRANT EXECUTE ON ROUTINE text2sql.{name} TO \"name of this role\";");
            match name {
                "add_model" => format!("{execute} {GRANT_WRAPPER}"),
                _ => execute,
            }
        }
    };
    let granting = format!("The owner of the extension can grant it: {statement}");
    // Where the schema is closed, nothing was looked for in it.
    let of_schema = query
        .find(&format!("{name}."))
        .and_then(|at| query.get(at..));
    Some(match of_schema.and_then(other_name) {
        Some(other) => format!("{other} {granting}"),
        None => granting,
    })
}

/// The level of access that includes the privilege to call that function; `None` where none does.
fn level_of(name: &str) -> Option<&'static str> {
    let before = GRANTS.split_once(&format!("'{name}'"))?.0;
    let (place, level) = LEVELS
        .into_iter()
        .filter_map(|level| {
            let place = before.rfind(&format!("('{level}', ARRAY["))?;
            Some((place, level))
        })
        .max()?;
    before.get(place..)?.contains("'routine'").then_some(level)
}

/// # Safety
/// NULL, or NUL-terminated for as long as it is used.
unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: promised by the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// The text as UTF-8; of another encoding what is ASCII, which is all that is searched for.
///
/// # Safety
/// NULL, or NUL-terminated for as long as it is used.
unsafe fn text<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: promised by the caller.
    unsafe { bytes(text) }.map(String::from_utf8_lossy)
}
