//! The background worker of one database: does what is due, and ends. See `maintenance` for who starts it.
//!
//! It must not be in anybody's way: it writes in short transactions, ends between two of them when the database is to
//! be dropped or the index is needed (`crate::pg::search::refresh::locks`), waits for no lock for long, and leaves the server
//! alone for longer after each failure. It ends with status 0 also after an error, which it logs once for each cause.

use std::ffi::CStr;
use std::time::{Duration, Instant};

use pgrx::bgworkers::BackgroundWorker;
use pgrx::{pg_guard, pg_sys};
use text2sql_domain::error::Error;

use crate::pg::search::maintenance::{reader, schedule};
use crate::pg::search::refresh::locks::Lock;
use crate::pg::search::refresh::{self, Maintained, Task};
use crate::pg::search::search_index;
use crate::pg::server::background::is_database_wanted;
use crate::pg::server::background::{in_transaction, set};
use crate::pg::server::compat::signals;
use crate::pg::server::ereport;
use crate::pg::server::installed_version::require_same_version;
use crate::pg::server::settings;
use crate::pg::server::spi::encoding::server_text;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::stored::queue;

/// Changes rarely come alone: after some, the worker looks again after this time.
const PAUSE: Duration = Duration::from_secs(1);

/// How often it looks again before the next worker takes over.
const MAX_ROUNDS: usize = 30;

/// How often it looks in a pause whether somebody needs the database.
const STEP: Duration = Duration::from_millis(100);

/// Settings of the worker, whatever those of the database are. The worker would rather end than be in the way: in a
/// deadlock the one whose timeout is over first is the victim.
const SETTINGS: &[(&CStr, &CStr)] = &[
    (c"application_name", c"pg_text2sql maintenance"),
    (c"default_transaction_read_only", c"off"),
    (c"default_transaction_isolation", c"read committed"),
    (c"statement_timeout", c"0"),
    (c"idle_in_transaction_session_timeout", c"0"),
    (c"lock_timeout", c"2s"),
    (c"deadlock_timeout", c"100ms"),
    (c"session_replication_role", c"origin"),
    // Unknown to PostgreSQL 15 and 16.
    (c"transaction_timeout", c"0"),
    (c"event_triggers", c"off"),
];

/// The main function of the worker.
///
/// # Safety
/// For PostgreSQL to call.
#[pg_guard]
#[unsafe(no_mangle)]
#[doc(hidden)]
pub unsafe extern "C-unwind" fn text2sql_maintenance_worker(database: pg_sys::Datum) {
    signals::end_at_sigterm();
    let database = u32::try_from(database.value()).unwrap_or(0);
    BackgroundWorker::connect_worker_to_spi_by_oid(Some(database.into()), None);
    // SAFETY: the only thread, outside a transaction. A connection of SPI that may commit keeps its memory there.
    unsafe { pg_sys::PortalContext = pg_sys::TopMemoryContext };
    for (name, value) in SETTINGS {
        set(name, value);
    }
    // Questions whose worker has ended, or that nobody could begin to answer.
    if let Err(failure) = in_transaction(queue::take_up)
        && !failure.is_in_the_way()
    {
        ereport::log(&format!(
            "text2sql: submitted questions could not be taken up: {}",
            failure.with_hint()
        ));
    }
    let mut is_first = true;
    for _ in 0..MAX_ROUNDS {
        let next = round(is_first);
        if next == Next::End || !pause() {
            return;
        }
        is_first = next == Next::Wait;
    }
}

/// What follows a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    End,
    /// Nothing may be done yet: see `schedule`.
    Wait,
    /// There were changes, and may be more.
    Again,
}

/// Does what is due. A worker that has just worked need not wait until it is due again.
fn round(is_first: bool) -> Next {
    let Ok(Some(prepared)) = in_transaction(prepare) else {
        return Next::End;
    };
    let Prepared {
        task,
        last,
        reads_as,
        is_due,
    } = prepared;
    if is_first && !is_due {
        return Next::Wait;
    }
    let started = Instant::now();
    let outcome = in_transaction(|| refresh::maintain(&task));
    let seconds = started.elapsed().as_secs_f64();
    match outcome {
        Ok(Maintained::GaveWay) => Next::End,
        Err(failure) if failure.is_in_the_way() => Next::End,
        Ok(Maintained::Whole { has_changed, form }) => {
            let record = || {
                with_role(&task.owner, || {
                    schedule::succeeded(seconds, &form, &reads_as)
                })
            };
            if in_transaction(record).is_err() {
                return Next::End;
            }
            // When changes have come to an end.
            let has_grown = !has_changed
                && in_transaction(|| match Lock::Writer.try_take() {
                    true => with_role(&task.owner, schedule::read_again_if_grown),
                    false => Ok(false),
                })
                .unwrap_or(false);
            match has_changed || has_grown {
                true => Next::Again,
                false => Next::End,
            }
        }
        Err(failure) => {
            let message = failure.with_hint();
            let is_there = in_transaction(|| {
                if owner_here()?.is_none() {
                    return Ok(false);
                }
                with_role(&task.owner, || schedule::failed(seconds, &message))?;
                Ok(true)
            });
            // The extension may have been dropped meanwhile.
            if is_there.unwrap_or(false) && last.error.as_deref() != Some(message.as_str()) {
                ereport::log(&format!(
                    "text2sql: maintenance of the search index failed: {message}"
                ));
            }
            Next::End
        }
    }
}

/// What a round is to do.
struct Prepared {
    task: Task,
    last: schedule::Last,
    /// Name of the role that reads values, or why nobody may.
    reads_as: Result<String, String>,
    is_due: bool,
}

/// What is to be done; `None` where this process must not do it.
fn prepare() -> Result<Option<Prepared>, Error> {
    if !Lock::Worker.try_take_for_life() || is_database_wanted() {
        return Ok(None);
    }
    let Some(owner) = owner_here()?.filter(|_| settings::enable_maintenance()) else {
        return Ok(None);
    };
    // The worker is the owner from now on: of the endpoint of an embedder the owner needs USAGE.
    if let Some(name) = server_text(&owner.name()) {
        // SAFETY: a NUL-terminated name.
        set(c"role", unsafe { CStr::from_ptr(name) });
    }
    let is_due = with_role(&owner, schedule::due)?.changes;
    let last = with_role(&owner, schedule::last)?;
    let reader = reader::reader(&owner);
    let reads_as = match &reader {
        Ok(role) => Ok(role.name()),
        Err(error) => Err(error.message().to_owned()),
    };
    let task = Task {
        owner,
        reader: reader.ok(),
        known_form: last.made_with.clone(),
    };
    Ok(Some(Prepared {
        task,
        last,
        reads_as,
        is_due,
    }))
}

/// The owner of the index; `None` where the extension is not there, or of another version.
fn owner_here() -> Result<Option<EffectiveRole>, Error> {
    // SAFETY: a NUL-terminated name; `true` makes an unknown extension InvalidOid instead of an error.
    let extension = unsafe { pg_sys::get_extension_oid(c"pg_text2sql".as_ptr(), true) };
    if extension == pg_sys::InvalidOid || require_same_version().is_err() {
        return Ok(None);
    }
    Ok(search_index::owner())
}

/// Waits; `false` when the database is needed without sessions.
fn pause() -> bool {
    let started = Instant::now();
    while started.elapsed() < PAUSE {
        let goes_on = BackgroundWorker::wait_latch(Some(STEP));
        pgrx::check_for_interrupts!();
        if !goes_on || in_transaction(|| Ok(is_database_wanted())).unwrap_or(true) {
            return false;
        }
    }
    true
}
