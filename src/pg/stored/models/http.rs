//! The transport port: passes a request to the helper thread and waits interruptibly.
//!
//! The wait listens to the latch and to the helper's eventfd, and checks for interrupts each time it wakes: a
//! cancel, a timeout, a termination or a barrier is served immediately. An interrupt raises a PostgreSQL ERROR,
//! which unwinds through here; dropping the call aborts the request. A FATAL does not unwind, so a
//! `before_shmem_exit` callback shuts the helper down as well.
//!
//! The extension holds no SPI connection, subtransaction or snapshot meanwhile, and a limited number of backends
//! wait at the same time ([`slots`](super::slots)).

use std::cell::RefCell;
use std::time::Duration;

use pgrx::pg_sys;
use text2sql_domain::ports::{HttpRequest, HttpResponse, Transport, TransportError};
use text2sql_http::{Call, Helper};

use super::model_program;
use crate::pg::server::limits::latch;
use crate::pg::stored::record::audit;

/// How long a terminating backend waits for the helper thread to end.
const SHUT_DOWN_WAIT: Duration = Duration::from_millis(200);

thread_local! {
    static HELPER: RefCell<Option<Helper>> = const { RefCell::new(None) };
}

/// The HTTP transport of this backend.
pub(crate) struct HelperTransport;

impl Transport for HelperTransport {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let mut replies = self.send_all(std::slice::from_ref(request));
        replies.pop().unwrap_or(Err(TransportError::Cancelled))
    }

    fn send_all(&self, requests: &[HttpRequest]) -> Vec<Result<HttpResponse, TransportError>> {
        // SAFETY: forgets a snapshot of the catalog that is taken anew when it is needed: it would hold
        // back VACUUM while we wait.
        unsafe { pg_sys::InvalidateCatalogSnapshot() };
        // Dropped by an ERROR of the wait: then every pending request is aborted.
        let calls: Vec<Result<(Call, i32), TransportError>> = requests.iter().map(submit).collect();
        let mut replies: Vec<Option<Result<HttpResponse, TransportError>>> = calls
            .iter()
            .map(|call| call.as_ref().err().cloned().map(Err))
            .collect();
        loop {
            let mut waiting = None;
            for (call, reply) in calls.iter().zip(&mut replies) {
                if let (Ok((call, wake_fd)), None) = (call, &reply) {
                    *reply = call.try_take();
                    if reply.is_none() {
                        waiting = Some(*wake_fd);
                    }
                }
            }
            let Some(wake_fd) = waiting else { break };
            latch::sleep(wake_fd);
            HELPER.with_borrow(|slot| slot.as_ref().map(Helper::clear_wake));
            pgrx::check_for_interrupts!();
        }
        replies
            .into_iter()
            .map(|reply| reply.unwrap_or(Err(TransportError::Cancelled)))
            .collect()
    }
}

/// Passes a request to the helper thread.
fn submit(request: &HttpRequest) -> Result<(Call, i32), TransportError> {
    if let Some(program) = &request.connection.program {
        model_program::ensure_running(program, request.timeout)?;
    }
    // A request is recorded before it leaves the server, whatever the outcome of the wait.
    audit::log_request(request);
    HELPER.with_borrow_mut(|slot| {
        if !slot.as_ref().is_some_and(Helper::is_of_this_process) {
            *slot = Some(start()?);
        }
        let helper = slot.as_ref().ok_or(TransportError::Cancelled)?;
        Ok((helper.submit(request.clone()), helper.wake_fd()))
    })
}

fn start() -> Result<Helper, TransportError> {
    let helper = Helper::start()?;
    // SAFETY: main thread; the callback is a static function that raises nothing.
    unsafe { pg_sys::before_shmem_exit(Some(shut_down), pg_sys::Datum::from(0)) };
    Ok(helper)
}

/// Ends the helper thread before the process does: a FATAL runs no destructors.
unsafe extern "C-unwind" fn shut_down(_code: i32, _argument: pg_sys::Datum) {
    // The slot is borrowed only for moments in which nothing can raise an error; if it is borrowed
    // nevertheless, the process ends without shutting down the helper.
    let _ = HELPER.try_with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut()
            && let Some(helper) = slot.take()
            && helper.is_of_this_process()
        {
            helper.shut_down(SHUT_DOWN_WAIT);
        }
    });
}
