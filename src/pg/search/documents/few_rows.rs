//! Which rows of a text column a role may read, where these are few: then they are searched, and no others.
//!
//! For such a role a search through all passages reads deep into each list, most of it for nothing, and misses what
//! comes after its end.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::quote_identifier;

use super::sources::Source;
use crate::pg::access::execution::database::GuardedDatabase;

/// Up to this many rows count as few: looking at the passages of each takes about as long as a search of all.
const FEW: usize = 5_000;

/// Maximum planner cost, and time, of reading the keys: about that of comparing 100,000 vectors.
const MAX_COST: f64 = 50_000.0;
const MAX_TIME: Duration = Duration::from_secs(1);

/// Bytes of all keys.
const MAX_BYTES: usize = 1 << 20;

/// Roles and sources that a session remembers.
const MAX_KNOWN: usize = 1_000;

thread_local! {
    /// The roles that could read only few rows of a source when they last searched it. It only decides how a search
/// begins, so a stale entry does no harm.
    static KNOWN: RefCell<HashSet<(u32, i64)>> = RefCell::default();
}

/// Whether the role could read few rows of the source at its last search of this session.
pub(super) fn were_few(role: u32, source: &Source) -> bool {
    KNOWN.with_borrow(|known| known.contains(&(role, source.id)))
}

/// The keys of all rows that the role of `database` can read now; `None` where they are many, or where finding them
/// costs more than searching without them.
pub(super) fn keys(
    database: &GuardedDatabase,
    source: &Source,
    limits: &Limits,
) -> Result<Option<Vec<String>>, Error> {
    let known = (database.role().oid.to_u32(), source.id);
    let found = read(database, source, limits)?;
    KNOWN.with_borrow_mut(|roles| {
        if found.is_none() || roles.len() >= MAX_KNOWN {
            roles.remove(&known);
        } else {
            roles.insert(known);
        }
    });
    Ok(found)
}

fn read(
    database: &GuardedDatabase,
    source: &Source,
    limits: &Limits,
) -> Result<Option<Vec<String>>, Error> {
    // The text of other types depends on settings of the session, and the keys of the passages were made in another.
    let is_plain = |name: &str| {
        matches!(name, "smallint" | "integer" | "bigint" | "uuid" | "text")
            || name.starts_with("character varying")
    };
    if !source.key.iter().all(|column| is_plain(&column.type_name)) {
        return Ok(None);
    }
    let columns: Vec<String> = source
        .key
        .iter()
        .map(|column| format!("t.{}", quote_identifier(&column.name)))
        .collect();
    let sql = format!(
        "SELECT {} FROM {}.{} AS t LIMIT {}",
        columns.join(", "),
        quote_identifier(&source.schema),
        quote_identifier(&source.name),
        FEW + 1
    );
    let limits = Limits {
        max_result_rows: FEW + 1,
        max_result_bytes: MAX_BYTES,
        max_cost: match limits.max_cost > 0.0 {
            true => limits.max_cost.min(MAX_COST),
            false => MAX_COST,
        },
        query_timeout: limits.query_timeout.min(MAX_TIME),
        ..limits.clone()
    };
    let execution = match database.run(&sql, &limits) {
        Ok(Outcome::Passed(execution)) => execution,
        // Too expensive or not readable: the search goes on without the keys.
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::Limit => return Ok(None),
        Err(error) => return Err(error),
    };
    if execution.is_truncated || execution.rows.len() > FEW {
        return Ok(None);
    }
    let rows = execution.rows.into_iter();
    let keys = rows.filter_map(|row| {
        let values: Option<Vec<String>> = row.into_iter().map(|cell| cell.text).collect();
        values.map(|values| serde_json::Value::from(values).to_string())
    });
    Ok(Some(keys.collect()))
}
