//! Internal queries: parameterized, read-only, returning owned values.
//!
//! Each query is a `&'static str` that is prepared once per session and cached, because planning the larger
//! ones takes ten times as long as running them ([`read_once`] is the exception). A query runs under:
//!
//! - A path of `pg_catalog` alone: names in it refer to the server's own objects, whatever the caller's path.
//!   What depends on the caller's path must be computed before, or passed in.
//! - SPI's read-only mode, except in [`write()`]. pgrx's `select` passes `read_only = false` once the transaction
//!   has an id, so that the same query would then see other rows and could write; hence SPI itself.
//! - The latest snapshot, not the transaction's: a cache that outlives transactions must not be filled from the
//!   past, and the parser looks names up in the present too.
//! - The caller's role: privilege functions in a query refer to the caller.
//!
//! No transaction id is assigned, so all of it works on a standby.
//!
//! An ERROR unwinds past the code that restores the settings and the snapshot. That is sound: the code that
//! ends the (sub)transaction then restores both, and SPI's state with them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString};

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use pgrx::prelude::*;
use serde::de::DeserializeOwned;
use text2sql_domain::error::{Error, ErrorKind, failure};

use crate::pg::server::compat::search_path::with_system_path;
use crate::pg::server::installed_version::require_same_version;
use crate::pg::server::spi::internal_settings::{
    BASIC_SETTINGS, PATH, PLANNER_SETTINGS, are_internal, with_settings,
};
use crate::pg::server::spi::owner::can_write;

thread_local! {
    /// Prepared plans by the address of their text, one for each list of argument types: the compiler may merge
    /// equal texts, and a plan must never read a datum of another type than it was prepared for. There are only
    /// as many as texts in the program, so no limit is needed; they are freed at the end of the session.
    static PLANS: RefCell<HashMap<(usize, usize), Vec<pg_sys::SPIPlanPtr>>> = RefCell::new(HashMap::new());

    /// The memory context for allocations between two commits of a procedure; NULL outside of one.
    static BETWEEN_COMMITS: Cell<pg_sys::MemoryContext> = const { Cell::new(std::ptr::null_mut()) };
}

/// What an internal query may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Reads,
    Writes,
}

/// A row of a result, valid until the closure that received it returns.
pub(crate) struct Row {
    tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
}

impl Row {
    /// The value of the column, counted from 1; `None` is NULL.
    pub(crate) fn read<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<Option<T>, Error> {
        let mut is_null = false;
        // SAFETY: tuple and descriptor come from the same SPI result, which outlives the row;
        // SPI_getbinval refuses a column number out of range by SPI_result.
        let (datum, type_oid) = unsafe {
            let datum = pg_sys::SPI_getbinval(self.tuple, self.descriptor, column, &mut is_null);
            (datum, pg_sys::SPI_gettypeid(self.descriptor, column))
        };
        if type_oid == pg_sys::InvalidOid || !T::is_compatible_with(type_oid) {
            return Err(internal(format!(
                "unexpected type for column {column} of internal query"
            )));
        }
        // SAFETY: the datum is of a type that T reads, as checked; T owns what it reads.
        Ok(unsafe { T::from_polymorphic_datum(datum, is_null, type_oid) })
    }
}

/// JSON written by serde, as an argument of type `json`: a cast would parse it again.
pub(crate) fn json(text: String) -> DatumWithOid<'static> {
    // SAFETY: a `json` is stored as a text is.
    unsafe { DatumWithOid::new(text, pg_sys::JSONOID) }
}

/// OIDs as an argument of a query.
pub(crate) fn oid_array(oids: impl Iterator<Item = u32>) -> DatumWithOid<'static> {
    oids.map(pg_sys::Oid::from).collect::<Vec<_>>().into()
}

/// An SPI connection, which ends when it is dropped, also after an `Err`.
///
/// When an ERROR unwinds through it, it is left to the end of the (sub)transaction, which every ERROR causes
/// (`sandbox.rs` or the server): above it may be connections of functions that the query called, and
/// `SPI_finish` would end the last one of those instead.
struct Connection(());

impl Connection {
    fn open() -> Result<Self, Error> {
        Self::open_with(0)
    }

