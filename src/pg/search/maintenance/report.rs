//! What keeps the search index up to date, for `text2sql.status()`.

use text2sql_domain::error::Error;

use super::launcher;
use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const LAST: &str = "SELECT to_char(m.ended_at, 'YYYY-MM-DD HH24:MI:SS TZ'), m.failures, m.error,
         to_char(m.next_at, 'HH24:MI:SS'), m.values_read_as::text, m.no_values_because
     FROM text2sql._maintenance m";
// Vectors of dropped rows are not counted: nothing finds them.
const WAITING: &str = "SELECT
    (SELECT count(*) FROM text2sql._definitions d LEFT JOIN text2sql._index_documents i
         ON i.collection = 'd' AND i.item = d.id::oid WHERE i.is_embedded IS NOT TRUE),
    (SELECT count(*) FROM text2sql._examples e LEFT JOIN text2sql._index_documents i
         ON i.collection = 'e' AND i.item = e.id::oid WHERE e.verified_at IS NOT NULL AND i.is_embedded IS NOT TRUE)";
const MAY_REFRESH: &str =
    "SELECT has_function_privilege('text2sql.refresh(jsonb, text)', 'EXECUTE')";

type Item = (String, String, Option<String>);

struct Last {
    ended_at: Option<String>,
    failures: i32,
    error: Option<String>,
    next_at: Option<String>,
    values_read_as: Option<String>,
    no_values_because: Option<String>,
}

/// The lines about maintenance.
pub(crate) fn report(owner: &EffectiveRole) -> Result<Vec<Item>, Error> {
    let last = with_role(owner, || spi::read_rows(LAST, &[], 1, read_last))?.pop();
    let (definitions, examples) =
        with_role(owner, || spi::read_rows(WAITING, &[], 1, read_waiting))?
            .pop()
            .unwrap_or_default();
    // The text of an error may name what others may not see.
    let may_refresh = spi::read_one::<bool>(MAY_REFRESH, &[])?.unwrap_or(false);
    let mut items = vec![maintenance(last.as_ref(), may_refresh)];
    if settings::enable_maintenance() {
        items.push(values(last.as_ref(), may_refresh));
    }
    if definitions + examples > 0 {
        items.push((
            "waiting for the index".to_owned(),
            format!("{definitions} definitions, {examples} examples"),
            Some("questions find them by their words".to_owned()),
        ));
    }
    Ok(items)
}

fn maintenance(last: Option<&Last>, may_refresh: bool) -> Item {
    let name = "index maintenance".to_owned();
    if !settings::enable_maintenance() {
        let note = "after changes: CALL text2sql.refresh()";
        return (name, "off".to_owned(), Some(note.to_owned()));
    }
    let seconds = settings::maintenance_interval().as_secs();
    let mut value = match launcher::is_preloaded() {
        true => format!("every {seconds} s, and after changes"),
        false => format!("after changes, and by questions every {seconds} s"),
    };
    let Some(last) = last else {
        let note = "no background worker has run yet; if none does, increase max_worker_processes, or CALL text2sql.refresh()";
        return (name, value, Some(note.to_owned()));
    };
    if let Some(at) = &last.ended_at {
        value = format!("{value}; last {at}");
    }
    let note = last.error.as_ref().map(|error| {
        let next_at = last.next_at.clone().unwrap_or_default();
        let what = match may_refresh {
            true => format!(": {error}"),
            false => String::new(),
        };
        let failures = last.failures;
        format!("failed, {failures} in a row, next attempt at {next_at}{what}")
    });
    (name, value, note)
}

fn values(last: Option<&Last>, may_refresh: bool) -> Item {
    let name = "values read as".to_owned();
    let Some(last) = last else {
        return (name, "not yet read".to_owned(), None);
    };
    match (&last.values_read_as, &last.no_values_because) {
        (Some(role), _) => (name, role.clone(), None),
        (None, Some(reason)) if may_refresh => (name, "not read".to_owned(), Some(reason.clone())),
        (None, _) => (name, "not read".to_owned(), None),
    }
}

fn read_last(row: &spi::Row) -> Result<Last, Error> {
    Ok(Last {
        ended_at: row.read(1)?,
        failures: row.read(2)?.unwrap_or_default(),
        error: row.read(3)?,
        next_at: row.read(4)?,
        values_read_as: row.read(5)?,
        no_values_because: row.read(6)?,
    })
}

fn read_waiting(row: &spi::Row) -> Result<(i64, i64), Error> {
    Ok((
        row.read(1)?.unwrap_or_default(),
        row.read(2)?.unwrap_or_default(),
    ))
}
