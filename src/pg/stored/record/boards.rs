//! What a role keeps for itself: names of its conversations, and answers on boards, which it may share.
//!
//! Written as the owner of the tables. A pinned answer is a question and its queries, which the caller could run just now;
//! who may read it is decided by the policy of the table whenever it is read.

use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use text2sql_domain::error::{Error, ErrorKind, failure};

use crate::pg::access::objects::search_path_setting;
use crate::pg::server::session::user_oid;
use crate::pg::server::spi;
use crate::pg::server::spi::json_text::take_out_nuls;
use crate::pg::server::spi::owner::as_owner_of;
use crate::pg::stored::knowledge::stored_sql::names_read;

const PIN_ANSWER: &str = include_str!("../../../../sql/queries/pin_answer.sql");
const LABEL: &str = "
    UPDATE text2sql._conversation_turns SET title = $3, is_pinned = $4
     WHERE asked_by = pg_get_userbyid($1) AND conversation = $2 RETURNING turn_id";
const SHARE: &str = "
    UPDATE text2sql._pinned_answers SET shared_with = $3::name[]
     WHERE pinned_by = pg_get_userbyid($1) AND board = $2 RETURNING pin_id";
const UNPIN: &str = include_str!("../../../../sql/queries/unpin_answer.sql");
const UNKNOWN_ROLE: &str = "
    SELECT min(g.name) FROM unnest($1) AS g(name)
     WHERE NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = g.name)";

/// How many answers a role may pin, how many queries they may have in all, and how large each may be: whoever shares its
/// boards reads them as a whole, and each query is judged then, which takes some milliseconds.
const MAX_PINS: i64 = 200;
const MAX_QUERIES_OF_ROLE: i64 = 400;
const MAX_ANSWER_BYTES: usize = 16_384;
const MAX_QUERIES: usize = 20;
/// Characters of a name that a person gives.
const MAX_NAME_CHARS: usize = 100;
/// How many roles a board is shared with.
const MAX_ROLES: usize = 50;

/// What is kept, as text2sql-server says it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kept {
    Conversation(Label),
    Answer(Pin),
    Board(Sharing),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    name: String,
    title: Option<String>,
    #[serde(default)]
    is_pinned: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pin {
    board: String,
    question: String,
    queries: Vec<String>,
    is_asked: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sharing {
    name: String,
    shared_with: Vec<String>,
}

/// Keeps what the JSON document says; returns how many rows that changed.
pub(crate) fn keep(document: &str) -> Result<i64, Error> {
    let kept = serde_json::from_str(document).and_then(|mut value| {
        take_out_nuls(&mut value);
        serde_json::from_value(value)
    });
    let kept = kept.map_err(|error| {
        failure!(Setting, "what is to be kept is not understood").with_source(error)
    })?;
    match kept {
        Kept::Conversation(label) => name_conversation(&label),
        Kept::Answer(pin) => pin_answer(&pin),
        Kept::Board(sharing) => share(&sharing),
    }
}

/// Takes an answer of the caller off its board. Of another role it is the board that goes, for the caller.
pub(crate) fn unpin(pin: Option<i64>) -> Result<(), Error> {
    let pin = pin.ok_or_else(|| failure!(Missing, "id must not be null"))?;
    match write(UNPIN, &[user_oid().into(), pin.into()])? {
        0 => Err(failure!(
            Undefined,
            "answer {pin} is pinned to no board of this role, and to none that is shared with it"
        )
        .with_hint("List them: SELECT pin_id, board, question FROM text2sql._pinned_answers WHERE pinned_by = current_user;")),
        _ => Ok(()),
    }
}

fn name_conversation(label: &Label) -> Result<i64, Error> {
    let title = label.title.as_deref().map(str::trim);
    let title = title.filter(|title| !title.is_empty());
    title.map(check_name).transpose()?;
    let arguments = [
        user_oid().into(),
        label.name.as_str().into(),
        title.into(),
        label.is_pinned.into(),
    ];
    write(LABEL, &arguments)
}

fn pin_answer(pin: &Pin) -> Result<i64, Error> {
    check_name(&pin.board)?;
    let bytes = pin.question.len() + pin.queries.iter().map(String::len).sum::<usize>();
    if bytes > MAX_ANSWER_BYTES || pin.queries.len() > MAX_QUERIES {
        return Err(failure!(
            Limit,
            "an answer that is pinned has at most {MAX_QUERIES} queries, and with them {MAX_ANSWER_BYTES} bytes"
        ));
    }
    let relations = names_read(&pin.queries)?
        .ok_or_else(|| failure!(Setting, "a query of the answer cannot be run"))?;
    let arguments = [
        user_oid().into(),
        pin.board.as_str().into(),
        pin.question.as_str().into(),
        pin.queries.clone().into(),
        pin.is_asked.into(),
        search_path_setting().into(),
        relations.into(),
        MAX_PINS.into(),
        MAX_QUERIES_OF_ROLE.into(),
    ];
    match write(PIN_ANSWER, &arguments)? {
        0 => Err(failure!(
            Limit,
            "a role can pin {MAX_PINS} answers to its boards, with {MAX_QUERIES_OF_ROLE} queries in all"
        )
        .with_hint("Take one off, or delete a board.")),
        count => Ok(count),
    }
}

fn share(sharing: &Sharing) -> Result<i64, Error> {
    let roles = &sharing.shared_with;
    if roles.len() > MAX_ROLES {
        return Err(failure!(
            Limit,
            "a board can be shared with {MAX_ROLES} roles"
        ));
    }
    if let Some(role) = spi::read_one::<String>(UNKNOWN_ROLE, &[roles.clone().into()])? {
        return Err(failure!(Undefined, "role \"{role}\" does not exist"));
    }
    let arguments = [
        user_oid().into(),
        sharing.name.as_str().into(),
        roles.clone().into(),
    ];
    write(SHARE, &arguments)
}

fn check_name(name: &str) -> Result<(), Error> {
    let chars = name.trim().chars().count();
    if (1..=MAX_NAME_CHARS).contains(&chars) {
        return Ok(());
    }
    let problem = format!("a name has 1 to {MAX_NAME_CHARS} characters, this one {chars}");
    Err(Error::new(ErrorKind::Setting, problem))
}

/// Runs a statement as the owner of the tables; returns how many rows it changed.
fn write(statement: &'static str, arguments: &[DatumWithOid<'_>]) -> Result<i64, Error> {
    let changed = as_owner_of(c"_pinned_answers", || {
        spi::write(statement, arguments, |_| Ok(()))
    })?;
    Ok(i64::try_from(changed.len()).unwrap_or(i64::MAX))
}
