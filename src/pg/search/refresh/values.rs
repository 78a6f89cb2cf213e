//! Indexes the distinct values of text columns.
//!
//! Only those that the caller of `refresh()` can read, table by table, and only where the table has changed: a
//! column that the caller cannot read has no values in the index. Never from tables under row-level security,
//! views or foreign tables. They are read as stored (`stored_rows`), so that no code of their owners runs, and those
//! that Citus keeps on other servers as `distributed` says. A table locked by DDL is left for the next call; one that
//! cannot be read is reported in a WARNING and retried by the next call.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use pgrx::pg_sys::{self, Oid};
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_language::english::counted;
use text2sql_retrieval::values::{MAX_VALUES, keys, meaning_keys};

use super::distributed::{Distributed, Outcome, forget_counts};
use super::found_values::{Found, Labels, MAX_ROWS, kept_values};
use super::run::Refresh;
use super::value_meanings::{self, Meaning};
use crate::pg::access::catalog::definitions;
use crate::pg::access::objects::attributes::attributes;
use crate::pg::access::protection::{self, Level};
use crate::pg::access::query_tree::reads::quoted_name;
use crate::pg::access::stored_rows::{Read as Stored, TOO_LARGE, with_stored};
use crate::pg::search::distinct_texts::Distinct;
use crate::pg::search::search_index::ROWS_STATE;
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;

static CHANGED: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../../sql/queries/changed_values.sql").replace("%ROWS%", ROWS_STATE)
});
const COLUMNS: &str = include_str!("../../../../sql/queries/value_columns.sql");
/// What this session has changed is in the state of the rows already, and for other sessions when the call ends.
const REPORT_CHANGES: &str = "SELECT pg_stat_force_next_flush()";
const FORGET: &[&str] = &[
    "DELETE FROM text2sql._index_values WHERE relation = $1",
    "DELETE FROM text2sql._index_value_columns WHERE relation = $1",
    "DELETE FROM text2sql._index_value_tables WHERE relation = $1",
];
const ADD_TABLE: &str =
    "INSERT INTO text2sql._index_value_tables (relation, rows, state) VALUES ($1, $2, $3)";
const MARK_TABLE: &str =
    "UPDATE text2sql._index_value_tables SET rows = $2, state = $3 WHERE relation = $1";
const ADD_COLUMNS: &str =
    "INSERT INTO text2sql._index_value_columns (relation, attribute, is_complete)
     SELECT $1, c.attribute, c.is_complete FROM unnest($2, $3) AS c(attribute, is_complete)";
const ADD_VALUES: &str =
    "INSERT INTO text2sql._index_values (relation, place, attribute, key, value, is_first)
     SELECT $1, v.place, v.attribute, v.key, v.value, v.is_first
     FROM unnest($2, $3, $4, $5) WITH ORDINALITY AS v(attribute, key, value, is_first, place)";
const ADD_KEYS: &str = "INSERT INTO text2sql._index_value_keys (key)
     SELECT k.key FROM unnest($1) AS k(key) ON CONFLICT DO NOTHING";
/// New keys wait in a list that every search reads from end to end: half of the time of a question, on the demo database.
const MERGE_PENDING_KEYS: &str =
    "SELECT gin_clean_pending_list('text2sql._index_value_keys_key_idx')";
const FORGET_KEYS: &str = "DELETE FROM text2sql._index_value_keys AS k
     WHERE NOT EXISTS (SELECT FROM text2sql._index_values AS v WHERE v.key = k.key)";

/// The state of a table that could not be read: it matches no real state, so the next call tries again. Where another
/// server did not answer, the real state follows: what was read before stays as long as that does.
const UNREAD: &str = "unread";

/// Maximum number of keys cached by one run: a few megabytes.
const MAX_SEEN: usize = 100_000;

/// Work between two commits: DDL on a table that was read may have to wait this long.
const BATCH: Duration = Duration::from_millis(500);

