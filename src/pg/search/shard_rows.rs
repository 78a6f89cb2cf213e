//! What a node of Citus reports about its shards to the coordinator that asks: `text2sql._shards()` and others.
//!
//! Their rows are read as stored (`stored_rows`), by whoever may read the columns of the shard, which has the grants of its
//! table: neither a planner nor an executor sees them, so nothing runs that somebody attached to a table or to a shard.

use std::collections::HashSet;
use std::ffi::CStr;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pgrx::pg_sys::{self, Oid};
use text2sql_domain::error::{Error, failure};
use text2sql_retrieval::shards::{NodeValues, Part, PartCounts};

use crate::pg::access::objects::attributes::attributes;
use crate::pg::access::query_tree::reads::quoted_name;
use crate::pg::access::stored_rows::{Read, with_stored};
use crate::pg::search::distinct_texts::Distinct;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::extensions::has_citus;

const SHARDS: &str = include_str!("../../../sql/queries/shards_here.sql");
const STATISTICS: &str = include_str!("../../../sql/queries/shard_statistics_here.sql");
const COLUMNS: &str = include_str!("../../../sql/queries/readable_shard_columns.sql");

/// The maximum number of columns of a table.
const MAX_COLUMNS: usize = pg_sys::MaxHeapAttributeNumber as usize;

/// The coordinator waits for the reply, and others for it.
const PATIENCE: &[(&CStr, &CStr)] = &[(c"lock_timeout", c"2s")];

/// The shards that are here, of one table or of all.
fn shards_here(table: Option<&str>) -> Result<Vec<(Oid, Part)>, Error> {
    if !has_citus() {
        return Ok(Vec::new());
    }
    let read = |row: &spi::Row| {
        let part = Part {
            shard: row.read(1)?.unwrap_or_default(),
            file: row.read(3)?.unwrap_or_default(),
            changes: row.read(4)?.unwrap_or_default(),
            analyzed_rows: row.read(5)?.unwrap_or_default(),
            live_rows: row.read(6)?.unwrap_or_default(),
        };
        Ok((row.read(2)?.unwrap_or(Oid::INVALID), part))
    };
    spi::with_settings(&[PATIENCE], || spi::execute(SHARDS, &[table.into()], read))
}

fn json(list: &impl serde::Serialize) -> Result<Option<String>, Error> {
    serde_json::to_string(list).map(Some).map_err(|error| {
        failure!(Internal, "the reply cannot be written as JSON").with_source(error)
    })
}

/// Refuses more columns than a table can have, and a column that is named twice.
fn check_columns(columns: &[String]) -> Result<(), Error> {
    let different: HashSet<&String> = columns.iter().collect();
    match columns.len() <= MAX_COLUMNS && different.len() == columns.len() {
        true => Ok(()),
        false => Err(failure!(
            Setting,
            "columns must be at most {MAX_COLUMNS} different names"
        )),
    }
}

/// The sizes of all shards that are here.
pub(crate) fn sizes() -> Result<Option<String>, Error> {
    let parts: Vec<Part> = shards_here(None)?
        .into_iter()
        .map(|(_, part)| part)
        .collect();
    json(&parts)
}

/// The planner's statistics of shards of a table that are here.
pub(crate) fn statistics(
    table: &str,
    columns: Vec<String>,
    texts: Vec<String>,
) -> Result<Option<String>, Error> {
    if !has_citus() {
        return Ok(None);
    }
    check_columns(&columns)?;
    check_columns(&texts)?;
    let arguments = [table.into(), columns.into(), texts.into()];
    let found = spi::with_settings(&[PATIENCE], || {
        spi::execute(STATISTICS, &arguments, |row| row.read::<String>(1))
    })?;
    Ok(found.into_iter().next().flatten())
}

/// Row counts, and distinct values of text columns, of the shards of a table on this node, within this many milliseconds.
pub(crate) fn values(
    table: &str,
    columns: &[String],
    texts: &[String],
    timeout: i32,
) -> Result<Option<String>, Error> {
    check_columns(columns)?;
    let texts: HashSet<&String> = texts.iter().collect();
    let are_texts: Vec<bool> = columns.iter().map(|name| texts.contains(name)).collect();
    let limit = Duration::from_millis(u64::try_from(timeout).unwrap_or(0));
    let started = Instant::now();
    let mut reply = NodeValues::of(columns.len());
    for (shard, part) in shards_here(Some(table))? {
        let left = limit.saturating_sub(started.elapsed());
        if left.is_zero() {
            reply.refusal = Some(format!(
                "it took longer than text2sql.query_timeout ({timeout} ms)"
            ));
            break;
        }
        match read_shard(shard, part.shard, columns, &are_texts, left, &mut reply)? {
            Read::Done(counts) => reply.counts.push(counts),
            Read::Locked => {
                reply.is_locked = true;
                break;
            }
            Read::Refused(reason) => {
                reply.refusal = Some(reason);
                break;
            }
        }
    }
    json(&[reply])
}

fn read_shard(
    shard: Oid,
    number: i64,
    columns: &[String],
    are_texts: &[bool],
    left: Duration,
    reply: &mut NodeValues,
) -> Result<Read<PartCounts>, Error> {
    let arguments = [shard.into(), columns.to_vec().into()];
    let numbers: Vec<Option<Vec<i16>>> =
        spi::execute(COLUMNS, &arguments, |row| row.read::<Vec<i16>>(1))?;
    let Some(numbers) = numbers.into_iter().next().flatten() else {
        let name = quoted_name(shard);
        return Ok(Read::Refused(format!("permission denied for {name}")));
    };
    let mut limits = settings::limits(&Overrides::default());
    limits.query_timeout = limits.query_timeout.min(left);
    if limits.memory_limit > 0 {
        // What the shards before have left counts as well.
        limits.memory_limit = limits.memory_limit.saturating_sub(reply.bytes());
        if limits.memory_limit == 0 {
            let reason = "its values take more than text2sql.memory_limit";
            return Ok(Read::Refused(reason.to_owned()));
        }
    }
    with_stored(shard, false, &limits, &settings::guard_policy(), |stored| {
        // SAFETY: the table is open as long as its columns are looked at.
        let attributes = unsafe { attributes(stored.relation()) };
        let mut lists: Vec<(usize, Distinct)> = Vec::new();
        for (place, (is_text, number)) in are_texts.iter().zip(&numbers).enumerate() {
            if *is_text
                && !reply.is_over(place)
                && let Some(list) = Distinct::of(*number, attributes)
            {
                lists.push((place, list));
            }
        }
        let mut counts = PartCounts {
            shard: number,
            rows: 0,
            filled: vec![0; columns.len()],
        };
        let all = stored.for_each_row(&numbers, |row| {
            counts.rows += 1;
            for (place, filled) in counts.filled.iter_mut().enumerate() {
                *filled += i64::from(row.value(place).is_some());
            }
            for (place, list) in &mut lists {
                // SAFETY: the columns were requested in the order of their names.
                unsafe { list.add(row, *place) };
            }
            ControlFlow::Continue(())
        });
        all.and_then(|()| {
            for (place, list) in lists {
                reply.add(place, list.values);
            }
            Read::Done(counts)
        })
    })
}
