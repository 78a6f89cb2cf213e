//! A question that was submitted earlier, and the questions of a batch: what is checked when they come, and their answer.

use std::collections::HashMap;

use pgrx::JsonB;
use serde_json::{Value, json};
use text2sql_domain::answer::Status;
use text2sql_domain::citations::Citation;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::kept_answer::KeptAnswer;
use text2sql_domain::ports::{Database, Outcome as Ran};
use text2sql_domain::question::Question;

use super::answer_row::AnswerRow;
use super::converse::converse;
use super::options::QUESTION;
use super::run::Request;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi::json_text::json_text;
use crate::pg::stored::knowledge::stored_sql::names_and_policies_read;
use crate::pg::stored::queue::session_settings;
use crate::pg::stored::queue::start;
use crate::pg::stored::queue::store::{self, Claimed, Keyed, Outcome};
use crate::pg::stored::queue::worker::question_worker;
use crate::pg::stored::record::conversation::Conversation;
use crate::statement::reader_language::in_reader_language;

question_worker!(answer);

/// Maximum length of the name of a batch, in characters, as that of a conversation.
const MAX_NAME_CHARS: usize = 200;

/// Maximum number of questions that a query may give at a time.
const MAX_QUESTIONS: usize = 100_000;

/// Maximum size of the questions that a query gives, in bytes.
const MAX_BYTES: usize = 64 << 20;

const BATCH_HINT: &str =
    "Name the batch: CALL text2sql.ask_batch('SELECT id, question FROM questions', 'monday');";

/// Checks and stores a question of the caller; returns its id.
pub(crate) fn submit(
    question: Option<&str>,
    conversation: Option<&str>,
    options: Option<JsonB>,
) -> Result<i64, Error> {
    store::require_submittable()?;
    let question = Question::required(question)?;
    let conversation = Conversation::named(conversation)?;
    let options = checked(options)?;
    let settings = session_settings::chosen()?;
    let name = conversation.as_ref().map(Conversation::name);
    let id = store::submit(question.as_str(), name, &options, settings)?;
    start::at_commit();
    Ok(id)
}

/// Checks and stores the questions of a batch; returns its name and its number.
pub(crate) fn submit_batch(
    query: Option<&str>,
    batch: Option<&str>,
    options: Option<JsonB>,
) -> Result<(String, i64), Raised> {
    store::require_submittable()?;
    let batch = batch.map(str::trim).filter(|batch| !batch.is_empty());
    let batch =
        batch.ok_or_else(|| failure!(Missing, "the batch has no name").with_hint(BATCH_HINT))?;
    let chars = batch.chars().count();
    if chars > MAX_NAME_CHARS {
        return Err(failure!(
            Setting,
            "the name of the batch has {chars} characters, more than {MAX_NAME_CHARS}"
        )
        .with_hint(BATCH_HINT)
        .into());
    }
    let options = checked(options)?;
    let settings = session_settings::chosen()?;
    let questions = questions(query)?;
    require_one_question_each(&questions)?;
    let scope = store::submit_batch(batch, &options, settings, &questions)?;
    Ok((batch.to_owned(), scope))
}

/// An error where two questions have the same key.
fn require_one_question_each(questions: &[Keyed]) -> Result<(), Error> {
    let mut known = HashMap::new();
    for keyed in questions {
        let other = known.insert(keyed.key.as_str(), keyed.question.as_deref());
        if other.is_some_and(|other| other != keyed.question.as_deref()) {
            return Err(failure!(
                Setting,
                "two questions have the key \"{}\"",
                shortened(&keyed.key)
            )
            .with_hint("Return a key that is unique: SELECT id, question FROM questions"));
        }
    }
    Ok(())
}

/// At most the first characters of a key, for a message.
fn shortened(key: &str) -> String {
    key.chars().take(80).collect()
}

/// The options of a call, as they are stored.
fn checked(options: Option<JsonB>) -> Result<String, Error> {
    let JsonB(value) = options.unwrap_or(JsonB(Value::Null));
    let text = json_text(&value)?;
    QUESTION.read(Some(JsonB(value)))?;
    Ok(text)
}