/// Tables read by one run of a worker from which on keys without a value are removed: that reads all keys.
const MIN_TO_CLEAN: usize = 20;

/// A summary for the user.
#[derive(Default)]
pub(super) struct Read {
    tables: usize,
    values: usize,
    locked: usize,
    refused: usize,
    /// The tables that were looked through.
    pub(super) changed: HashSet<u32>,
    /// Keys stored by this run, so that a value that occurs in every table is not stored ten thousand times.
    seen_keys: HashSet<String>,
}

impl Read {
    /// Whether the key may still have to be stored.
    fn is_new(&mut self, key: &str) -> bool {
        if self.seen_keys.contains(key) {
            return false;
        }
        if self.seen_keys.len() < MAX_SEEN {
            self.seen_keys.insert(key.to_owned());
        }
        true
    }
}

impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = counted(self.values, "value", "values");
        let tables = |count| counted(count, "table", "tables");
        write!(f, "{values} read from {}", tables(self.tables))?;
        if self.locked > 0 {
            let locked = counted(self.locked, "locked table", "locked tables");
            write!(f, ", {locked} left for the next call")?;
        }
        if self.refused > 0 {
            write!(f, ", {} could not be read", tables(self.refused))?;
        }
        Ok(())
    }
}

/// A table whose rows or columns changed since its values were read.
struct Changed {
    oid: Oid,
    /// Whether only its rows did, or could not be read.
    has_same_state: bool,
    /// State of its rows; `None` if nothing of it may be in the index.
    rows: Option<String>,
    /// State of the rest.
    state: Option<String>,
}

/// A text column and what is known without reading the table, an array in this order.
#[derive(Deserialize)]
struct TextColumn {
    number: i16,
    labels: Option<Labels>,
    /// Estimated number of distinct values.
    distinct: Option<f64>,
    /// From the statistics.
    sample: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Source {
    rows: f64,
    columns: Vec<TextColumn>,
}

impl Refresh {
    /// Reads the values of every table that changed.
    pub(super) fn values(&self) -> Result<Read, Error> {
        let distributed = self.look_at_shards()?;
        let (oids, states, rows) = distributed.arguments();
        let arguments = [
            self.reader.oid.into(),
            (!self.has_caller()).into(),
            oids.into(),
            states.into(),
            rows.into(),
        ];
        let changed = self.as_owner(|| {
            spi::execute(REPORT_CHANGES, &[], |_| Ok(()))?;
            spi::execute(&CHANGED, &arguments, read_changed)
        })?;
        let mut read = Read {
            changed: changed.iter().map(|table| table.oid.to_u32()).collect(),
            ..Read::default()
        };
        let (total, mut done, mut since) = (changed.len(), 0, Instant::now());
        for table in &changed {
            self.values_of(table, &distributed, &mut read)?;
            done += 1;
            if since.elapsed() >= BATCH {
                self.touch()?;
                self.commit()?;
                self.progress
                    .tell(done, total, "tables looked through for values");
                since = Instant::now();
            }
        }
        // A worker comes again soon, and a key without a value costs little.
        if !changed.is_empty() {
            self.as_owner(|| spi::execute(MERGE_PENDING_KEYS, &[], |_| Ok(())))?;
            self.touch()?;
        }
        if changed.len() >= MIN_TO_CLEAN || self.has_caller() && !changed.is_empty() {
            self.as_owner(|| {
                spi::execute(FORGET_KEYS, &[], |_| Ok(()))?;
                spi::execute(
                    "ANALYZE text2sql._index_values (key, relation)",
                    &[],
                    |_| Ok(()),
                )?;
                spi::execute("ANALYZE text2sql._index_value_keys", &[], |_| Ok(()))
            })?;
            self.commit()?;
        }
        Ok(read)
    }

