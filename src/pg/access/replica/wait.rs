//! Waits for a replica without holding anything, and serves interrupts meanwhile.
//!
//! A thread talks to the replica; it calls nothing of PostgreSQL. Its end of a pair of sockets is closed when it is
//! done, which wakes the main thread. An interrupt raises an ERROR, which unwinds through here, and a FATAL calls the
//! exit callback: both drop [`Waiting`], which sends the replica a cancel request and gives it a moment to arrive.

use std::cell::RefCell;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Once;
use std::thread::JoinHandle;
use std::time::Duration;

use pgrx::pg_sys;
use text2sql_http::SignalsBlocked;
use text2sql_replica::{Canceller, Failure, Outcome, Request, canceller};

use crate::pg::server::limits::latch;

/// The stack of the thread.
const STACK: usize = 2 * 1024 * 1024;

/// How long an interrupted statement waits for its cancel request to arrive.
const CANCEL_WAIT: Duration = Duration::from_millis(500);

thread_local! {
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}

/// A statement on a replica.
struct Waiting {
    canceller: Option<Canceller>,
    thread: Option<JoinHandle<Result<Outcome, Failure>>>,
    done: UnixStream,
}

impl Waiting {
    fn start(request: Request) -> std::io::Result<Self> {
        let (done, theirs) = UnixStream::pair()?;
        done.set_read_timeout(Some(CANCEL_WAIT))?;
        let (canceller, cancelled) = canceller();
        let thread = {
            let _blocked = SignalsBlocked::new();
            std::thread::Builder::new()
                .name("text2sql-replica".to_owned())
                .stack_size(STACK)
                .spawn(move || {
                    let outcome = text2sql_replica::run(&request, cancelled);
                    drop(theirs);
                    outcome
                })?
        };
        Ok(Self {
            canceller: Some(canceller),
            thread: Some(thread),
            done,
        })
    }

    fn outcome(mut self) -> Result<Outcome, Failure> {
        let broken = || Failure::Unreachable("the helper thread failed".to_owned());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            _ => Err(broken()),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.canceller.take());
        if self.thread.is_some() {
            // Ends when the thread has closed its end, or after the timeout: then the thread goes on by itself.
            let _ = self.done.read(&mut [0]);
        }
    }
}

/// Drops what is still waited for, also by unwinding.
struct DropWaiting;

impl Drop for DropWaiting {
    fn drop(&mut self) {
        drop(WAITING.take());
    }
}

/// Runs the statement and waits for its outcome.
pub(super) fn run(request: Request) -> Result<Outcome, Failure> {
    // SAFETY: forgets a snapshot of the catalog that is taken anew when it is needed: it would hold back VACUUM while
    // we wait.
    unsafe { pg_sys::InvalidateCatalogSnapshot() };
    cancel_at_exit();
    let waiting = Waiting::start(request)
        .map_err(|error| Failure::Unreachable(format!("no thread: {}", error.kind())))?;
    let descriptor = waiting.done.as_raw_fd();
    WAITING.replace(Some(waiting));
    let scope = DropWaiting;
    while !latch::sleep(descriptor) {
        pgrx::check_for_interrupts!();
    }
    let waiting = WAITING.take();
    drop(scope);
    match waiting {
        Some(waiting) => waiting.outcome(),
        None => Err(Failure::Cancelled),
    }
}

/// Registers the callback once in each process: a FATAL runs no destructors.
fn cancel_at_exit() {
    static REGISTERED: Once = Once::new();
    // SAFETY: main thread; the callback is a static function that raises nothing.
    REGISTERED.call_once(|| unsafe {
        pg_sys::before_shmem_exit(Some(at_exit), pg_sys::Datum::from(0));
    });
}

unsafe extern "C-unwind" fn at_exit(_code: i32, _argument: pg_sys::Datum) {
    let _ = WAITING.try_with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut() {
            drop(slot.take());
        }
    });
}