/// Runs a query of the caller that returns questions, behind the guard.
pub(crate) fn questions(query: Option<&str>) -> Result<Vec<Keyed>, Raised> {
    let query = query.ok_or_else(|| Raised::new("22004", "the query must not be null"))?;
    let mut limits = settings::limits(&Overrides::default());
    limits.max_result_rows = MAX_QUESTIONS;
    limits.max_result_bytes = MAX_BYTES;
    let database = GuardedDatabase::new()?;
    let execution = match in_reader_language(|| Ok::<_, Raised>(database.run(query, &limits)?))? {
        Ran::Passed(execution) => execution,
        Ran::Rejected(rejection) => return Err(Raised::refusal(&rejection, query)),
        Ran::Failed(error) => return Err(Raised::database(error, query)),
    };
    if execution.is_truncated {
        return Err(Raised {
            hint: Some("Ask them in several batches: add a condition to the query.".to_owned()),
            ..Raised::new(
                "54000",
                format!(
                    "the query returns more than {MAX_QUESTIONS} questions, or more than 64 MB"
                ),
            )
        });
    }
    let columns = execution.columns.len();
    if !(1..=2).contains(&columns) {
        return Err(Raised {
            hint: Some("Return the question, or a key and the question: SELECT id, question FROM questions".to_owned()),
            ..Raised::new("42P10", format!("the query returns {columns} columns instead of one or two"))
        });
    }
    let mut rows = Vec::with_capacity(execution.rows.len());
    for row in execution.rows {
        let mut texts = row.into_iter().map(|cell| cell_text(&cell));
        let first = texts.next().flatten();
        let (key, question) = match columns {
            1 => (first.clone().unwrap_or_default(), first),
            _ => {
                let key =
                    first.ok_or_else(|| Raised::new("22004", "a key of the query is null"))?;
                (key, texts.next().flatten())
            }
        };
        rows.push(Keyed { key, question });
    }
    Ok(rows)
}

/// The value of a cell as text: that of a JSON string without its quotes.
fn cell_text(cell: &text2sql_domain::sql_result::Cell) -> Option<String> {
    match serde_json::from_str(cell.json.get()) {
        Ok(Value::Null) => None,
        Ok(Value::String(text)) => Some(text),
        _ => Some(cell.json.get().to_owned()),
    }
}

/// Answers a question that a worker has taken, as the current role.
fn answer(claimed: &Claimed) -> Result<Outcome, Error> {
    let options = serde_json::from_str(&claimed.options).map_err(|error| {
        failure!(Internal, "could not read the stored options").with_source(error)
    })?;
    let options = QUESTION.read(Some(JsonB(options)))?;
    let conversation = claimed.conversation.as_deref();
    let request = Request::submitted(claimed.question.clone(), conversation, options)?;
    let asked = converse(&request)?;
    let row = AnswerRow::of(&asked);
    let mut queries = KeptAnswer::of(&asked.answer, 0).queries;
    queries.extend(asked.answer.citations.iter().filter_map(Citation::query));
    let document = json_text(&json!({
        "status": row.status,
        "sqlstate": row.sqlstate,
        "trace_id": row.trace_id.map(|trace_id| trace_id.to_string()),
        "relations": names_and_policies_read(&queries)?.unwrap_or_default(),
        "queries": queries,
        "answer": row.answer,
        "sql": row.sql,
        "result_columns": row.result_columns,
        "result_rows": row.result_rows,
        "row_count": row.row_count,
        "truncated": row.truncated,
        "confidence": row.confidence,
        "score": row.score,
        "plan": row.plan,
        "engine": row.engine,
        "warnings": row.warnings,
        "withheld": row.withheld,
        "clarification": row.clarification,
        "results": row.results,
        "citations": row.citations,
        "verified_by": row.verified_by,
    }))?;
    Ok(Outcome {
        is_done: asked.answer.status != Status::Failed,
        document,
    })
}
