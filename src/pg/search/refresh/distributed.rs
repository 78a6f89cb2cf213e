//! Values, sizes and statistics of tables whose rows Citus keeps on other servers.
//!
//! These rows are read where they are: by the extension of each node, as stored, so that no code of an owner runs
//! (`crate::pg::search::shard_rows`). The nodes are asked as the role that reads values, a superuser as `text2sql.run_as`, once in a
//! run which shards have changed, and then for each table with changed rows.
//!
//! For tables with too many rows, the statistics of the nodes are used, as those of the server are for other tables.

use std::collections::HashMap;
use std::time::Duration;

use pgrx::pg_sys::{self, Oid};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use text2sql_domain::error::Error;
use text2sql_domain::schema::quote_literal;
use text2sql_retrieval::shards::{self, NodeValues, Part, PartStatistics, Whole, is_other_size};

use super::found_values::{Found, Labels, MAX_ROWS, kept_values};
use super::run::Refresh;
use crate::pg::access::guard::{Phase, Verdict, run_guarded};
use crate::pg::access::protection::{self, Level};
use crate::pg::access::query_tree::reads::quoted_name;
use crate::pg::access::stored_rows::without_values;
use crate::pg::server::ereport;
use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::extensions::has_citus;
use crate::pg::server::spi::role::{EffectiveRole, replacing_superuser, with_role};

const SHARDS: &str =
    "SELECT s.shardid, coalesce(pg_catalog.pg_partition_root(s.logicalrelid), s.logicalrelid)::oid
     FROM pg_catalog.pg_dist_shard AS s";
const SHARDS_OF_TABLE: &str =
    "SELECT s.shardid FROM pg_catalog.pg_dist_shard AS s WHERE s.logicalrelid = $1::pg_catalog.oid";
const ASK_NODES: &str =
    "SELECT n.success, n.result FROM pg_catalog.run_command_on_all_nodes($1) AS n";
const ASKING: &str = "SELECT p.oid FROM pg_catalog.pg_proc AS p
     JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'citus'
     WHERE p.proname IN ('run_command_on_all_nodes', 'master_run_on_worker')";
const SIZES: &str = "SELECT text2sql._shards()";
const COLUMNS: &str = include_str!("../../../../sql/queries/distributed_columns.sql");
const KNOWN: &str = "SELECT d.relation, d.rows FROM text2sql._index_distributed_tables AS d";
const FORGET: &str =
    "DELETE FROM text2sql._index_distributed_tables AS d WHERE d.relation <> ALL ($1)";
const STORE_ROWS: &str =
    "INSERT INTO text2sql._index_distributed_tables AS d (relation, rows) VALUES ($1, $2)
     ON CONFLICT (relation) DO UPDATE SET rows = excluded.rows";
const STORE: &str = "INSERT INTO text2sql._index_distributed_tables AS d (relation, rows, attributes, null_shares, distinct_values)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (relation) DO UPDATE SET rows = excluded.rows, attributes = excluded.attributes,
         null_shares = excluded.null_shares, distinct_values = excluded.distinct_values";

const FORGET_COUNTS: &str =
    "UPDATE text2sql._index_distributed_tables AS d SET attributes = NULL, null_shares = NULL, distinct_values = NULL
     WHERE d.relation = $1 AND d.attributes IS NOT NULL RETURNING d.relation";

/// How much longer than a node the coordinator waits.
const PATIENCE: Duration = Duration::from_secs(1);

/// The distributed tables of the database, by OID; `None` where a node with rows of it did not answer.
#[derive(Default)]
pub(super) struct Distributed {
    tables: HashMap<u32, Option<Whole>>,
    /// Whether every node answered: else the tables that it knows nothing of are not tried.
    is_heard: bool,
}

impl Distributed {
    /// Whether the rows of the table are in shards.
    pub(super) fn has(&self, table: Oid) -> bool {
        self.tables.contains_key(&table.to_u32())
    }