    fn values_of(
        &self,
        table: &Changed,
        distributed: &Distributed,
        read: &mut Read,
    ) -> Result<(), Error> {
        let (mut found, mut counts) = (Vec::new(), None);
        let mut state = table.state.clone();
        // Whether what was read before stays.
        let mut is_kept = false;
        if table.rows.is_some() {
            // SAFETY: main thread, inside a transaction, whose end releases the lock; does not wait.
            let locked = unsafe {
                pg_sys::ConditionalLockRelationOid(table.oid, pg_sys::AccessShareLock as i32)
            };
            if !locked {
                read.locked += 1;
                return Ok(());
            }
            let outcome = match distributed.has(table.oid) {
                true => self.read_distributed(table.oid, distributed)?,
                false => {
                    let (known, stored) = with_role(&self.reader, || self.read_values(table.oid))?;
                    found = known;
                    match stored {
                        Stored::Done(stored) => Outcome::Done(stored, None),
                        Stored::Locked => Outcome::Locked,
                        Stored::Refused(reason) => Outcome::Refused(reason),
                    }
                }
            };
            let reason = match outcome {
                Outcome::Done(values, counted) => {
                    found.extend(values);
                    counts = counted;
                    None
                }
                Outcome::Locked => {
                    read.locked += 1;
                    return Ok(());
                }
                Outcome::Refused(reason) => {
                    state = Some(UNREAD.to_owned());
                    Some(reason)
                }
                Outcome::Failed(reason) => {
                    state = state.map(|state| format!("{UNREAD} {state}"));
                    is_kept = table.has_same_state;
                    read.refused += usize::from(reason.is_none());
                    reason
                }
            };
            if let Some(reason) = reason {
                read.refused += 1;
                let name = quoted_name(table.oid);
                // Once: a worker tries again when rows or columns have changed.
                self.say(&format!(
                    "text2sql: could not read values of {name}: {reason}"
                ));
            }
        }
        read.tables += usize::from(!found.is_empty());
        self.as_owner(|| {
            if let (true, Some(rows), Some(state)) = (is_kept, &table.rows, &state) {
                let arguments = [
                    table.oid.into(),
                    rows.as_str().into(),
                    state.as_str().into(),
                ];
                return spi::write(MARK_TABLE, &arguments, |_| Ok(())).map(drop);
            }
            for statement in FORGET {
                spi::write(statement, &[table.oid.into()], |_| Ok(()))?;
            }
            let meanings = match table.rows {
                Some(_) => value_meanings::of_table(table.oid)?,
                None => Vec::new(),
            };
            value_meanings::add_values(&mut found, &meanings);
            self.store_values(table.oid, found, &meanings, read)?;
            match counts {
                Some(counts) => counts.store(table.oid)?,
                None if distributed.has(table.oid) => forget_counts(table.oid)?,
                None => {}
            }
            if let (Some(rows), Some(state)) = (&table.rows, &state) {
                let arguments = [
                    table.oid.into(),
                    rows.as_str().into(),
                    state.as_str().into(),
                ];
                spi::write(ADD_TABLE, &arguments, |_| Ok(()))?;
            }
            Ok(())
        })
    }

