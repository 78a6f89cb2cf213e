//! Perturbed copies of tables: fills them and decides which copy may replace which table.
//!
//! A copy belongs to the role that made it, is in the schema `text2sql_perturbed` and has exactly the columns
//! of its original. Values are copied as stored (`stored_rows`), so no code by the owner of the original is
//! executed. `text2sql_eval._perturbed_tables` is written only here, as its owner, and its rows are trusted only
//! for tables that are such copies.

use std::collections::HashMap;
use std::ffi::CStr;
use std::ops::ControlFlow;

use pgrx::pg_sys::{self, Datum, Oid};
use text2sql_domain::error::{Error, failure};
use text2sql_metrics::perturbed_copies::{RowHash, share};

use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::access::objects::attributes::attributes;
use crate::pg::access::protection::availability::is_available;
use crate::pg::access::protection::{self, Level};
use crate::pg::access::query_tree::reads::quoted_name;
use crate::pg::access::stored_rows::{Read, StoredRow, StoredTable, with_stored};
use crate::pg::server::compat::{generated_columns, object_privileges};
use crate::pg::server::session::user_name;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::owner::as_owner_of_eval;

const REGISTER: &str =
    "INSERT INTO text2sql_eval._perturbed_tables (made_by, version, original, copy, made_at)
     VALUES ($1::text::name, $2, $3, $4, now())
     ON CONFLICT (made_by, version, original) DO UPDATE SET copy = excluded.copy, made_at = excluded.made_at";
const FORGET: &str = "DELETE FROM text2sql_eval._perturbed_tables AS p
     WHERE p.made_by = $1::text::name OR NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = p.copy)";
/// Those of the role itself, else of the role it is a member of that made copies last.
const COPIES: &str = "SELECT p.version, p.original::oid, p.copy::oid, maker.oid
     FROM text2sql_eval._perturbed_tables AS p
     CROSS JOIN (
         SELECT r.oid, m.made_by FROM text2sql_eval._perturbed_tables AS m
         JOIN pg_roles AS r ON r.rolname = m.made_by
         WHERE pg_has_role($1, r.oid, 'MEMBER')
         ORDER BY r.oid = $1 DESC, m.made_at DESC LIMIT 1) AS maker
     WHERE p.made_by = maker.made_by
     ORDER BY p.version";

const COPIES_SCHEMA: &CStr = c"text2sql_perturbed";
const CHANGING: &str = "another session is changing its definition";

/// One set of copies: the replacement for each table, by OID.
pub(crate) struct StandIns {
    /// The role that made them.
    maker: Oid,
    copies: HashMap<u32, u32>,
}

impl StandIns {
    /// The copy that may replace the table when the current user reads it; it is locked.
    ///
    /// Properties that may have changed since the copy was made are checked again: no copy is read of a table
    /// that now has row-level security or is not visible to questions.
    pub(crate) fn of(&self, original: Oid) -> Option<Oid> {
        let copy = Oid::from(*self.copies.get(&original.to_u32())?);
        let schemas = settings::allowed_schemas();
        let is_shown = is_available(original, schemas.as_deref()).unwrap_or(false);
        let fits = is_shown
            && with_both(original, copy, |original, copy| {
                // SAFETY: an open relation.
                is_copy(original, copy) && unsafe { (*(*copy).rd_rel).relowner } == self.maker
            })?;
        fits.then_some(copy)
    }
}

/// The sets of copies that evaluations of the current user may read, by version.
pub(crate) fn stand_ins() -> Result<Vec<StandIns>, Error> {
    // SAFETY: reads a variable of the session.
    let user = unsafe { pg_sys::GetUserId() };
    let rows = as_owner_of_eval(c"_perturbed_tables", || {
        spi::read_rows(COPIES, &[user.into()], 0, |row| {
            Ok((
                row.read::<i32>(1)?.unwrap_or_default(),
                row.read::<Oid>(2)?.unwrap_or(Oid::INVALID),
                row.read::<Oid>(3)?.unwrap_or(Oid::INVALID),
                row.read::<Oid>(4)?.unwrap_or(Oid::INVALID),
            ))
        })
    })?;
    let mut sets: Vec<(i32, StandIns)> = Vec::new();
    for (version, original, copy, maker) in rows {
        // A table of a superuser is no perturbed copy: perturb() refuses to make one for a superuser.
        // SAFETY: a look-up in the cache.
        if unsafe { pg_sys::superuser_arg(maker) } {
            continue;
        }
        if sets.last().is_none_or(|(last, _)| *last != version) {
            let copies = HashMap::new();
            sets.push((version, StandIns { maker, copies }));
        }
        if let Some((_, set)) = sets.last_mut() {
            set.copies.insert(original.to_u32(), copy.to_u32());
        }
    }
    Ok(sets.into_iter().map(|(_, set)| set).collect())
}