    /// The tables as arguments of `changed_values.sql`: OIDs, states and numbers of rows.
    pub(super) fn arguments(&self) -> (Vec<Oid>, Vec<Option<String>>, Vec<Option<f64>>) {
        let (mut oids, mut states, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (table, whole) in &self.tables {
            oids.push(Oid::from(*table));
            states.push(whole.as_ref().map(|whole| whole.state.clone()));
            rows.push(whole.as_ref().map(|whole| whole.rows));
        }
        (oids, states, rows)
    }
}

/// What is known of a table after it was read.
pub(super) struct Counts {
    rows: f64,
    columns: Vec<(i16, f64, Option<f64>)>,
}

/// The outcome of an attempt to read a table.
pub(super) enum Outcome {
    /// Its values and counts; no counts where the role may read nothing of it.
    Done(Vec<Found>, Option<Counts>),
    /// Somebody has locked it, or a part of it, for DDL.
    Locked,
    /// It must not be read, and why.
    Refused(String),
    /// It could not be read now, and why; `None` where a message about the node has said it.
    Failed(Option<String>),
}

/// A column that the role can read, an array in this order.
#[derive(Deserialize)]
struct Column {
    number: i16,
    name: String,
    labels: Option<Labels>,
    is_text: bool,
    /// Whether its type is PostgreSQL's own.
    is_built_in: bool,
}

/// Statistics of a column in a shard; a JSON array in this order.
#[derive(Deserialize)]
struct Statistics(String, f64, f64, f64, Vec<String>);

/// What the nodes replied.
struct Replies<T> {
    found: Vec<T>,
    /// Why nodes did not.
    failures: Vec<String>,
}

impl Refresh {
    /// The role that logs in on the nodes.
    fn reader_on_nodes(&self) -> Result<EffectiveRole, Error> {
        replacing_superuser(self.reader.oid, settings::run_as().as_deref())
    }

    /// Asks the nodes for the sizes of all distributed tables, and stores those that differ.
    pub(super) fn look_at_shards(&self) -> Result<Distributed, Error> {
        if !has_citus() {
            return Ok(Distributed::default());
        }
        let shards = self.as_owner(|| {
            spi::execute(SHARDS, &[], |row| {
                let table: Oid = row.read(2)?.unwrap_or(Oid::INVALID);
                Ok((row.read(1)?.unwrap_or_default(), table.to_u32()))
            })
        })?;
        let replies = match shards.is_empty() {
            true => Replies {
                found: Vec::new(),
                failures: Vec::new(),
            },
            false => self.ask_nodes::<Part>(SIZES)?,
        };
        for failure in &replies.failures {
            self.say(&format!(
                "text2sql: left out the tables of a node of Citus that did not answer: {failure}"
            ));
        }
        let tables = shards::tables(&shards, &replies.found);
        self.store_sizes(&tables)?;
        Ok(Distributed {
            tables,
            is_heard: replies.failures.is_empty(),
        })
    }

    fn store_sizes(&self, tables: &HashMap<u32, Option<Whole>>) -> Result<(), Error> {
        let read = |row: &spi::Row| {
            let table: Oid = row.read(1)?.unwrap_or(Oid::INVALID);
            Ok((table.to_u32(), row.read::<f64>(2)?.unwrap_or_default()))
        };
        self.as_owner(|| {
            let known: HashMap<u32, f64> =
                spi::read_rows(KNOWN, &[], 0, read)?.into_iter().collect();
            if known.keys().any(|table| !tables.contains_key(table)) {
                let here = spi::oid_array(tables.keys().copied());
                spi::write(FORGET, &[here], |_| Ok(()))?;
            }
            for (table, whole) in tables {
                let Some(whole) = whole else { continue };
                if is_other_size(known.get(table).copied(), whole.rows) {
                    let table = Oid::from(*table);
                    spi::write(STORE_ROWS, &[table.into(), whole.rows.into()], |_| Ok(()))?;
                    notify_sessions(table);
                }
            }
            Ok(())
        })
    }

    /// A WARNING for the caller; where there is none, a line of the server log.
    pub(super) fn say(&self, message: &str) {
        match self.has_caller() {
            true => pgrx::warning!("{message}"),
            false => ereport::log(message),
        }
    }

