//! When the next worker may start, and how the last one ended: the row of `text2sql._maintenance`.

use text2sql_domain::error::Error;

use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::has_no_block;

const DUE: &str = "SELECT m.not_before <= clock_timestamp(), m.next_at <= clock_timestamp()
     FROM text2sql._maintenance m";
const LAST: &str = "SELECT m.made_with, m.error FROM text2sql._maintenance m";
// A worker costs at most a sixth of the time after changes, and a twentieth while nothing is known to have changed.
const SUCCEEDED: &str = "INSERT INTO text2sql._maintenance AS m
         (ended_at, seconds, not_before, next_at, made_with, values_read_as, no_values_because, failures, error)
     VALUES (clock_timestamp(), $1, clock_timestamp() + least(5 * $1, 600) * interval '1 second',
         clock_timestamp() + greatest($2, 20 * $1) * interval '1 second', $3, $4::text::name, $5, 0, NULL)
     ON CONFLICT (only_row) DO UPDATE SET ended_at = excluded.ended_at, seconds = excluded.seconds,
         not_before = excluded.not_before, next_at = excluded.next_at, made_with = excluded.made_with,
         values_read_as = excluded.values_read_as, no_values_because = excluded.no_values_because,
         failures = 0, error = NULL";
// Twice as long after each failure, up to 64 times the interval.
const FAILED: &str = "INSERT INTO text2sql._maintenance AS m (ended_at, seconds, not_before, next_at, failures, error)
     VALUES (clock_timestamp(), $1, clock_timestamp() + $2 * interval '1 second',
         clock_timestamp() + $2 * interval '1 second', 1, $3)
     ON CONFLICT (only_row) DO UPDATE SET ended_at = excluded.ended_at, seconds = excluded.seconds,
         not_before = clock_timestamp() + $2 * 2 ^ least(m.failures, 6) * interval '1 second',
         next_at = clock_timestamp() + $2 * 2 ^ least(m.failures, 6) * interval '1 second',
         failures = m.failures + 1, error = excluded.error";

const TABLES: &str = "SELECT count(*)::int4, (SELECT m.tables_at_once FROM text2sql._maintenance m)
     FROM text2sql._index_documents d WHERE d.collection = 's'";
const SET_TABLES: &str = "UPDATE text2sql._maintenance SET tables_at_once = $1";
const READ_AGAIN: &str =
    "UPDATE text2sql._index_documents SET fingerprint = 0 WHERE collection = 's'";

/// The growth of the catalog after which all tables are read again: names are taken apart by the words of the whole
/// catalog, and while a schema is being created the first tables are read by the words of a few. With a quarter, all
/// readings of a growing catalog together cost five times that of its final size.
const MAX_GROWTH: f64 = 1.25;

/// What may start now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    /// Work on changes that are known.
    pub(crate) changes: bool,
    /// A look for changes that nobody recorded, such as those of rows.
    pub(crate) look: bool,
}

/// What may start now. As the owner.
pub(crate) fn due() -> Result<Due, Error> {
    let everything = Due {
        changes: true,
        look: true,
    };
    if has_no_block(c"_maintenance") {
        return Ok(everything);
    }
    let rows = spi::read_rows(DUE, &[], 1, |row| {
        Ok(Due {
            changes: row.read(1)?.unwrap_or(true),
            look: row.read(2)?.unwrap_or(true),
        })
    })?;
    Ok(rows.into_iter().next().unwrap_or(everything))
}

/// How the last worker ended.
#[derive(Default)]
pub(crate) struct Last {
    /// What it made the index with.
    pub(crate) made_with: Option<String>,
    /// Why it failed.
    pub(crate) error: Option<String>,
}

/// How the last worker ended. As the owner.
pub(crate) fn last() -> Result<Last, Error> {
    let rows = spi::read_rows(LAST, &[], 1, |row| {
        Ok(Last {
            made_with: row.read(1)?,
            error: row.read(2)?,
        })
    })?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// Records a complete run. As the owner.
pub(crate) fn succeeded(
    seconds: f64,
    made_with: &str,
    reader: &Result<String, String>,
) -> Result<(), Error> {
    let (role, reason) = match reader {
        Ok(role) => (Some(role.clone()), None),
        Err(reason) => (None, Some(reason.clone())),
    };
    let arguments = [
        seconds.into(),
        settings::maintenance_interval().as_secs_f64().into(),
        made_with.into(),
        role.into(),
        reason.into(),
    ];
    spi::write(SUCCEEDED, &arguments, |_| Ok(())).map(drop)
}

/// Records a failure. As the owner.
pub(crate) fn failed(seconds: f64, message: &str) -> Result<(), Error> {
    let arguments = [
        seconds.into(),
        settings::maintenance_interval().as_secs_f64().into(),
        message.into(),
    ];
    spi::write(FAILED, &arguments, |_| Ok(())).map(drop)
}

/// Has all tables read again where the catalog has grown much since they were read together; whether it has. As the
/// owner, who holds the lock of writers.
pub(crate) fn read_again_if_grown() -> Result<bool, Error> {
    let rows = spi::read_rows(TABLES, &[], 1, |row| {
        Ok((row.read::<i32>(1)?.unwrap_or_default(), row.read::<i32>(2)?))
    })?;
    let Some((tables, at_once)) = rows.into_iter().next() else {
        return Ok(false);
    };
    let has_grown =
        at_once.is_some_and(|at_once| f64::from(tables) > f64::from(at_once) * MAX_GROWTH);
    if has_grown {
        spi::write(READ_AGAIN, &[], |_| Ok(()))?;
    }
    if has_grown || at_once.is_none_or(|at_once| tables < at_once) {
        spi::write(SET_TABLES, &[tables.into()], |_| Ok(()))?;
    }
    Ok(has_grown)
}
