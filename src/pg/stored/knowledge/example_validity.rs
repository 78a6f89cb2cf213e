//! Whether the SQL of examples is still valid: judged when a question first uses an example, and again when
//! the catalog has changed. Verdicts are cached for the session.

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use crate::pg::access::catalog::SessionCache;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

/// Maximum number of verdicts that a session caches.
const MAX_REMEMBERED: usize = 10_000;

/// What a verdict depends on besides the catalog: the role, name resolution, the statement.
type Key = (u32, Vec<u32>, String);

thread_local! {
    static KNOWN: SessionCache<Key, bool> = SessionCache::new(MAX_REMEMBERED);
}

/// Whether the server accepts the SQL of an example now.
pub(crate) fn is_accepted(sql: &str) -> Result<bool, Error> {
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    let key = (
        role,
        crate::pg::access::objects::search_path(),
        sql.to_owned(),
    );
    SessionCache::get_or_read(&KNOWN, key, || Ok(SqlCheck::new()?.problem(sql)?.is_none()))
}
