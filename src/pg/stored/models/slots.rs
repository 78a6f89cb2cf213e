//! How many questions wait for endpoints: at most `text2sql.max_concurrency` backends of a database at the same time,
//! and at most `text2sql.max_concurrency_per_role` of each role. Each holds one of that many advisory locks.

use std::cell::{Cell, RefCell};

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::{HttpRequest, HttpResponse, Transport, TransportError};
use text2sql_domain::schema::quote_identifier;

use super::http::HelperTransport;
use crate::pg::server::session::user_name;
use crate::pg::server::settings;
use crate::pg::server::spi::advisory_locks::{self, Held, Purpose};

thread_local! {
    static WAS_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a slot was refused since the last call of [`forget_refusal`]: a question that nobody waits for can then be
/// asked later instead.
pub(crate) fn was_refused() -> bool {
    WAS_REFUSED.get()
}

pub(crate) fn forget_refusal() {
    WAS_REFUSED.set(false);
}

/// The slots that a waiting question holds: one of its role, and one of the database. The locks belong to the
/// transaction, so an ERROR needs no clean-up.
#[must_use]
pub(crate) struct Slots {
    of_role: Held,
    of_database: Held,
}

impl Slots {
    /// Takes them, if both are free.
    fn take() -> Result<Self, Error> {
        Self::take_both().inspect_err(|_| WAS_REFUSED.set(true))
    }

    fn take_both() -> Result<Self, Error> {
        // SAFETY: reads a variable.
        let role = unsafe { pg_sys::GetUserId() };
        let (all, of_role) = (
            settings::max_concurrency(),
            settings::max_concurrency_per_role(),
        );
        let Some(role_slot) = advisory_locks::take_one_of(Purpose::RoleSlot(role), of_role) else {
            return Err(failure!(Limit, "too many questions of role {} are waiting for a model in this database: {of_role}",
                    quote_identifier(&user_name()))
            .with_hint("Try again later, or ask a superuser to raise text2sql.max_concurrency_per_role in postgresql.conf."));
        };
        let Some(slot) = advisory_locks::take_one_of(Purpose::Slot, all) else {
            role_slot.give_back();
            return Err(failure!(Limit, "too many questions are waiting for a model in this database: {all}")
            .with_hint("Try again later, or ask a superuser to raise text2sql.max_concurrency in postgresql.conf."));
        };
        Ok(Self {
            of_role: role_slot,
            of_database: slot,
        })
    }

    fn give_back(self) {
        self.of_database.give_back();
        self.of_role.give_back();
    }
}

/// Runs `work` while this backend holds the slots of a waiting question.
pub(crate) fn with_slot<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let slots = Slots::take()?;
    let result = work();
    slots.give_back();
    result
}

/// The transport of a question: takes the slots with the first request, so that a question that sends none needs no
/// slot, and keeps them to the end of the question.
#[derive(Default)]
pub(crate) struct SlotTransport {
    held: RefCell<Option<Slots>>,
}

impl SlotTransport {
    /// Takes the slots, unless it holds them.
    pub(crate) fn take(&self) -> Result<(), Error> {
        let mut held = self.held.borrow_mut();
        if held.is_none() {
            *held = Some(Slots::take()?);
        }
        Ok(())
    }

    /// Gives back what it holds.
    pub(crate) fn give_back(&self) {
        if let Some(slots) = self.held.take() {
            slots.give_back();
        }
    }
}

impl Transport for SlotTransport {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        self.take().map_err(|error| busy(&error))?;
        HelperTransport.send(request)
    }

    fn send_all(&self, requests: &[HttpRequest]) -> Vec<Result<HttpResponse, TransportError>> {
        match self.take() {
            Ok(()) => HelperTransport.send_all(requests),
            Err(error) => requests.iter().map(|_| Err(busy(&error))).collect(),
        }
    }
}

fn busy(error: &Error) -> TransportError {
    TransportError::Busy {
        message: error.message().to_owned(),
        hint: error.hint().unwrap_or_default().to_owned(),
    }
}