/// Fills an empty copy of a table with some of its rows and records it; returns the number of rows, or `None`
/// after a NOTICE when the table cannot be copied.
pub(crate) fn fill(
    version: i32,
    original: Oid,
    copy: Oid,
    keep: f64,
    max_rows: i32,
) -> Result<Option<i64>, Error> {
    // SAFETY: reads a variable of the session and a cache.
    let (user, is_superuser) = unsafe {
        let user = pg_sys::GetUserId();
        (user, pg_sys::superuser_arg(user))
    };
    if is_superuser {
        return Err(failure!(Denied, "a superuser cannot make perturbed copies"));
    }
    let name = quoted_name(original);
    if !may_read(original) {
        return Err(failure!(Denied, "permission denied for table {name}"));
    }
    let skipped = |reason: &str| {
        pgrx::notice!("text2sql: {name} is not copied: {reason}");
        Ok(None)
    };
    if !is_available(original, settings::allowed_schemas().as_deref())? {
        return skipped("it is not visible to text2sql");
    }
    // SAFETY: main thread, inside a transaction, whose end releases the lock; does not wait.
    let is_locked = unsafe {
        pg_sys::ConditionalLockRelationOid(original, pg_sys::AccessShareLock.cast_signed())
    };
    if !is_locked {
        return skipped(CHANGING);
    }
    if with_both(original, copy, |original, _| has_row_security(original)) == Some(true) {
        return skipped("it has row-level security");
    }
    let has_virtual = with_both(original, copy, |original, _| {
        // SAFETY: an open relation.
        unsafe { generated_columns::are_virtual_in((*original).rd_att) }
    });
    if has_virtual == Some(true) {
        return skipped("it has virtual generated columns");
    }
    let fits = with_both(original, copy, |original, copy| {
        // SAFETY: an open relation.
        is_copy(original, copy) && unsafe { (*(*copy).rd_rel).relowner } == user
    });
    if fits != Some(true) {
        return Err(failure!(
            Setting,
            "the table to fill is not a copy of the original made by the current user"
        ));
    }
    let limits = settings::limits(&Overrides::default());
    let mut rows = Rows::begin(copy);
    let levels = protection::of_relation(original)?;
    let read = with_stored(
        original,
        false,
        &limits,
        &settings::guard_policy(),
        |stored| {
            // SAFETY: the table is open.
            let columns = unsafe { attributes(stored.relation()) };
            let columns: Vec<Column> = columns
                .iter()
                .filter(|column| {
                    !column.attisdropped && levels.column(column.attnum) < Level::Hidden
                })
                .map(Column::of)
                .collect();
            copy_rows(stored, &columns, version, keep, max_rows, &mut rows)
        },
    );
    let read = match read {
        Ok(read) => read,
        Err(error) => {
            rows.end();
            return Err(error);
        }
    };
    match read {
        Read::Done(()) => {
            let count = rows.insert_into(copy);
            let user_name = user_name();
            let arguments = [
                user_name.as_str().into(),
                version.into(),
                original.into(),
                copy.into(),
            ];
            as_owner_of_eval(c"_perturbed_tables", || {
                spi::write(REGISTER, &arguments, |_| Ok(())).map(|_| ())
            })?;
            Ok(Some(count))
        }
        Read::Locked => {
            rows.end();
            skipped(CHANGING)
        }
        Read::Refused(reason) => {
            rows.end();
            skipped(&reason)
        }
    }
}

/// Removes the records of the current user's copies, and of copies that no longer exist.
pub(crate) fn forget() -> Result<(), Error> {
    let user_name = user_name();
    as_owner_of_eval(c"_perturbed_tables", || {
        spi::write(FORGET, &[user_name.as_str().into()], |_| Ok(())).map(|_| ())
    })
}