    fn open_with(options: u32) -> Result<Self, Error> {
        // SAFETY: inside a transaction on the main thread.
        let status = unsafe { pg_sys::SPI_connect_ext(options.cast_signed()) };
        check(status, "SPI_connect")?;
        Ok(Self(()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: connected by `open`, and every connection that was opened since has ended. It fails for
            // a lack of connections only.
            unsafe { pg_sys::SPI_finish() };
        }
    }
}

/// Runs `sql` and reads each row, at most `limit` of them (0: all).
pub(crate) fn read_rows<T>(
    sql: &'static str,
    arguments: &[DatumWithOid<'_>],
    limit: usize,
    read: impl FnMut(&Row) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    collect(read, |take| {
        run_kept(sql, arguments, Access::Reads, limit, take)
    })
}

/// Runs `sql`, which changes tables of the extension as the caller, and reads each returned row.
pub(crate) fn write<T>(
    sql: &'static str,
    arguments: &[DatumWithOid<'_>],
    read: impl FnMut(&Row) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    if !can_write() {
        return Err(failure!(
            ReadOnly,
            "cannot write on a standby or in a read-only transaction"
        )
        .with_hint("Call the function on the primary server, outside a read-only transaction."));
    }
    collect(read, |take| {
        run_kept(sql, arguments, Access::Writes, 0, take)
    })
}

/// Runs an internal statement that is built at run time or reads whole catalogs: planned for this one
/// execution, with every kind of plan allowed.
pub(crate) fn execute<T>(
    sql: &str,
    arguments: &[DatumWithOid<'_>],
    read: impl FnMut(&Row) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    collect(read, |take| run_unplanned(sql, arguments, take))
}

fn run_unplanned(
    sql: &str,
    arguments: &[DatumWithOid<'_>],
    take: TakeRow<'_>,
) -> Result<(), Error> {
    let text = CString::new(sql).map_err(|error| {
        internal("internal query contains a NUL byte".to_owned()).with_source(error)
    })?;
    let (mut values, nulls) = datums(arguments);
    let mut types: Vec<pg_sys::Oid> = arguments.iter().map(|argument| argument.oid()).collect();
    let count = i32::try_from(types.len()).unwrap_or(i32::MAX);
    with_settings(&[PATH, BASIC_SETTINGS], || {
        let _connection = Connection::open()?;
        // SAFETY: as in `read_rows`; the arrays are as long as said and outlive the call.
        unsafe {
            let status = pg_sys::SPI_execute_with_args(
                text.as_ptr(),
                count,
                types.as_mut_ptr(),
                values.as_mut_ptr(),
                nulls.as_ptr(),
                false,
                0,
            );
            check(status, "SPI_execute_with_args")?;
            rows_of_result(take)
        }
    })
}

/// Runs DDL for the caller: as the caller, and under the caller's own settings, so that names in it are
/// resolved as the caller would resolve them.
pub(crate) fn define(sql: &str) -> Result<(), Error> {
    define_with(sql, None)
}

/// The same for a statement that may read `relation` by its name.
pub(crate) fn define_with(
    sql: &str,
    relation: Option<&mut pg_sys::EphemeralNamedRelationData>,
) -> Result<(), Error> {
    let text = CString::new(sql)
        .map_err(|error| internal("statement contains a NUL byte".to_owned()).with_source(error))?;
    with_settings(&[], || {
        let _connection = Connection::open()?;
        // SAFETY: as in `read_rows`; the relation outlives the connection, which forgets it.
        unsafe {
            if let Some(relation) = relation {
                check(
                    pg_sys::SPI_register_relation(relation),
                    "SPI_register_relation",
                )?;
            }
            check(pg_sys::SPI_execute(text.as_ptr(), false, 0), "SPI_execute")
        }
    })
}

/// Runs a statement that inserts rows for the caller, under the caller's own settings.
pub(crate) fn write_rows(sql: &str, arguments: &[DatumWithOid<'_>]) -> Result<(), Error> {
    as_caller(sql, arguments, false)
}

/// Runs a statement that reads nothing but its arguments, under the caller's own settings, where types are found by
/// the names that the caller uses.
pub(crate) fn read_values(sql: &str, arguments: &[DatumWithOid<'_>]) -> Result<(), Error> {
    as_caller(sql, arguments, true)
}

fn as_caller(sql: &str, arguments: &[DatumWithOid<'_>], is_read_only: bool) -> Result<(), Error> {
    let text = CString::new(sql)
        .map_err(|error| internal("statement contains a NUL byte".to_owned()).with_source(error))?;
    let (mut values, nulls) = datums(arguments);
    let mut types: Vec<pg_sys::Oid> = arguments.iter().map(|argument| argument.oid()).collect();
    let count = i32::try_from(types.len()).unwrap_or(i32::MAX);
    with_settings(&[], || {
        let _connection = Connection::open()?;
        // SAFETY: as in `read_rows`; the arrays are as long as said and outlive the call.
        unsafe {
            let status = pg_sys::SPI_execute_with_args(
                text.as_ptr(),
                count,
                types.as_mut_ptr(),
                values.as_mut_ptr(),
                nulls.as_ptr(),
                is_read_only,
                0,
            );
            check(status, "SPI_execute_with_args")
        }
    })
}

/// Runs `work`, which may [`commit`], in a procedure that was not called in a transaction block.
///
/// Memory that PostgreSQL allocates meanwhile, including arguments and documents, is freed at each commit:
/// otherwise a call that runs for minutes would hold all of it to its end.
pub(crate) fn with_commits<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let _connection = Connection::open_with(pg_sys::SPI_OPT_NONATOMIC)?;
    // SAFETY: inside a transaction on the main thread; the caller's CALL is non-atomic. The context is
    // a child of the connection's, which ends with it, also after an ERROR.
    unsafe {
        let before = pg_sys::CurrentMemoryContext;
        BETWEEN_COMMITS.set(pg_sys::AllocSetContextCreateInternal(
            before,
            c"text2sql between commits".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        ));
        // Cleared after an ERROR as well: a dangling context must not be used.
        let forget = Forget;
        pg_sys::MemoryContextSwitchTo(BETWEEN_COMMITS.get());
        let outcome = work();
        pg_sys::MemoryContextSwitchTo(before);
        drop(forget);
        outcome
    }
}

/// Forgets the context between commits when it is dropped.
struct Forget;

impl Drop for Forget {
    fn drop(&mut self) {
        BETWEEN_COMMITS.set(std::ptr::null_mut());
    }
}

/// Commits the work done so far and begins the next transaction. Only directly inside [`with_commits`], with no
/// values of PostgreSQL held other than numbers.
pub(crate) fn commit() {
    // A test of the adapters is one transaction, which nothing may end.
    #[cfg(feature = "pg_test")]
    // SAFETY: reads the transaction's state; makes visible what was written.
    unsafe {
        if pg_sys::IsTransactionBlock() {
            pg_sys::CommandCounterIncrement();
            return;
        }
    }
    // SAFETY: connected non-atomically, with no snapshot, subtransaction or connection of the extension open.
    // Nothing refers to the context: results are owned, and arguments are created for a call.
    unsafe {
        pg_sys::SPI_commit();
        if !BETWEEN_COMMITS.get().is_null() {
            pg_sys::MemoryContextReset(BETWEEN_COMMITS.get());
            pg_sys::MemoryContextSwitchTo(BETWEEN_COMMITS.get());
        }
    }
}

/// Runs `sql` and reads the first column of its first row; `None` when there is no row or it is NULL.
pub(crate) fn read_one<T: FromDatum + IntoDatum>(
    sql: &'static str,
    arguments: &[DatumWithOid<'_>],
) -> Result<Option<T>, Error> {
    let values = read_rows(sql, arguments, 1, |row| row.read::<T>(1))?;
    Ok(values.into_iter().next().flatten())
}

/// Runs `sql`, which returns one JSON document as `text`, and parses it.
pub(crate) fn read_json<T: DeserializeOwned>(
    sql: &'static str,
    arguments: &[DatumWithOid<'_>],
) -> Result<T, Error> {
    let text = read_one::<String>(sql, arguments)?
        .ok_or_else(|| internal("internal query returned no JSON".to_owned()))?;
    serde_json::from_str(&text).map_err(|error| {
        internal("unexpected JSON returned by internal query".to_owned()).with_source(error)
    })
}

/// Runs a query whose text contains a schema known only at run time, and reads each row. Its plan is not
/// cached.
pub(crate) fn read_once<T>(
    sql: &str,
    arguments: &[DatumWithOid<'_>],
    read: impl FnMut(&Row) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    collect(read, |take| run_planned_once(sql, arguments, take))
}

fn run_planned_once(
    sql: &str,
    arguments: &[DatumWithOid<'_>],
    take: TakeRow<'_>,
) -> Result<(), Error> {
    with_settings(&[PATH, BASIC_SETTINGS, PLANNER_SETTINGS], || {
        let _connection = Connection::open()?;
        // SAFETY: connected, with a snapshot; the plan belongs to the connection and ends with it.
        unsafe {
            let plan = plan_of(sql, arguments)?;
            run_plan(plan, arguments, Access::Reads, 0, take)
        }
    })
}

/// What takes each row of a result. Not generic: what runs a query is compiled once, not once for each query.
type TakeRow<'a> = &'a mut dyn FnMut(&Row) -> Result<(), Error>;

/// The rows that `run` gives to what takes them, each as `read` reads it.
fn collect<T>(
    mut read: impl FnMut(&Row) -> Result<T, Error>,
    run: impl FnOnce(TakeRow<'_>) -> Result<(), Error>,
) -> Result<Vec<T>, Error> {
    let mut rows = Vec::new();
    run(&mut |row| {
        rows.push(read(row)?);
        Ok(())
    })?;
    Ok(rows)
}

/// Runs the cached plan of `sql`, under the internal path and settings and the latest snapshot.
fn run_kept(
    sql: &'static str,
    arguments: &[DatumWithOid<'_>],
    access: Access,
    limit: usize,
    take: TakeRow<'_>,
) -> Result<(), Error> {
    require_same_version()?;
    let settings: &[&[(&CStr, &CStr)]] = match is_ready(sql, arguments) {
        true => &[],
        false => &[BASIC_SETTINGS, PLANNER_SETTINGS],
    };
    with_system_path(|| {
        with_settings(settings, || {
            let _connection = Connection::open()?;
            // SAFETY: connected, and with a snapshot.
            unsafe {
                let plan = prepare(sql, arguments)?;
                run_plan(plan, arguments, access, limit, take)
            }
        })
    })
}

/// # Safety
///
/// SPI must be connected and a snapshot active; the plan takes these arguments.
unsafe fn run_plan(
    plan: pg_sys::SPIPlanPtr,
    arguments: &[DatumWithOid<'_>],
    access: Access,
    limit: usize,
    take: TakeRow<'_>,
) -> Result<(), Error> {
    let (mut values, nulls) = datums(arguments);
    // SAFETY: a plan takes as many arguments as it was prepared with, and lives as long as the connection.
    let status = unsafe {
        pg_sys::SPI_execute_plan(
            plan,
            values.as_mut_ptr(),
            nulls.as_ptr(),
            access == Access::Reads,
            std::ffi::c_long::try_from(limit).unwrap_or(0),
        )
    };
    check(status, "SPI_execute_plan")?;
    // SAFETY: the statement above ended well.
    unsafe { rows_of_result(take) }
}

/// Arguments as SPI takes them.
fn datums(arguments: &[DatumWithOid<'_>]) -> (Vec<pg_sys::Datum>, Vec<std::ffi::c_char>) {
    let pairs = arguments.iter().map(|argument| match argument.datum() {
        Some(datum) => (datum.sans_lifetime(), b' ' as std::ffi::c_char),
        None => (pg_sys::Datum::from(0), b'n' as std::ffi::c_char),
    });
    pairs.unzip()
}

/// # Safety
///
/// SPI must be connected and its last statement have ended well.
unsafe fn rows_of_result(take: TakeRow<'_>) -> Result<(), Error> {
    // SAFETY: after a statement that returns rows, SPI_tuptable is its result, with SPI_processed tuples in it.
    let (tuples, descriptor) = unsafe {
        let Some(table) = pg_sys::SPI_tuptable.as_ref() else {
            return Ok(());
        };
        let count = usize::try_from(pg_sys::SPI_processed).unwrap_or(0);
        (std::slice::from_raw_parts(table.vals, count), table.tupdesc)
    };
    tuples
        .iter()
        .try_for_each(|&tuple| take(&Row { tuple, descriptor }))
}

/// # Safety
///
/// SPI must be connected.
unsafe fn prepare(
    sql: &'static str,
    arguments: &[DatumWithOid<'_>],
) -> Result<pg_sys::SPIPlanPtr, Error> {
    if let Some(plan) = kept(sql, arguments) {
        return Ok(plan);
    }
    // SAFETY: SPI is connected, by contract.
    let plan = unsafe {
        let plan = plan_of(sql, arguments)?;
        check(pg_sys::SPI_keepplan(plan), "SPI_keepplan")?;
        plan
    };
    PLANS.with_borrow_mut(|plans| plans.entry(place_of(sql)).or_default().push(plan));
    Ok(plan)
}

/// The plan that was cached for the text and arguments of these types.
fn kept(sql: &'static str, arguments: &[DatumWithOid<'_>]) -> Option<pg_sys::SPIPlanPtr> {
    let takes_them = |plan: &pg_sys::SPIPlanPtr| {
        // SAFETY: a kept plan stays valid until the session ends; an argument that it does not have is of
        // type InvalidOid.
        unsafe {
            usize::try_from(pg_sys::SPI_getargcount(*plan)) == Ok(arguments.len())
                && (0_i32..).zip(arguments).all(|(place, argument)| {
                    pg_sys::SPI_getargtypeid(*plan, place) == argument.oid()
                })
        }
    };
    PLANS.with_borrow(|plans| plans.get(&place_of(sql))?.iter().copied().find(takes_them))
}

fn place_of(sql: &'static str) -> (usize, usize) {
    (sql.as_ptr() as usize, sql.len())
}

/// Whether the text is planned, its plan is still valid, and the caller's settings affect its values as the
/// internal ones would: then setting these, which takes as long as a small query, changes nothing.
fn is_ready(sql: &'static str, arguments: &[DatumWithOid<'_>]) -> bool {
    let Some(plan) = kept(sql, arguments) else {
        return false;
    };
    // SAFETY: reads lists and plans that belong to the kept plan and live as long as it.
    unsafe {
        let sources = pg_sys::SPI_plan_get_plan_sources(plan);
        let sources = pgrx::PgList::<pg_sys::CachedPlanSource>::from_pg(sources);
        let are_planned = sources.iter_ptr().all(|source| {
            let generic = (*source).gplan;
            (*source).is_valid && !generic.is_null() && (*generic).is_valid
        });
        are_planned && are_internal()
    }
}

/// # Safety
///
/// SPI must be connected.
unsafe fn plan_of(sql: &str, arguments: &[DatumWithOid<'_>]) -> Result<pg_sys::SPIPlanPtr, Error> {
    let text = CString::new(sql).map_err(|error| {
        internal("internal query contains a NUL byte".to_owned()).with_source(error)
    })?;
    let mut types: Vec<pg_sys::Oid> = arguments.iter().map(|argument| argument.oid()).collect();
    let count = i32::try_from(types.len()).unwrap_or(i32::MAX);
    // SAFETY: SPI is connected, by contract; text and types outlive the call, which copies both.
    let plan = unsafe {
        let generic = pg_sys::CURSOR_OPT_GENERIC_PLAN.cast_signed();
        pg_sys::SPI_prepare_cursor(text.as_ptr(), count, types.as_mut_ptr(), generic)
    };
    if plan.is_null() {
        return Err(internal("internal query could not be prepared".to_owned()));
    }
    Ok(plan)
}

fn check(status: i32, call: &str) -> Result<(), Error> {
    match status {
        status if status >= 0 => Ok(()),
        status => Err(internal(format!("{call} gave {status}"))),
    }
}

fn internal(message: String) -> Error {
    Error::new(ErrorKind::Internal, message)
}

#[cfg(feature = "pg_test")]
#[pg_schema]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[pg_test]
    fn a_kept_plan_is_found_by_the_types_of_its_arguments_too() {
        const ECHO: &str = "SELECT $1::text";
        let echo = |argument: DatumWithOid<'_>| read_one::<String>(ECHO, &[argument]).unwrap();
        for _ in 0..2 {
            assert_eq!(echo(7_i64.into()).as_deref(), Some("7"));
            // Read as a bigint, the text would be an address.
            assert_eq!(echo("seven".into()).as_deref(), Some("seven"));
            assert_eq!(echo(vec![7_i32, 8].into()).as_deref(), Some("{7,8}"));
            assert_eq!(echo(true.into()).as_deref(), Some("true"));
        }
        let plans = PLANS.with_borrow(|plans| plans.get(&place_of(ECHO)).map(Vec::len));
        assert_eq!(plans, Some(4), "each is kept and found again");
    }

    #[pg_test]
    fn what_spi_refuses_leaves_no_connection() {
        assert!(execute("COMMIT", &[], |_| Ok(())).is_err());
        assert!(define("ROLLBACK").is_err());
        assert!(read_once("COPY pg_class TO STDOUT", &[], |_| Ok(())).is_err());
        let unreadable = execute("SELECT 1", &[], |row| row.read::<String>(1));
        assert!(unreadable.is_err());
        // SAFETY: without a connection it does nothing but say so.
        let status = unsafe { pg_sys::SPI_finish() };
        assert_eq!(status, pg_sys::SPI_ERROR_UNCONNECTED);
    }
}
