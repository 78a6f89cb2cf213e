//! The session port: the transaction's clock, the server's version, notices.

pub(crate) mod clock;
mod model_advice;

use std::time::Instant;

use pgrx::{Uuid, pg_sys};
use text2sql_domain::ports::{ModelAdvice, Session};
use text2sql_domain::progress::Progress;
use text2sql_domain::schema::quote_identifier;

use crate::pg::server::spi::encoding::{json_for_client, text_of};
use crate::pg::server::{ereport, settings, spi, sqlstate};

/// A hint names a function only to roles that may call it.
const MAY_DEFINE: &str = "
    SELECT has_function_privilege(p.oid, 'EXECUTE') FROM pg_proc p
    WHERE p.pronamespace = to_regnamespace('text2sql')::oid AND p.proname = 'define'";

/// The OID of the current user.
pub(crate) fn user_oid() -> pg_sys::Oid {
    // SAFETY: reads a variable of the session.
    unsafe { pg_sys::GetUserId() }
}

/// Name of the calling role.
pub(crate) fn user_name() -> String {
    // SAFETY: a look-up in the role cache; returns a palloc'd, NUL-terminated name or, with `true`,
    // NULL for a dropped role.
    unsafe { text_of(pg_sys::GetUserNameFromId(pg_sys::GetUserId(), true)) }
}

/// The session this backend serves.
pub(crate) struct PgSession {
    started: Instant,
    /// The id of the question in the history.
    trace_id: Option<Uuid>,
}

impl PgSession {
    /// Starts the clock of a question that is not recorded.
    pub(crate) fn new() -> Self {
        Self::of_question(None)
    }

    /// Starts the clock of a question with that id in the history.
    pub(crate) fn of_question(trace_id: Option<Uuid>) -> Self {
        Self {
            started: Instant::now(),
            trace_id,
        }
    }
}

impl Session for PgSession {
    fn today(&self) -> String {
        // SAFETY: main thread, inside a transaction; `date_out` writes a NUL-terminated text for a
        // valid date into the current memory context.
        let days = clock::at_the_moment(|| unsafe { pg_sys::GetSQLCurrentDate() });
        let (mut year, mut month, mut day) = (0, 0, 0);
        // SAFETY: pure arithmetic on its arguments, with valid pointers for the results.
        unsafe {
            let julian = days + pg_sys::POSTGRES_EPOCH_JDATE as i32;
            pg_sys::j2date(julian, &mut year, &mut month, &mut day);
        }
        format!("{year:04}-{month:02}-{day:02}")
    }

    fn server_version(&self) -> String {
        pg_sys::PG_MAJORVERSION.to_string_lossy().into_owned()
    }

    fn user(&self) -> String {
        quote_identifier(&user_name())
    }

    fn model_advice(&self) -> Option<ModelAdvice> {
        model_advice::once()
    }

    fn may_define(&self) -> bool {
        spi::read_one::<bool>(MAY_DEFINE, &[]).is_ok_and(|may| may == Some(true))
    }

    fn reports_progress(&self) -> bool {
        // SAFETY: both read a variable. They differ in a function that is SECURITY DEFINER, whose caller may not see its
        // queries and rows.
        let is_seen_by_asker = unsafe { pg_sys::GetUserId() == pg_sys::GetOuterUserId() };
        is_seen_by_asker && settings::enable_progress() && ereport::is_notice_wanted()
    }

    fn progress(&self, progress: &Progress<'_>) {
        let elapsed = self.elapsed_ms();
        let trace_id = self.trace_id.map(|trace_id| trace_id.to_string());
        let report = progress.to_json(elapsed, trace_id.as_deref());
        let stage = progress.stage;
        ereport::notice(
            sqlstate::PROGRESS,
            &format!("text2sql: {stage} ({elapsed:.3} ms)"),
            &json_for_client(&report),
            // The log gets no SQL by it.
            trace_id.as_deref().unwrap_or(stage),
        );
    }

    fn elapsed_ms(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }
}
