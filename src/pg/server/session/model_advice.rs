//! The advice to configure a model: once in a session for each role, and only to roles that may do it.

use std::cell::RefCell;
use std::collections::HashSet;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::ports::ModelAdvice;

use crate::pg::server::spi;
use crate::pg::server::spi::sandbox::keep_no_locks;

/// The first model that answers questions and that the role may use, and whether it may add one.
const MAY: &str = "SELECT
         (SELECT s.srvname::text FROM pg_catalog.pg_foreign_server s
          WHERE s.srvfdw = w.oid AND pg_catalog.has_server_privilege(s.oid, 'USAGE')
            AND NOT coalesce(s.srvoptions && ARRAY['protocol=embeddings', 'protocol=rerank'], false)
          ORDER BY 1 LIMIT 1),
         pg_catalog.has_foreign_data_wrapper_privilege(w.oid, 'USAGE')
     FROM pg_catalog.pg_foreign_data_wrapper w WHERE w.fdwname = 'text2sql'";

thread_local! {
    /// The roles that got the advice: a pool may serve several in one session.
    static ADVISED: RefCell<HashSet<pg_sys::Oid>> = RefCell::default();
}

/// What the current role may do, if it has not got the advice.
pub(super) fn once() -> Option<ModelAdvice> {
    // SAFETY: reads a variable of the process.
    let role = unsafe { pg_sys::GetUserId() };
    if ADVISED.with_borrow(|advised| advised.contains(&role)) {
        return None;
    }
    // An answer does not need it.
    let advice = advice().ok().flatten()?;
    ADVISED.with_borrow_mut(|advised| advised.insert(role));
    Some(advice)
}

fn advice() -> Result<Option<ModelAdvice>, Error> {
    let rows = keep_no_locks(|| {
        spi::read_rows(MAY, &[], 1, |row| {
            Ok((row.read::<String>(1)?, row.read::<bool>(2)?))
        })
    })?;
    Ok(match rows.into_iter().next() {
        Some((Some(model), _)) => Some(ModelAdvice::Set(model)),
        Some((None, Some(true))) => Some(ModelAdvice::Add),
        _ => None,
    })
}