    /// Sends a query to every node, as the role that reads; each returns a JSON array or NULL.
    fn ask_nodes<T: DeserializeOwned>(&self, query: &str) -> Result<Replies<T>, Error> {
        let mut replies = Replies {
            found: Vec::new(),
            failures: Vec::new(),
        };
        let role = match self.reader_on_nodes() {
            Ok(role) => role,
            Err(error) => {
                replies.failures.push(error.message().to_owned());
                return Ok(replies);
            }
        };
        let mut limits = self.limits.clone();
        // Each node keeps to the limit itself, and reports when it is reached.
        limits.query_timeout += PATIENCE;
        let mut policy = self.policy.clone();
        policy.allowed_functions.extend(self.functions_that_ask()?);
        let asked = run_guarded(&limits, &policy, &role, |envelope| {
            envelope.armed.enter(Phase::Running);
            Ok(spi::execute(ASK_NODES, &[query.into()], |row| {
                Ok((
                    row.read::<bool>(1)?.unwrap_or_default(),
                    row.read::<String>(2)?,
                ))
            }))
        });
        let rows = match asked {
            Ok(Verdict::Passed(rows)) => rows?,
            Ok(Verdict::Rejected(rejection)) => {
                replies.failures.push(rejection.reason);
                return Ok(replies);
            }
            Ok(Verdict::Failed(error)) if error.sqlstate == "57014" => {
                replies.failures.push(format!(
                    "a node did not answer within {} ms",
                    limits.query_timeout.as_millis()
                ));
                return Ok(replies);
            }
            Ok(Verdict::Failed(error)) => {
                replies.failures.push(without_values(&error));
                return Ok(replies);
            }
            Err(error) => {
                replies.failures.push(with_way_out(error.message(), &role));
                return Ok(replies);
            }
        };
        for (is_reply, text) in rows {
            let text = text.unwrap_or_default();
            let list = match is_reply {
                true if text.is_empty() => Ok(Vec::new()),
                // What does not fit is not repeated: it may be a value.
                true => serde_json::from_str::<Vec<T>>(&text)
                    .map_err(|_| "its extension has another version".to_owned()),
                false => Err(with_way_out(text.trim(), &role)),
            };
            match list {
                Ok(list) => replies.found.extend(list),
                Err(failure) => replies.failures.push(failure),
            }
        }
        Ok(replies)
    }

    /// The functions of Citus that send a query to the nodes, which no statement of a user may call.
    fn functions_that_ask(&self) -> Result<Vec<u32>, Error> {
        let functions = self.as_owner(|| {
            spi::execute(ASKING, &[], |row| {
                Ok(row.read::<Oid>(1)?.map_or(0, Oid::to_u32))
            })
        })?;
        Ok(functions)
    }

    /// Reads the values and counts of a distributed table.
    pub(super) fn read_distributed(
        &self,
        table: Oid,
        distributed: &Distributed,
    ) -> Result<Outcome, Error> {
        let whole = distributed.tables.get(&table.to_u32());
        let rows = whole.and_then(Option::as_ref).map(|whole| whole.rows);
        if rows.is_none() && !distributed.is_heard {
            return Ok(Outcome::Failed(None));
        }
        let role = match self.reader_on_nodes() {
            Ok(role) => role,
            Err(error) => return Ok(Outcome::Failed(Some(error.message().to_owned()))),
        };
        let columns: Option<Vec<Column>> =
            with_role(&role, || spi::read_json(COLUMNS, &[table.into()]))?;
        let mut open = Vec::new();
        for column in columns.unwrap_or_default() {
            if protection::of_column(table, column.number)? == Level::Open {
                open.push(column);
            }
        }
        if open.is_empty() {
            return Ok(Outcome::Done(Vec::new(), None));
        }
        let labels: Vec<Found> = open
            .iter_mut()
            .filter_map(|column| {
                let labels = column.labels.take()?;
                Some(labels.of_column(column.number))
            })
            .collect();
        let outcome = match rows {
            Some(rows) if rows > MAX_ROWS => self.read_statistics(table, rows, &open)?,
            _ => self.read_rows(table, &open)?,
        };
        Ok(match outcome {
            Outcome::Done(mut found, counts) => {
                found.extend(labels);
                Outcome::Done(found, counts)
            }
            other => other,
        })
    }

    /// Counts the rows, and reads the distinct values of each text column.
    fn read_rows(&self, table: Oid, columns: &[Column]) -> Result<Outcome, Error> {
        let query = format!(
            "SELECT text2sql._shard_values({}, {}, {}, {})",
            quote_literal(&quoted_name(table)),
            names(columns, |_| true),
            names(columns, |column| column.is_text),
            i32::try_from(self.limits.query_timeout.as_millis()).unwrap_or(i32::MAX),
        );
        let replies = self.ask_nodes::<NodeValues>(&query)?;
        let mut whole = NodeValues::together(replies.found, columns.len());
        if whole.is_locked {
            return Ok(Outcome::Locked);
        }
        if let Some(reason) = whole.refusal {
            return Ok(Outcome::Failed(Some(reason)));
        }
        let shards = self.as_owner(|| {
            spi::execute(SHARDS_OF_TABLE, &[table.into()], |row| {
                Ok(row.read::<i64>(1)?.unwrap_or_default())
            })
        })?;
        // A copy of a shard on another node will do.
        if !whole.has_all(&shards) {
            let failure = replies.failures.into_iter().next();
            let failure =
                failure.unwrap_or_else(|| "nodes do not know of all its shards".to_owned());
            return Ok(Outcome::Failed(Some(failure)));
        }
        let (mut found, mut facts) = (Vec::new(), Vec::new());
        for (place, column) in columns.iter().enumerate() {
            let values = whole.values.get_mut(place).and_then(Option::take);
            let values = values.filter(|_| column.is_text);
            let distinct = values.as_ref().map(|values| values.len() as f64);
            found.extend(values.and_then(|values| kept_values(column.number, values)));
            facts.push((column.number, whole.null_share(place), distinct));
        }
        let counts = Counts {
            rows: whole.rows(),
            columns: facts,
        };
        Ok(Outcome::Done(found, Some(counts)))
    }

