//! A pending request, shared by both threads.

use std::sync::{Arc, Mutex, PoisonError};

use text2sql_domain::ports::{HttpResponse, TransportError};
use tokio::task::AbortHandle;

use crate::wake::Wake;

/// The outcome of a request.
pub(crate) type Outcome = Result<HttpResponse, TransportError>;

/// A pending request. Dropping it aborts the request and closes its connection.
#[derive(Debug)]
pub struct Call {
    slot: Arc<Slot>,
    abort: Option<AbortHandle>,
}

/// Where the helper thread stores the outcome.
#[derive(Debug, Default)]
struct Slot(Mutex<Option<Outcome>>);

impl Slot {
    fn put(&self, outcome: Outcome) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }

    fn take(&self) -> Option<Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Call {
    /// Creates a call and the obligation to complete it.
    pub(crate) fn new(wake: Arc<Wake>) -> (Self, Obligation) {
        let slot = Arc::new(Slot::default());
        let obligation = Obligation {
            slot: Arc::clone(&slot),
            wake,
            settled: false,
        };
        (Self { slot, abort: None }, obligation)
    }

    pub(crate) fn aborts_with(&mut self, abort: AbortHandle) {
        self.abort = Some(abort);
    }

    /// Returns the outcome once it is available, and only once. Clear the wake-up before calling this;
    /// in the other order, an outcome that arrives in between is noticed late.
    pub fn try_take(&self) -> Option<Outcome> {
        self.slot.take()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(abort) = &self.abort {
            abort.abort();
        }
    }
}

/// The helper thread's end of a call. It is owned by the task: however the task ends (it returns,
/// panics or is aborted, or its runtime is dropped), the main thread gets an outcome and is woken.
pub(crate) struct Obligation {
    slot: Arc<Slot>,
    wake: Arc<Wake>,
    settled: bool,
}

impl Obligation {
    pub(crate) fn settle(mut self, outcome: Outcome) {
        self.slot.put(outcome);
        self.settled = true;
    }
}

impl Drop for Obligation {
    fn drop(&mut self) {
        if !self.settled {
            self.slot.put(Err(match std::thread::panicking() {
                true => TransportError::Broken("the helper thread failed".to_owned()),
                false => TransportError::Cancelled,
            }));
        }
        self.wake.set();
    }
}
