//! Locks of workers that answer submitted questions: on the question, and on one of the places for workers. They
//! belong to the session, because a question takes several transactions.

use std::time::Duration;

use text2sql_domain::error::Error;

use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{HeldBySession, Purpose, take_for_session};

const WORKER_OF_QUESTION: &str = "
    SELECT l.pid FROM pg_locks l
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = $2
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.classid::bigint = ($1 >> 32) AND l.objid::bigint = ($1 & 4294967295)";

const HOLDS_PLACE: &str = "
    SELECT EXISTS (SELECT FROM pg_locks l
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = $1 AND l.pid = $2)";

/// How often a worker looks for a place, and the time between.
const LOOKS: u32 = 5;
const MOMENT: Duration = Duration::from_millis(10);

/// The lock on a question, if no other process answers it.
pub(super) fn take_question(id: i64) -> Option<HeldBySession> {
    take_for_session(Purpose::Question(id), 0)
}

/// Takes one of this many places for workers of the queue of this database, until it is dropped. Who looks whether one is
/// free holds it for a moment: it may take another look.
pub(super) fn take_place(places: u16) -> Option<HeldBySession> {
    let take = || (0..places).find_map(|place| take_for_session(Purpose::WorkerPlace, place));
    (0..LOOKS).find_map(|look| {
        if look > 0 {
            std::thread::sleep(MOMENT);
        }
        take()
    })
}

/// Whether this process holds a place.
pub(super) fn holds_place(process: i32) -> Result<bool, Error> {
    let (class, _) = Purpose::WorkerPlace.class_and_key();
    let holds = spi::read_one::<bool>(HOLDS_PLACE, &[i64::from(class).into(), process.into()])?;
    Ok(holds == Some(true))
}

/// Says to the workers of other calls that this one has no process, until it is dropped.
pub(super) fn want_process() -> Option<HeldBySession> {
    take_for_session(Purpose::WantedProcess, 0)
}

/// Whether another call has no process.
pub(super) fn is_process_wanted() -> bool {
    want_process().is_none()
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