    /// Takes the values of a large table from the statistics of the nodes.
    fn read_statistics(&self, table: Oid, rows: f64, columns: &[Column]) -> Result<Outcome, Error> {
        let query = format!(
            "SELECT text2sql._shard_statistics({}, {}, {})",
            quote_literal(&quoted_name(table)),
            names(columns, |column| column.is_built_in),
            names(columns, |column| column.is_built_in && column.is_text),
        );
        let replies = self.ask_nodes::<Statistics>(&query)?;
        if let Some(failure) = replies.failures.into_iter().next() {
            return Ok(Outcome::Failed(Some(failure)));
        }
        let number_of = |name: &str| {
            let named = columns.iter().find(|column| column.name == name);
            named.map(|column| column.number)
        };
        let parts: Vec<PartStatistics> = replies
            .found
            .into_iter()
            .filter_map(|Statistics(name, rows, null_share, distinct, values)| {
                Some(PartStatistics {
                    column: number_of(&name)?,
                    rows,
                    null_share,
                    distinct,
                    values,
                })
            })
            .collect();
        let (mut found, mut facts) = (Vec::new(), Vec::new());
        for whole in shards::columns(&parts) {
            facts.push((whole.column, whole.null_share, whole.distinct_values));
            if !whole.values.is_empty() {
                found.push(Found {
                    column: whole.column,
                    values: whole.values,
                    is_complete: false,
                });
            }
        }
        let counts = Counts {
            rows,
            columns: facts,
        };
        Ok(Outcome::Done(found, Some(counts)))
    }
}

impl Counts {
    /// Stores what was counted. Runs as the owner of the index.
    pub(super) fn store(self, table: Oid) -> Result<(), Error> {
        let (mut numbers, mut null_shares, mut distinct) = (Vec::new(), Vec::new(), Vec::new());
        for (number, null_share, distinct_values) in self.columns {
            numbers.push(number);
            null_shares.push(null_share);
            distinct.push(distinct_values);
        }
        let arguments = [
            table.into(),
            self.rows.into(),
            numbers.into(),
            null_shares.into(),
            distinct.into(),
        ];
        spi::write(STORE, &arguments, |_| Ok(()))?;
        notify_sessions(table);
        Ok(())
    }
}

/// Forgets what was counted in the columns of a table that may no longer be read. Runs as the owner of the index.
pub(super) fn forget_counts(table: Oid) -> Result<(), Error> {
    let forgotten = spi::write(FORGET_COUNTS, &[table.into()], |_| Ok(()))?;
    if !forgotten.is_empty() {
        notify_sessions(table);
    }
    Ok(())
}

/// Has every session describe the table anew, after the commit.
fn notify_sessions(table: Oid) {
    // SAFETY: inside a transaction, on the main thread; a table that was dropped meanwhile is passed over.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::RELOID.cast_signed();
        let is_there =
            pg_sys::SearchSysCacheExists(cache, table.into(), 0.into(), 0.into(), 0.into());
        if is_there {
            pg_sys::CacheInvalidateRelcacheByRelid(table);
        }
    }
}

/// The names of some of the columns, as an SQL array.
fn names(columns: &[Column], is_wanted: impl Fn(&Column) -> bool) -> String {
    let quoted: Vec<String> = columns
        .iter()
        .filter(|column| is_wanted(column))
        .map(|column| quote_literal(&column.name))
        .collect();
    format!("ARRAY[{}]::pg_catalog.text[]", quoted.join(", "))
}

/// A failure to reach a node, with what helps where the role cannot log in there.
fn with_way_out(failure: &str, role: &EffectiveRole) -> String {
    let failure = failure.lines().next().unwrap_or_default();
    match role.can_log_in() {
        true => failure.to_owned(),
        false => format!(
            "{failure} (rows of distributed tables are read as role \"{}\", which must be able to log in on every worker; a superuser is replaced by text2sql.run_as)",
            role.name()
        ),
    }
}
