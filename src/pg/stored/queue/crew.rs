//! The workers that a call has started, and waits for: `work()` and `ask_batch()`.

use std::time::{Duration, Instant};

use pgrx::bgworkers::{BackgroundWorkerStatus, DynamicBackgroundWorker};
use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use super::locks::{is_process_wanted, want_process};
use super::start::{Terms, hand_on, start};
use super::store::{self, Whose};
use crate::pg::server::background::wait_for_worker;
use crate::pg::server::spi::advisory_locks::HeldBySession;
use crate::pg::server::{settings, spi};

/// How often the call looks how far the questions are, in milliseconds; the end of a worker wakes it earlier.
const LOOK_MS: std::ffi::c_long = 200;

/// How long it tries to get a background worker.
const PATIENCE: Duration = Duration::from_secs(10);

/// The workers of a call. Dropped by an ERROR of the call, it interrupts them: they give back what they answer, and those
/// that have not started yet never do.
struct Crew {
    workers: Vec<(pg_sys::Oid, DynamicBackgroundWorker)>,
    is_over: bool,
}

impl Crew {
    /// Forgets the workers that have ended.
    fn muster(&mut self) {
        self.workers.retain(|(_, worker)| {
            matches!(
                worker.pid(),
                Ok(_) | Err(BackgroundWorkerStatus::NotYetStarted)
            )
        });
    }

    fn count_of(&self, login: pg_sys::Oid) -> i64 {
        let own = self.workers.iter().filter(|(whose, _)| *whose == login);
        i64::try_from(own.count()).unwrap_or(i64::MAX)
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        for (_, worker) in self.workers.drain(..) {
            match worker.pid() {
                Ok(process) => store::interrupt_process(process),
                Err(BackgroundWorkerStatus::NotYetStarted) => drop(worker.terminate()),
                Err(_) => {}
            }
        }
    }
}

/// Has the questions answered by at most this many workers at a time, and waits for them. Directly inside
/// [`spi::with_commits`]; holds no snapshot while it waits. `look` is called from time to time, in a transaction.
pub(crate) fn work(
    whose: Whose,
    at_a_time: u16,
    mut look: impl FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    let mut crew = Crew {
        workers: Vec::new(),
        is_over: false,
    };
    let (_, login) = store::caller_and_login();
    // Since when it has no worker, and what tells the workers of other calls.
    let mut without_worker: Option<(Instant, Option<HeldBySession>)> = None;
    loop {
        look()?;
        store::fail_unanswerable()?;
        let logins = store::logins_that_wait(whose)?;
        // What others have submitted comes first: the workers of the call may have had all processes.
        if settings::queue_workers() > 0 {
            hand_on(|| store::login_in_turn(login, true))?;
        }
        spi::commit();
        if logins.is_empty() {
            crew.is_over = true;
            return Ok(());
        }
        crew.muster();
        let lacks_a_slot = !fill(&mut crew, &logins, whose.scope(), at_a_time);
        match (lacks_a_slot && crew.workers.is_empty(), &without_worker) {
            (false, _) => without_worker = None,
            (true, None) => without_worker = Some((Instant::now(), want_process())),
            (true, Some((since, _))) if since.elapsed() > PATIENCE => {
                return Err(failure!(
                    Limit,
                    "could not start a background worker: all of them are in use"
                )
                .with_hint(
                    "Try again later, or increase max_worker_processes; the questions wait.",
                ));
            }
            (true, Some(_)) => {}
        }
        wait_for_worker(LOOK_MS);
    }
}

/// Starts workers until there are as many as wanted, one for each role in turn; `false` where the server has none left.
fn fill(
    crew: &mut Crew,
    logins: &[(pg_sys::Oid, i64)],
    scope: Option<i64>,
    at_a_time: u16,
) -> bool {
    // SAFETY: set at process start, read only.
    let caller = unsafe { pg_sys::MyProcPid };
    loop {
        let mut has_started = false;
        for &(login, questions) in logins {
            let is_enough = crew.workers.len() >= usize::from(at_a_time)
                || !crew.workers.is_empty() && is_process_wanted();
            if is_enough {
                return true;
            }
            if crew.count_of(login) >= questions {
                continue;
            }
            let terms = Terms {
                login,
                is_its_turn: true,
                caller,
                scope,
            };
            match start_for_call(terms, caller) {
                Some(worker) => crew.workers.push((login, worker)),
                None => return false,
            }
            has_started = true;
        }
        if !has_started {
            return true;
        }
    }
}

/// Starts a worker whose handle lives as long as the CALL: the memory of a transaction is freed at each commit.
fn start_for_call(terms: Terms, caller: i32) -> Option<DynamicBackgroundWorker> {
    // SAFETY: main thread; the context of the portal of the CALL outlives its commits, and starting raises no ERROR but one
    // that ends the CALL.
    unsafe {
        let before = pg_sys::MemoryContextSwitchTo(pg_sys::PortalContext);
        let started = start(terms, caller);
        pg_sys::MemoryContextSwitchTo(before);
        started
    }
}
