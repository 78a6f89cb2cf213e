//! Answers that a role may read again: kept with the turn of its conversation, and deleted with it.
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
use crate::pg::stored::knowledge::stored_sql::{names_and_policies, oids_read};

/// The turn of a question of a role ($1), in a conversation ($2), by its id in the history ($3).
const TURN_OF_QUESTION: &str = "
    SELECT t.turn_id FROM text2sql._conversation_turns AS t
     WHERE t.asked_by = pg_get_userbyid($1) AND t.conversation = $2 AND t.trace_id = $3::uuid";

/// Tables with row-level security, and views that stand in its place: `security_barrier` says that they show some rows to some.
const HAVE_POLICIES: &str = "
    SELECT bool_or(c.relrowsecurity OR EXISTS (
               SELECT FROM pg_options_to_table(c.reloptions) AS o WHERE o.option_name = 'security_barrier' AND o.option_value::boolean))
      FROM pg_class AS c WHERE c.oid = ANY ($1)";

const FORGET_ANSWERS: &str = "
    DELETE FROM text2sql._kept_answers AS k USING text2sql._conversation_turns AS t
     WHERE t.turn_id = k.turn_id AND k.asker = $1 AND ($2 IS NULL OR t.conversation = $2)
    RETURNING t.question";

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
    let search_path = search_path_setting();
    let Some(relations) = relations_of(kept)? else {
        return Ok(());
    };
    as_owner_of(c"_kept_answers", || {
        let arguments = [asker.into(), conversation.into(), trace_id.into()];
        match spi::read_one::<i64>(TURN_OF_QUESTION, &arguments)? {
            Some(turn) => keep(turn, asker, (&search_path, &relations), kept),
            None => Ok(()),
        }
    })
}

/// What the names in the queries of an answer mean to the caller now; `None` of an answer that is not kept: the caller may
/// not run its queries, or policies decide which rows it sees, and may decide otherwise tomorrow.
pub(super) fn relations_of(kept: &KeptAnswer) -> Result<Option<Vec<String>>, Error> {
    let Some(oids) = oids_read(&kept.queries)? else {
        return Ok(None);
    };
    let read = spi::oid_array(oids.iter().copied());
    let has_policies = spi::read_one::<bool>(HAVE_POLICIES, &[read])?;
    match has_policies {
        Some(true) => Ok(None),
        _ => names_and_policies(oids).map(Some),
    }
}

/// Deletes the kept answers of the caller, those of one conversation if it is named; returns their questions.
pub(crate) fn forget(conversation: Option<&str>) -> Result<Vec<String>, Error> {
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    let arguments = [caller.into(), conversation.into()];
    let deleted = as_owner_of(c"_kept_answers", || {
        spi::write(FORGET_ANSWERS, &arguments, |row| row.read::<String>(1))
    })?;
    Ok(deleted.into_iter().flatten().collect())
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
        "clarification": kept.clarification,
    }))?;
    let arguments = [
        turn.into(),
        asker.into(),
        search_path.into(),
        document.into(),
    ];
    spi::write(KEEP_ANSWER, &arguments, |_| Ok(())).map(drop)
}