/// Opens two relations, which stay locked; `None` when one of them no longer exists.
fn with_both<T>(
    original: Oid,
    copy: Oid,
    look: impl FnOnce(pg_sys::Relation, pg_sys::Relation) -> T,
) -> Option<T> {
    let lock = pg_sys::AccessShareLock.cast_signed();
    let no_lock = pg_sys::NoLock.cast_signed();
    // SAFETY: inside a transaction; what is gone is NULL, what is opened is closed, after an ERROR with the
    // (sub)transaction.
    unsafe {
        let original = pg_sys::try_relation_open(original, lock);
        if original.is_null() {
            return None;
        }
        let copy = pg_sys::try_relation_open(copy, lock);
        let looked = (!copy.is_null()).then(|| {
            let looked = look(original, copy);
            pg_sys::relation_close(copy, no_lock);
            looked
        });
        pg_sys::relation_close(original, no_lock);
        looked
    }
}

fn has_row_security(relation: pg_sys::Relation) -> bool {
    // SAFETY: an open relation.
    unsafe { (*(*relation).rd_rel).relrowsecurity }
}

/// Whether a table is a copy of the other as made by perturb(): a heap in the schema of copies without
/// dependent objects, with the same columns at the same numbers.
fn is_copy(original: pg_sys::Relation, copy: pg_sys::Relation) -> bool {
    // SAFETY: open relations, their rows of pg_class and their columns; a look-up in a cache by name.
    unsafe {
        let (class, other) = (&*(*copy).rd_rel, &*(*original).rd_rel);
        let schema = pg_sys::get_namespace_oid(COPIES_SCHEMA.as_ptr(), true);
        let is_plain = class.relkind.cast_unsigned() == pg_sys::RELKIND_RELATION
            && class.relam == pg_sys::HEAP_TABLE_AM_OID
            && schema != pg_sys::InvalidOid
            && class.relnamespace == schema
            && !(class.relrowsecurity || class.relforcerowsecurity)
            && !(class.relhasindex || class.relhastriggers || class.relhasrules)
            && !(class.relhassubclass || class.relispartition);
        let (columns, others) = (attributes(copy), attributes(original));
        is_plain
            && !other.relrowsecurity
            && columns.len() == others.len()
            && columns.iter().zip(others).all(|(column, other)| {
                column.attgenerated == 0
                    && !column.atthasdef
                    && column.attisdropped == other.attisdropped
                    && (column.attisdropped
                        || (column.atttypid == other.atttypid
                            && column.atttypmod == other.atttypmod
                            && column.attcollation == other.attcollation))
            })
    }
}

/// Whether the current user can read every column of the table and has USAGE on its schema.
fn may_read(table: Oid) -> bool {
    let is_ok = |verdict| verdict == pg_sys::AclResult::ACLCHECK_OK;
    let mut is_missing = false;
    // SAFETY: look-ups in the caches; of a dropped table nothing is asked.
    unsafe {
        let user = pg_sys::GetUserId();
        let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
        is_ok(pg_sys::pg_class_aclcheck_ext(
            table,
            user,
            select,
            &raw mut is_missing,
        )) && !is_missing
            && object_privileges::uses_schema(pg_sys::get_rel_namespace(table), user)
    }
}

/// A column whose values are copied.
struct Column {
    number: i16,
    length: i16,
    by_value: bool,
    /// Whether its stored bytes mean the same in every database: OIDs of user-defined types do not.
    is_stable: bool,
}

impl Column {
    fn of(attribute: &pg_sys::FormData_pg_attribute) -> Self {
        // SAFETY: look-ups in the caches by the type of a column of an open relation.
        let base = unsafe {
            let base = pg_sys::getBaseType(attribute.atttypid);
            match pg_sys::get_element_type(base) {
                pg_sys::InvalidOid => base,
                element => pg_sys::getBaseType(element),
            }
        };
        Self {
            number: attribute.attnum,
            length: attribute.attlen,
            by_value: attribute.attbyval,
            is_stable: base.to_u32() < FIRST_USER_OID,
        }
    }
}

/// Puts the rows that a copy keeps into `rows`.
fn copy_rows(
    stored: &StoredTable,
    columns: &[Column],
    version: i32,
    keep: f64,
    max_rows: i32,
    rows: &mut Rows,
) -> Read<()> {
    let mut total = 0;
    let counted = stored.for_each_row(&[], |_| {
        total += 1;
        ControlFlow::Continue(())
    });
    let share = share(total, keep, u64::try_from(max_rows).unwrap_or(0));
    let numbers: Vec<i16> = columns.iter().map(|column| column.number).collect();
    counted.and_then(|()| {
        stored.for_each_row(&numbers, |row| {
            if hash_of(row, columns, version).is_kept(share) {
                rows.put(row, columns);
            }
            ControlFlow::Continue(())
        })
    })
}

