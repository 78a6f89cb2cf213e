//! Verified examples that are not in the index: all of them where no index was built, else those verified
//! since. Cached for the session, because they rarely change.

use std::rc::Rc;

use pgrx::datum::TimestampWithTimeZone;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::Example;

use super::joins;
use super::storage::{FORMAT, id_of};
use crate::pg::access::catalog::SessionCache;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

// With a margin for transactions that were open when the index was refreshed.
const EXAMPLES: &str =
    "SELECT e.id, e.question, e.sql, e.verified_by::text FROM text2sql._examples e
     WHERE e.verified_at >= coalesce($1 - interval '10 minutes', '-infinity')
     ORDER BY e.verified_at DESC, e.id DESC LIMIT $2";
const BEGAN: &str = "SELECT s.started_at FROM text2sql._index_state s WHERE s.format = $1 AND s.refreshed_at IS NOT NULL";

thread_local! {
    /// By role and state of the index: those of the last role.
    static KNOWN: SessionCache<(u32, String), Rc<[Example]>> = SessionCache::new(1);
}

/// The examples visible to the role, newest first. `index` identifies the state of the index.
pub(super) fn unindexed(
    owner: Option<&EffectiveRole>,
    role: &EffectiveRole,
    index: &str,
    at_most: usize,
) -> Result<Vec<Example>, Error> {
    let examples =
        SessionCache::get_or_read(&KNOWN, (role.oid.to_u32(), index.to_owned()), || {
            let began: Option<TimestampWithTimeZone> = match owner {
                Some(owner) => with_role(owner, || spi::read_one(BEGAN, &[FORMAT.into()]))?,
                None => None,
            };
            let examples: Vec<Example> = with_role(role, || {
                if !may_read(c"_examples") {
                    return Ok(Vec::new());
                }
                let arguments = [began.into(), joins::most(at_most)];
                spi::read_rows(EXAMPLES, &arguments, 0, read_example)
            })?;
            Ok(Rc::from(examples))
        })?;
    Ok(examples.to_vec())
}

/// An example from a row of id, question, SQL and the verifying role.
pub(super) fn read_example(row: &spi::Row) -> Result<Example, Error> {
    Ok(Example {
        id: id_of(row)?,
        question: row.read(2)?.unwrap_or_default(),
        sql: row.read(3)?.unwrap_or_default(),
        verified_by: row.read(4)?.unwrap_or_default(),
    })
}
