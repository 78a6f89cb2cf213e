//! Answers that a role wants to read again: kept with the turn of its conversation, and deleted with it.
//!
//! Nothing here is read for a prompt.

use pgrx::pg_sys;
use serde_json::json;
use text2sql_domain::error::Error;
use text2sql_domain::kept_answer::KeptAnswer;

use crate::pg::access::objects::search_path_setting;
use crate::pg::server::spi;
use crate::pg::server::spi::json_text::json_text;
use crate::pg::server::spi::owner::{as_owner_of, can_write};
use crate::pg::stored::knowledge::stored_sql::names_and_policies_read;

/// The turn of a question of a role ($1), in a conversation ($2), by its id in the history ($3).
const TURN_OF_QUESTION: &str = "
    SELECT t.turn_id FROM text2sql._conversation_turns AS t
     WHERE t.asked_by = pg_get_userbyid($1) AND t.conversation = $2 AND t.trace_id = $3::uuid";

const KEEP_ANSWER: &str = include_str!("../../../../sql/queries/keep_answer.sql");

/// Keeps the answer to a question that waited for approval, if its turn is still there.
pub(crate) fn keep_late(
    conversation: &str,
    trace_id: &str,
    kept: &KeptAnswer,
) -> Result<(), Error> {
    if !can_write() {
        return Ok(());
    }
    // SAFETY: reads a variable.
    let asker = unsafe { pg_sys::GetUserId() };
    let (search_path, relations) = (search_path_setting(), relations_of(kept)?);
    as_owner_of(c"_kept_answers", || {
        let arguments = [asker.into(), conversation.into(), trace_id.into()];
        match spi::read_one::<i64>(TURN_OF_QUESTION, &arguments)? {
            Some(turn) => keep(turn, asker, (&search_path, &relations), kept),
            None => Ok(()),
        }
    })
}

/// What the names in the queries of an answer mean to the caller now.
pub(super) fn relations_of(kept: &KeptAnswer) -> Result<Vec<String>, Error> {
    // None of those that it may not run: then nobody reads the answer again.
    Ok(names_and_policies_read(&kept.queries)?.unwrap_or_default())
}

/// Keeps an answer with its turn, and the path and the relations of its queries. Called as the owner of the table.
pub(super) fn keep(
    turn: i64,
    asker: pg_sys::Oid,
    (search_path, relations): (&str, &[String]),
    kept: &KeptAnswer,
) -> Result<(), Error> {
    let document = json_text(&json!({
        "queries": kept.queries,
        "relations": relations,
        "answer": kept.answer,
        "result_columns": kept.result_columns,
        "result_rows": kept.result_rows,
        "row_count": kept.row_count,
        "truncated": kept.is_truncated,
        "results": kept.results,
    }))?;
    let arguments = [
        turn.into(),
        asker.into(),
        search_path.into(),
        document.into(),
    ];
    spi::write(KEEP_ANSWER, &arguments, |_| Ok(())).map(drop)
}
