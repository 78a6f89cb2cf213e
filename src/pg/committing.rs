//! The transport of a procedure that may commit: while a model thinks, nothing is held, not even the
//! caller's snapshot, which would keep VACUUM from what was deleted meanwhile.
//!
//! The first request commits. Nothing was run for the question before it, so no captured row depends on
//! the transaction; later requests need no further commit, because by then no snapshot is left but the
//! catalog's, which is let go.

use std::cell::{Cell, RefCell};

use pgrx::pg_sys;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::ports::{HttpRequest, HttpResponse, Transport, TransportError};

use crate::pg::http::{HelperTransport, with_slot};
use crate::pg::spi;

/// Speaks HTTP for this backend, and commits first. Only inside [`spi::with_commits`].
pub(crate) struct CommittingTransport {
    asker: pg_sys::Oid,
    has_committed: Cell<bool>,
    failure: RefCell<Option<Error>>,
}

impl CommittingTransport {
    /// Keeps in mind who asks.
    pub(crate) fn new() -> Self {
        Self {
            // SAFETY: reads a variable.
            asker: unsafe { pg_sys::GetUserId() },
            has_committed: Cell::new(false),
            failure: RefCell::new(None),
        }
    }

    /// The error that ended the question: our own where the pipeline met it as a cancelled request.
    pub(crate) fn cause_of(&self, error: Error) -> Error {
        self.failure.take().unwrap_or(error)
    }

    fn let_go(&self) -> Result<(), Error> {
        if !self.has_committed.replace(true) {
            spi::commit();
        }
        // SAFETY: the first forgets a snapshot that is taken anew when it is needed, the second reads a
        // variable.
        let asker = unsafe {
            pg_sys::InvalidateCatalogSnapshot();
            pg_sys::GetUserId()
        };
        if asker != self.asker {
            return Err(Error::new(
                ErrorKind::Setup,
                "the commit before waiting for the model took back SET LOCAL ROLE",
            )
            .with_hint("SET ROLE before the CALL, without LOCAL"));
        }
        Ok(())
    }
}

impl Transport for CommittingTransport {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let mut replies = self.send_all(std::slice::from_ref(request));
        replies.pop().unwrap_or(Err(TransportError::Cancelled))
    }

    fn send_all(&self, requests: &[HttpRequest]) -> Vec<Result<HttpResponse, TransportError>> {
        // The slot is a lock of the transaction: it comes after the commit.
        let sent = self
            .let_go()
            .and_then(|()| with_slot(|| Ok(HelperTransport.send_all(requests))));
        sent.unwrap_or_else(|error| {
            self.failure.replace(Some(error));
            let cancelled = || Err(TransportError::Cancelled);
            requests.iter().map(|_| cancelled()).collect()
        })
    }
}
