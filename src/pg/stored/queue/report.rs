//! The line of `status()` about questions that are not answered yet: those that the caller may see.

use text2sql_domain::error::Error;

use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::spi;

/// Row-level security leaves out what the view `answers` does not show.
const UNANSWERED: &str = "SELECT count(*) FILTER (WHERE q.state = 'waiting'), count(*) FILTER (WHERE q.state = 'running'),
         to_char(min(q.submitted_at), 'YYYY-MM-DD HH24:MI:SS TZ')
     FROM text2sql._submitted q WHERE q.state IN ('waiting', 'running')";

const LIST: &str = "List them: SELECT id, state, question FROM text2sql.answers WHERE state IN ('waiting', 'running');";

/// How many questions wait and how many are being answered, and a note; `None` where there are none.
pub(crate) fn report() -> Result<Option<(String, String)>, Error> {
    if !may_read(c"_submitted") {
        return Ok(None);
    }
    let rows = spi::read_rows(UNANSWERED, &[], 1, |row| {
        let count = |column| Ok::<_, Error>(row.read::<i64>(column)?.unwrap_or_default());
        Ok((count(1)?, count(2)?, row.read::<String>(3)?))
    })?;
    let Some((waiting, running, Some(since))) = rows.into_iter().next() else {
        return Ok(None);
    };
    let value = format!("{waiting} waiting, {running} being answered, the oldest since {since}");
    Ok(Some((value, LIST.to_owned())))
}
