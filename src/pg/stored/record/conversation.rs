//! The questions of a conversation: stored for the role that asked, as the owner of the table, so that roles
//! cannot change turns of others.
//!
//! Where nothing can be written, on a standby and in a read-only transaction, earlier turns are still read, and
//! a WARNING, once in a session, reports that the question is not recorded.

use std::cell::Cell;

use serde_json::json;
use text2sql_domain::config::Egress;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::kept_answer::KeptAnswer;
use text2sql_engine::conversation::Turn;

use super::kept_answers;
use crate::pg::access::objects::search_path_setting;
use crate::pg::server::spi;
use crate::pg::server::spi::json_text::json_text;
use crate::pg::server::spi::owner::{as_owner_of, can_write, is_standby};

const FORGET_TURNS: &str = include_str!("../../../../sql/queries/forget_turns.sql");
const RECALL_TURNS: &str = include_str!("../../../../sql/queries/recall_turns.sql");
const REMEMBER_TURN: &str = include_str!("../../../../sql/queries/remember_turn.sql");

/// Maximum length of a conversation's name, in characters: enough for any identifier used by a program.
const MAX_NAME_CHARS: usize = 200;

thread_local! {
    static HAS_WARNED: Cell<bool> = const { Cell::new(false) };
}

/// A conversation of the calling role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conversation(String);

impl Conversation {
    /// Checks the given name; NULL means no conversation.
    pub(crate) fn named(name: Option<&str>) -> Result<Option<Self>, Error> {
        let Some(name) = name.map(str::trim) else {
            return Ok(None);
        };
        let refused = |message: String| {
            Err(Error::new(ErrorKind::Setting, message)
                .with_hint("Name the conversation: SELECT * FROM text2sql.ask('and by month?', conversation => 'monday');"))
        };
        if name.is_empty() {
            return refused("conversation name must not be empty".to_owned());
        }
        let chars = name.chars().count();
        if chars > MAX_NAME_CHARS {
            return refused(format!(
                "conversation name has {chars} characters, more than {MAX_NAME_CHARS}"
            ));
        }
        Ok(Some(Self(name.to_owned())))
    }

    /// The name.
    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    /// The latest turns that a question may continue, oldest first.
    pub(crate) fn turns(&self, max_turns: i32) -> Result<Vec<Turn>, Error> {
        // SAFETY: reads a variable.
        let caller = unsafe { pgrx::pg_sys::GetUserId() };
        as_owner_of(c"_conversation_turns", || {
            let arguments = [caller.into(), self.name().into(), max_turns.into()];
            spi::read_rows(RECALL_TURNS, &arguments, 0, |row| {
                let readings: Option<Vec<Option<String>>> = row.read(4)?;
                Ok(Turn {
                    question: row.read(1)?.unwrap_or_default(),
                    standalone: row.read(2)?,
                    sql: row.read(3)?,
                    readings: readings.into_iter().flatten().flatten().collect(),
                    egress: egress_named(row.read::<String>(5)?.as_deref()),
                    meaning: row
                        .read::<String>(6)?
                        .and_then(|text| serde_json::from_str(&text).ok()),
                })
            })
        })
    }

    /// Stores a question and its outcome, and what is kept of the answer, where that is possible.
    pub(crate) fn remember(
        &self,
        trace_id: pgrx::Uuid,
        status: &str,
        turn: &Turn,
        kept: Option<&KeptAnswer>,
    ) -> Result<(), Error> {
        if !can_write() {
            if !HAS_WARNED.replace(true) {
                let place = match is_standby() {
                    true => "on a standby",
                    false => "in a read-only transaction",
                };
                pgrx::warning!("conversation \"{}\" is not recorded {place}", self.name());
            }
            return Ok(());
        }
        // SAFETY: reads a variable.
        let caller = unsafe { pgrx::pg_sys::GetUserId() };
        let document = json!({
            "asker": caller.to_u32(),
            "conversation": self.name(),
            "trace_id": trace_id.to_string(),
            "question": turn.question,
            "standalone": turn.standalone,
            "status": status,
            "sql": turn.sql,
            "readings": turn.readings,
            "egress": turn.egress.as_str(),
            "meaning": turn.meaning,
        });
        let document = json_text(&document)?;
        let path = search_path_setting();
        let kept = match kept {
            Some(kept) => kept_answers::relations_of(kept)?.map(|relations| (kept, relations)),
            None => None,
        };
        as_owner_of(c"_conversation_turns", || {
            let turn = spi::write(REMEMBER_TURN, &[document.into()], |row| row.read::<i64>(1))?;
            match (turn.into_iter().flatten().next(), kept) {
                (Some(turn), Some((kept, relations))) => {
                    kept_answers::keep(turn, caller, (&path, &relations), kept)
                }
                _ => Ok(()),
            }
        })
    }
}

/// Deletes the caller's turns of a conversation; returns their questions. Done as the owner: a DELETE privilege
/// would allow the caller to lock the table, which every question accesses.
pub(crate) fn forget(conversation: &str) -> Result<Vec<String>, Error> {
    // SAFETY: reads a variable.
    let caller = unsafe { pgrx::pg_sys::GetUserId() };
    let deleted = as_owner_of(c"_conversation_turns", || {
        spi::write(FORGET_TURNS, &[caller.into(), conversation.into()], |row| {
            row.read::<String>(1)
        })
    })?;
    Ok(deleted.into_iter().flatten().collect())
}

/// An unknown name counts as the widest egress, so that the least is shown.
fn egress_named(name: Option<&str>) -> Egress {
    match name {
        Some("schema") => Egress::Schema,
        Some("values") => Egress::Values,
        _ => Egress::Rows,
    }
}