fn hash_of(row: &StoredRow<'_>, columns: &[Column], version: i32) -> RowHash {
    let mut hash = RowHash::new(version.cast_unsigned());
    let mut is_told = false;
    for (place, column) in columns.iter().enumerate().filter(|(_, c)| c.is_stable) {
        // SAFETY: the column is of a type with this length and way of passing.
        let bytes = unsafe { row.bytes(place, column.length, column.by_value) };
        hash.add(bytes.as_deref());
        is_told = true;
    }
    if !is_told {
        hash.add(Some(&row.position()));
    }
    hash
}

/// Rows on their way from a table to its copy, outside the sandbox that reads them.
struct Rows {
    store: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
    values: Vec<Datum>,
    nulls: Vec<bool>,
}

impl Rows {
    /// Starts in the current memory context and with the current resource owner.
    fn begin(copy: Oid) -> Self {
        // SAFETY: the copy is locked, for its columns were looked at; they are copied.
        unsafe {
            let relation = pg_sys::relation_open(copy, pg_sys::AccessShareLock.cast_signed());
            let descriptor = pg_sys::CreateTupleDescCopy((*relation).rd_att);
            pg_sys::relation_close(relation, pg_sys::NoLock.cast_signed());
            let count = usize::try_from((*descriptor).natts).unwrap_or(0);
            Self {
                store: pg_sys::tuplestore_begin_heap(false, false, pg_sys::work_mem),
                descriptor,
                values: vec![Datum::from(0_usize); count],
                nulls: vec![true; count],
            }
        }
    }

    /// Adds a row of these columns; the others are NULL. Values stored out of line are fetched.
    fn put(&mut self, row: &StoredRow<'_>, columns: &[Column]) {
        for (place, column) in columns.iter().enumerate() {
            let index = usize::try_from(column.number - 1).unwrap_or(usize::MAX);
            let (Some(value), Some(null)) = (self.values.get_mut(index), self.nulls.get_mut(index))
            else {
                continue;
            };
            let stored = row.value(place);
            *null = stored.is_none();
            *value = match stored {
                // SAFETY: a value of variable length; one that is not out of line comes back as it is.
                Some(stored) if column.length == -1 => unsafe {
                    Datum::from(pg_sys::detoast_external_attr(stored.cast_mut_ptr()))
                },
                Some(stored) => stored,
                None => Datum::from(0_usize),
            };
        }
        // SAFETY: one value and one flag for each column of the descriptor, which copies them.
        unsafe {
            pg_sys::tuplestore_putvalues(
                self.store,
                self.descriptor,
                self.values.as_mut_ptr(),
                self.nulls.as_mut_ptr(),
            );
        }
    }

    /// Stores the rows in the copy, which has no index, trigger or constraint; returns their number.
    fn insert_into(self, copy: Oid) -> i64 {
        let mut count = 0;
        // SAFETY: the copy was looked at and is locked since. Each tuple has its columns; what a row took is
        // given back after it.
        unsafe {
            let memory = pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"text2sql copied row".as_ptr(),
                0,
                pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
            );
            let relation = pg_sys::relation_open(copy, pg_sys::RowExclusiveLock.cast_signed());
            let slot = pg_sys::MakeSingleTupleTableSlot(
                self.descriptor,
                &raw const pg_sys::TTSOpsMinimalTuple,
            );
            while pg_sys::tuplestore_gettupleslot(self.store, true, false, slot) {
                pgrx::check_for_interrupts!();
                pg_sys::slot_getallattrs(slot);
                let before = pg_sys::MemoryContextSwitchTo(memory);
                let tuple = pg_sys::heap_form_tuple(
                    self.descriptor,
                    (*slot).tts_values,
                    (*slot).tts_isnull,
                );
                pg_sys::simple_heap_insert(relation, tuple);
                pg_sys::MemoryContextSwitchTo(before);
                pg_sys::MemoryContextReset(memory);
                count += 1;
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
            pg_sys::relation_close(relation, pg_sys::NoLock.cast_signed());
            pg_sys::MemoryContextDelete(memory);
        }
        self.end();
        count
    }

    /// Frees the memory and the temporary file.
    fn end(self) {
        // SAFETY: the store is valid and no other code holds it.
        unsafe { pg_sys::tuplestore_end(self.store) }
    }
}
