//! The helper thread: start, requests and shutdown.

use std::io;
use std::os::fd::RawFd;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use text2sql_domain::ports::{HttpRequest, TransportError};
use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

use crate::call::{Call, Outcome};
use crate::client::Clients;
use crate::retry::Timing;
use crate::send::send;
use crate::signals::SignalsBlocked;
use crate::wake::Wake;

/// The default stack size of PostgreSQL's main thread; the helper thread needs a fraction of it.
const STACK: usize = 2 * 1024 * 1024;

/// Threads for name look-ups, which block. More than one, so that one unresponsive name server does not
/// delay the look-ups of other calls.
const LOOKUP_THREADS: usize = 4;

/// Maximum timeout: `Instant` would overflow for the largest durations.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The helper thread of this process.
///
/// It can be shared between threads and its methods take `&self`, so that it can be stored in a static
/// that an exit callback can access. Dropping it shuts it down.
#[derive(Debug)]
pub struct Helper {
    process: u32,
    runtime: Handle,
    clients: Arc<Clients>,
    wake: Arc<Wake>,
    end: Arc<Notify>,
    thread: Mutex<Option<Thread>>,
}

#[derive(Debug)]
struct Thread {
    handle: JoinHandle<()>,
    /// Disconnects when the thread is done; `join` has no timeout.
    done: Receiver<()>,
}

impl Helper {
    /// Starts the thread. Call it from the main thread, and never before a fork.
    pub fn start() -> Result<Self, TransportError> {
        Self::start_with(Timing::default())
    }

    /// Starts the thread with non-default delays.
    pub fn start_with(timing: Timing) -> Result<Self, TransportError> {
        Self::launch(timing).map_err(|error| {
            TransportError::Connect(format!("the helper thread cannot start: {}", error.kind()))
        })
    }

    fn launch(timing: Timing) -> io::Result<Self> {
        let wake = Arc::new(Wake::new()?);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(LOOKUP_THREADS)
            .thread_name("text2sql-dns")
            .build()?;
        let handle = runtime.handle().clone();
        let end = Arc::new(Notify::new());
        let ended = Arc::clone(&end);
        let (alive, done) = mpsc::channel::<()>();
        let thread = {
            let _blocked = SignalsBlocked::new();
            std::thread::Builder::new()
                .name("text2sql-http".to_owned())
                .stack_size(STACK)
                .spawn(move || {
                    let _alive = alive;
                    runtime.block_on(ended.notified());
                    // Drops all tasks and hence all connections, but does not wait for name look-ups.
                    runtime.shutdown_background();
                })?
        };
        Ok(Self {
            process: std::process::id(),
            runtime: handle,
            clients: Arc::new(Clients::new(timing)),
            wake,
            end,
            thread: Mutex::new(Some(Thread {
                handle: thread,
                done,
            })),
        })
    }

    /// Whether the thread was started by this process. After a fork the child has this value but
    /// no thread; it must discard the value and start its own thread.
    pub fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    /// Sends a request. Any number of calls may be pending; each has its own deadline, which
    /// starts now.
    pub fn submit(&self, request: HttpRequest) -> Call {
        let deadline = Instant::now() + request.timeout.min(MAX_TIMEOUT);
        let clients = Arc::clone(&self.clients);
        self.run(async move { send(request, deadline.into(), &clients).await })
    }

    fn run(&self, work: impl Future<Output = Outcome> + Send + 'static) -> Call {
        let (mut call, obligation) = Call::new(Arc::clone(&self.wake));
        if !self.is_running() {
            let gone = "the helper thread is not running".to_owned();
            obligation.settle(Err(TransportError::Connect(gone)));
            return call;
        }
        let task = self.runtime.spawn(async move {
            let outcome = work.await;
            obligation.settle(outcome);
        });
        call.aborts_with(task.abort_handle());
        call
    }

    fn is_running(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_of_this_process() && thread.as_ref().is_some_and(|t| !t.handle.is_finished())
    }

    /// A descriptor that becomes readable when a call may have an outcome. All calls share it.
    pub fn wake_fd(&self) -> RawFd {
        self.wake.descriptor()
    }

    /// Makes [`Helper::wake_fd`] unreadable again. Check all calls afterwards.
    pub fn clear_wake(&self) {
        self.wake.clear();
    }

    /// Aborts all calls and waits up to `at_most` for the thread to end. Returns whether it ended;
    /// if not, it will end by itself. Later calls fail immediately. May be called more than once, and
    /// does nothing in a forked child.
    pub fn shut_down(&self, at_most: Duration) -> bool {
        if !self.is_of_this_process() {
            return true;
        }
        self.end.notify_one();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(Thread { handle, done }) = thread else {
            return true;
        };
        match done.recv_timeout(at_most) {
            Err(RecvTimeoutError::Timeout) => false,
            _ => handle.join().is_ok(),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.shut_down(Duration::from_millis(200));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(call: &Call) -> Outcome {
        let started = Instant::now();
        loop {
            if let Some(outcome) = call.try_take() {
                return outcome;
            }
            assert!(started.elapsed() < Duration::from_secs(5), "no outcome");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_panic_in_a_job_is_an_error_of_that_job_only() {
        let helper = Helper::start().unwrap();
        let failing = helper.run(async { panic!("a bug in a job") });
        assert_eq!(
            outcome(&failing).unwrap_err(),
            TransportError::Broken("the helper thread failed".to_owned())
        );
        let next = helper.run(async { Err(TransportError::Dns) });
        assert_eq!(outcome(&next).unwrap_err(), TransportError::Dns);
    }

    #[test]
    fn a_call_after_the_end_fails_at_once() {
        let helper = Helper::start().unwrap();
        assert!(helper.shut_down(Duration::from_secs(1)));
        assert!(helper.shut_down(Duration::ZERO));
        let late = helper.run(async { Err(TransportError::Dns) });
        assert!(matches!(
            late.try_take(),
            Some(Err(TransportError::Connect(_)))
        ));
    }

    #[test]
    fn the_end_settles_every_call() {
        let helper = Helper::start().unwrap();
        let calls: Vec<Call> = (0..3).map(|_| helper.run(std::future::pending())).collect();
        assert!(helper.shut_down(Duration::from_secs(1)));
        for call in &calls {
            assert_eq!(
                call.try_take().unwrap().unwrap_err(),
                TransportError::Cancelled
            );
        }
    }

    #[test]
    fn a_forked_child_knows_that_the_thread_is_not_its_own() {
        let mut helper = Helper::start().unwrap();
        assert!(helper.is_of_this_process());
        helper.process += 1;
        assert!(!helper.is_of_this_process());
        let call = helper.run(std::future::pending());
        assert!(call.try_take().unwrap().is_err());
        helper.process -= 1;
    }
}
