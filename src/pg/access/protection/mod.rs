//! What `text2sql.protect()` keeps from questions: a single definition of the protection of a column, for the
//! guard, the catalog and everything that puts values into a prompt.
//!
//! | level | questions | values in a prompt |
//! |---|---|---|
//! | sample | may use it | frequent ones always, as the owner consents; others as the egress allows |
//! | open | may use it | as the egress of the endpoint allows |
//! | private | may use it | never |
//! | hidden | cannot see it | never |
//!
//! The strictest level of a column, its table and its schema applies. What a relation reads from others (a view
//! from the tables of its query, a parent from its children, a child from its parents) is at least as protected
//! as it is there; a generated column is as protected as the columns in its expression. Only an explicit `open`
//! on a column or a relation lowers protection: it publishes that column or relation, whatever the level of its
//! schema or of what it reads. `sample` is a consent and no protection: it counts where nothing makes the column
//! private or hidden, and not for what reads the relation.
//!
//! Rules are read from `text2sql._protections` as its owner, cached by the session and read again when the
//! table changes, so that a rule committed by another session applies from the next question on. Levels of
//! relations are computed on demand and cached until the catalog changes. Without any rule the cost is
//! negligible.

pub(crate) mod availability;
pub(crate) mod change;
mod column_levels;
mod protection_level;
mod relatives;
mod rules;
pub(crate) mod visible;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, ErrorKind};

pub(crate) use self::column_levels::RelationLevels;
pub(crate) use self::protection_level::Level;
pub(crate) use self::relatives::{descendants, holds_statistics};
use self::rules::Rules;
pub(crate) use self::rules::owner;
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::server::spi::role::{self, EffectiveRole};
use crate::pg::server::spi::sandbox;

thread_local! {
    // The cells have no destructor, so a callback during the session's end still finds them.
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
    static ARE_RULES_STALE: Cell<bool> = const { Cell::new(true) };
    static ARE_LEVELS_STALE: Cell<bool> = const { Cell::new(true) };
    static TABLE: Cell<u32> = const { Cell::new(0) };
    static RULES: RefCell<Rc<Rules>> = RefCell::default();
    static LEVELS: RefCell<HashMap<u32, Rc<RelationLevels>>> = RefCell::default();
}

/// Whether nothing is protected at all.
pub(crate) fn protects_nothing() -> Result<bool, Error> {
    Ok(rules()?.is_empty())
}

/// How the relation and its columns are protected.
pub(crate) fn of_relation(relation: pg_sys::Oid) -> Result<Rc<RelationLevels>, Error> {
    let rules = rules()?;
    let oid = relation.to_u32();
    if rules.is_empty() || oid < FIRST_USER_OID {
        return Ok(Rc::default());
    }
    if let Some(known) = LEVELS.with_borrow(|levels| levels.get(&oid).cloned()) {
        return Ok(known);
    }
    let found = Rc::new(column_levels::work_out(&rules, relation));
    LEVELS.with_borrow_mut(|levels| levels.insert(oid, Rc::clone(&found)));
    Ok(found)
}

/// The protection of the column; of the table itself for 0.
pub(crate) fn of_column(relation: pg_sys::Oid, number: i16) -> Result<Level, Error> {
    Ok(of_relation(relation)?.column(number))
}

/// The columns that are hidden by name, of existing tables.
pub(crate) fn hidden_columns() -> Result<Vec<(pg_sys::Oid, i16)>, Error> {
    let rules = rules()?;
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    Ok(rules.hidden_columns())
}

/// The names of the relation's hidden columns.
pub(crate) fn hidden_names(relation: pg_sys::Oid) -> Vec<String> {
    match of_relation(relation) {
        Ok(levels) if levels.strictest() == Level::Hidden => rules::column_names(relation)
            .filter(|(number, _)| levels.column(*number) == Level::Hidden)
            .map(|(_, name)| name)
            .collect(),
        _ => Vec::new(),
    }
}

/// Numbers of the relation's columns.
pub(crate) fn column_numbers(relation: pg_sys::Oid) -> Vec<i16> {
    rules::column_names(relation)
        .map(|(number, _)| number)
        .collect()
}

/// Makes this session read the rules again.
fn forget() {
    ARE_RULES_STALE.set(true);
}

/// Runs `work` as the owner of the table of protections: only for fixed statements about it.
fn as_owner<T>(work: impl FnOnce() -> T) -> Option<T> {
    let table = rules::table()?;
    let role = EffectiveRole {
        oid: owner(table)?,
        is_switched: true,
    };
    Some(role::with_role(&role, work))
}

/// The current rules. Works inside a guarded statement too: the query calls no user function.
fn rules() -> Result<Rc<Rules>, Error> {
    register();
    if ARE_RULES_STALE.get() {
        // Cleared first, so that a message that arrives during the read counts; set again if the read fails,
        // also by an ERROR.
        let retry = Retry;
        ARE_RULES_STALE.set(false);
        let table = rules::table();
        TABLE.set(table.map_or(0, pg_sys::Oid::to_u32));
        // Undone, so that no lock on the table of protections is held during a model call.
        // SAFETY: reads a variable of the process.
        let read = if unsafe { pg_sys::IsInParallelMode() } {
            // A policy in a parallel worker: it may not start a subtransaction.
            Ok(as_owner(rules::read))
        } else {
            sandbox::run_and_undo(|_| as_owner(rules::read), |_| None)
        };
        let read = match read {
            Ok(read) => read.transpose()?.unwrap_or_default(),
            Err(error) => return Err(Error::new(ErrorKind::Internal, error.message)),
        };
        std::mem::forget(retry);
        RULES.replace(Rc::new(read));
        ARE_LEVELS_STALE.set(true);
    }
    if ARE_LEVELS_STALE.replace(false) {
        LEVELS.take();
    }
    Ok(RULES.with_borrow(Rc::clone))
}

struct Retry;

impl Drop for Retry {
    fn drop(&mut self) {
        ARE_RULES_STALE.set(true);
    }
}

fn register() {
    if IS_REGISTERED.replace(true) {
        return;
    }
    // SAFETY: the tables of callbacks have room, 10 for relations and 64 for other caches,
    // and a full one is a FATAL; the functions live as long as the library, which is never unloaded.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(note_relation), 0.into());
        pg_sys::CacheRegisterSyscacheCallback(
            pg_sys::SysCacheIdentifier::NAMESPACEOID as i32,
            Some(note_schema),
            0.into(),
        );
    }
}

/// # Safety
///
/// Called by PostgreSQL only, on the main thread.
unsafe extern "C-unwind" fn note_relation(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
    note(relation.to_u32());
}

/// # Safety
///
/// Called by PostgreSQL only, on the main thread.
unsafe extern "C-unwind" fn note_schema(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
    // A renamed schema gives all its tables another name.
    ARE_LEVELS_STALE.set(true);
}

/// Records a changed relation; 0 means all of them. While there is no table of protections, any new relation
/// may be that table.
fn note(oid: u32) {
    let table = TABLE.get();
    if oid == 0 || table == 0 || oid == table {
        ARE_RULES_STALE.set(true);
    }
    if oid == 0 || oid >= FIRST_USER_OID {
        ARE_LEVELS_STALE.set(true);
    }
}