    /// The values of a table's columns that the caller can read: those known without reading the table, and
    /// those read from it.
    fn read_values(&self, table: Oid) -> Result<(Vec<Found>, Stored<Vec<Found>>), Error> {
        let mut found = Vec::new();
        // The query opens the table for its size.
        if definitions::are_too_large(table) {
            return Ok((found, Stored::Refused(TOO_LARGE.to_owned())));
        }
        let source: Option<Source> = spi::read_json(COLUMNS, &[table.into()])?;
        let Some(source) = source else {
            return Ok((found, Stored::Done(Vec::new())));
        };
        let mut to_read = Vec::new();
        for column in source.columns {
            if protection::of_column(table, column.number)? != Level::Open {
                continue;
            }
            if let Some(labels) = column.labels {
                found.push(labels.of_column(column.number));
            } else if source.rows > MAX_ROWS {
                found.extend(column.sample.map(|values| Found {
                    column: column.number,
                    values,
                    is_complete: false,
                }));
            } else if column
                .distinct
                .is_none_or(|distinct| distinct <= MAX_VALUES as f64)
            {
                to_read.push(column.number);
            }
        }
        if to_read.is_empty() {
            return Ok((found, Stored::Done(Vec::new())));
        }
        let stored = with_stored(table, true, &self.limits, &self.policy, |stored| {
            // SAFETY: the table is open as long as its columns are looked at.
            let columns = unsafe { attributes(stored.relation()) };
            let mut lists: Vec<Distinct> = to_read
                .iter()
                .filter_map(|number| Distinct::of(*number, columns))
                .collect();
            let numbers: Vec<i16> = lists.iter().map(|list| list.column).collect();
            let mut open = lists.len();
            let all = stored.for_each_row(&numbers, |row| {
                for (place, list) in lists.iter_mut().enumerate().filter(|(_, l)| !l.is_over()) {
                    // SAFETY: the columns were requested in this order.
                    unsafe { list.add(row, place) };
                    open -= usize::from(list.is_over());
                }
                match open {
                    0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            });
            all.and_then(|()| {
                let kept = |list: Distinct| kept_values(list.column, list.values);
                Stored::Done(lists.into_iter().filter_map(kept).collect())
            })
        })?;
        Ok((found, stored))
    }

    /// Stores the values found in a table. Runs as the owner of the index.
    fn store_values(
        &self,
        table: Oid,
        found: Vec<Found>,
        meanings: &[Meaning],
        read: &mut Read,
    ) -> Result<(), Error> {
        let (mut columns, mut complete) = (Vec::new(), Vec::new());
        let (mut attributes, mut all_keys) = (Vec::new(), Vec::new());
        let (mut values, mut firsts) = (Vec::new(), Vec::new());
        let mut new_keys: Vec<String> = Vec::new();
        for column in found {
            columns.push(column.column);
            complete.push(column.is_complete);
            read.values += column.values.len();
            for value in column.values {
                let own = keys(&value, &self.analyzer);
                let meant = meanings
                    .iter()
                    .filter(|known| known.column == column.column && known.value == value)
                    .flat_map(|known| meaning_keys(&known.meaning, &self.analyzer))
                    .filter(|key| !own.contains(key));
                let meant: Vec<String> = meant.collect();
                let typed = 0..own.len().min(1);
                let spoken = own.len()..own.len() + meant.len();
                for (place, key) in own.into_iter().chain(meant).enumerate() {
                    // Keys that may match a misspelled word.
                    if (typed.contains(&place) || spoken.contains(&place)) && read.is_new(&key) {
                        new_keys.push(key.clone());
                    }
                    attributes.push(column.column);
                    all_keys.push(key);
                    values.push(value.clone());
                    firsts.push(place == 0);
                }
            }
        }
        if columns.is_empty() {
            return Ok(());
        }
        spi::write(
            ADD_COLUMNS,
            &[table.into(), columns.into(), complete.into()],
            |_| Ok(()),
        )?;
        let arguments = [
            table.into(),
            attributes.into(),
            all_keys.into(),
            values.into(),
            firsts.into(),
        ];
        spi::write(ADD_VALUES, &arguments, |_| Ok(()))?;
        if !new_keys.is_empty() {
            spi::write(ADD_KEYS, &[new_keys.into()], |_| Ok(()))?;
        }
        Ok(())
    }
}

fn read_changed(row: &spi::Row) -> Result<Changed, Error> {
    Ok(Changed {
        oid: row.read(1)?.unwrap_or(Oid::INVALID),
        rows: row.read(2)?,
        state: row.read(3)?,
        has_same_state: row.read(4)?.unwrap_or_default(),
    })
}
