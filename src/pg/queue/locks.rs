//! Locks of workers that answer submitted questions: on the question, and on one of the places for workers. They
//! belong to the session, because a question takes several transactions.

use text2sql_domain::error::Error;

use crate::pg::spi;
use crate::pg::spi::advisory_locks::{HeldBySession, Purpose, take_for_session};

const WORKER_OF_QUESTION: &str = "
    SELECT l.pid FROM pg_locks l
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = $2
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.classid::bigint = ($1 >> 32) AND l.objid::bigint = ($1 & 4294967295)";

/// The lock on a question, if no other process answers it.
pub(super) fn take_question(id: i64) -> Option<HeldBySession> {
    take_for_session(Purpose::Question(id), 0)
}

/// Takes one of this many places for workers of this database, until it is dropped.
pub(super) fn take_place(places: u16) -> Option<HeldBySession> {
    (0..places).find_map(|place| take_for_session(Purpose::WorkerPlace, place))
}

/// The right to leave a place to another worker and to take it again. One worker at a time has it: those that wait would
/// take the processes that others need.
pub(super) fn take_hand_over() -> Option<HeldBySession> {
    take_for_session(Purpose::HandOver, 0)
}

/// Whether one of this many places is free at this moment.
pub(super) fn is_place_free(places: u16) -> bool {
    let mut taken = (0..places).filter_map(|place| take_for_session(Purpose::WorkerPlace, place));
    taken.next().is_some()
}

/// The process that answers a question.
pub(super) fn worker_of(id: i64) -> Result<Option<i32>, Error> {
    let (class, _) = Purpose::Question(id).class_and_key();
    spi::read_one(WORKER_OF_QUESTION, &[id.into(), i64::from(class).into()])
}
