//! When the next worker may start, and how the last one ended: the row of `text2sql._maintenance`.

use text2sql_domain::error::Error;

use crate::pg::settings;
use crate::pg::spi;
use crate::pg::spi::owner::has_no_block;

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

/// What may start now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    /// Work on changes that are known.
    pub(super) changes: bool,
    /// A look for changes that nobody recorded, such as those of rows.
    pub(super) look: bool,
}

/// What may start now. As the owner.
pub(super) fn due() -> Result<Due, Error> {
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
pub(super) struct Last {
    /// What it made the index with.
    pub(super) made_with: Option<String>,
    /// Why it failed.
    pub(super) error: Option<String>,
}

/// How the last worker ended. As the owner.
pub(super) fn last() -> Result<Last, Error> {
    let rows = spi::read_rows(LAST, &[], 1, |row| {
        Ok(Last {
            made_with: row.read(1)?,
            error: row.read(2)?,
        })
    })?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// Records a complete run. As the owner.
pub(super) fn succeeded(
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
pub(super) fn failed(seconds: f64, message: &str) -> Result<(), Error> {
    let arguments = [
        seconds.into(),
        settings::maintenance_interval().as_secs_f64().into(),
        message.into(),
    ];
    spi::write(FAILED, &arguments, |_| Ok(())).map(drop)
}
