//! Reads the rows of a table as stored, to maintain the search index and to copy tables. Neither the planner
//! nor the executor is involved, so nothing defined by the owner of a table, of one of its children or of a
//! type is evaluated: no predicate or expression of an index, no generated column, no cast, no domain, no
//! operator, no policy, no view.
//!
//! The read is nevertheless made as the table's owner, in the same sandbox as a question: read-only, hooks
//! armed, within the limits of a statement, rolled back. The calling code has checked that the requesting role
//! may read the rows.

use std::borrow::Cow;
use std::ffi::{CStr, c_int};
use std::ops::ControlFlow;

use pgrx::pg_sys::{self, Datum, Oid};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::sql_result::DatabaseError;

use crate::pg::access::catalog::definitions;
use crate::pg::access::guard::{Phase, Verdict, run_guarded};
use crate::pg::access::objects::attributes::attributes;
use crate::pg::access::protection;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::text_of;
use crate::pg::server::spi::role::EffectiveRole;

/// The outcome of an attempt to read a table.
#[derive(Debug)]
pub(crate) enum Read<T> {
    /// It was read.
    Done(T),
    /// Another session has locked the table, or a part of it, for DDL.
    Locked,
    /// It cannot be read, and why. The reason contains no value of a row.
    Refused(String),
}

/// A table that is open for reading, with its partitions and its inheritance children.
pub(crate) struct StoredTable {
    table: pg_sys::Relation,
    children: Vec<Oid>,
    accepts_row_security: bool,
}

/// The values of one row, in the order of the requested columns.
pub(crate) struct StoredRow<'a> {
    values: &'a [(Datum, bool)],
    position: pg_sys::ItemPointerData,
}

/// Where a scan goes on that was stopped.
#[derive(Clone, Copy)]
pub(crate) struct Bookmark {
    /// The table, or one of its parts.
    part: Oid,
    /// The last row that was read.
    row: pg_sys::ItemPointerData,
}

/// Opens `table` and runs `work` with it. Does not wait for locks; the locks it takes are released with the
/// sandbox. Unless `accepts_row_security`, a table is refused if it, or a part of it, has row-level security.
pub(crate) fn with_stored<T>(
    table: Oid,
    accepts_row_security: bool,
    limits: &Limits,
    policy: &GuardPolicy,
    work: impl FnOnce(&StoredTable) -> Read<T>,
) -> Result<Read<T>, Error> {
    let Some(owner) = protection::owner(table) else {
        return Ok(Read::Refused(GONE.to_owned()));
    };
    if definitions::are_too_large(table) {
        return Ok(Read::Refused(TOO_LARGE.to_owned()));
    }
    let owner = EffectiveRole {
        oid: owner,
        is_switched: true,
    };
    let verdict = run_guarded(limits, policy, &owner, |envelope| {
        envelope.armed.enter(Phase::Running);
        Ok(
            StoredTable::open(table, accepts_row_security).and_then(|stored| {
                let read = work(&stored);
                close(stored.table);
                read
            }),
        )
    })?;
    Ok(match verdict {
        Verdict::Passed(read) => read,
        Verdict::Rejected(rejection) => Read::Refused(rejection.reason),
        Verdict::Failed(error) => Read::Refused(without_values(&error)),
    })
}

const GONE: &str = "it no longer exists";

/// The reason for a table that would take too much memory to open.
pub(crate) const TOO_LARGE: &str = "its definition is too large";

impl<T> Read<T> {
    /// Continues with the rows that were read.
    pub(crate) fn and_then<U>(self, work: impl FnOnce(T) -> Read<U>) -> Read<U> {
        match self {
            Self::Done(value) => work(value),
            Self::Locked => Read::Locked,
            Self::Refused(reason) => Read::Refused(reason),
        }
    }
}

/// The database's message, unless it may contain a value of a row.
pub(crate) fn without_values(error: &DatabaseError) -> String {
    let is_about_limits = ["42", "53", "54", "55", "57"]
        .iter()
        .any(|class| error.sqlstate.starts_with(class));
    match is_about_limits {
        true => error.message.clone(),
        false => format!("SQLSTATE {}", error.sqlstate),
    }
}

impl StoredTable {
    fn open(oid: Oid, accepts_row_security: bool) -> Read<Self> {
        open_one(oid, accepts_row_security).and_then(|table| {
            let Some(table) = table else {
                return Read::Refused(GONE.to_owned());
            };
            // SAFETY: an open relation; its row of pg_class is read.
            let has_children = unsafe { (*(*table).rd_rel).relhassubclass };
            let children = match has_children {
                true => protection::descendants(oid),
                false => Vec::new(),
            };
            Read::Done(Self {
                table,
                children,
                accepts_row_security,
            })
        })
    }

    /// The table, for its columns.
    pub(crate) fn relation(&self) -> pg_sys::Relation {
        self.table
    }

    /// Calls `each` with every row, reduced to the columns with these numbers, until it stops the scan.
    pub(crate) fn for_each_row(
        &self,
        columns: &[i16],
        each: impl FnMut(&StoredRow<'_>) -> ControlFlow<()>,
    ) -> Read<()> {
        self.for_each_row_after(None, columns, each)
            .and_then(|_| Read::Done(()))
    }

    /// The same for the rows after a bookmark; returns one where `each` stopped the scan. Parts that were added
    /// since may be missed, and so may rows that have moved.
    pub(crate) fn for_each_row_after(
        &self,
        after: Option<Bookmark>,
        columns: &[i16],
        mut each: impl FnMut(&StoredRow<'_>) -> ControlFlow<()>,
    ) -> Read<Option<Bookmark>> {
        let mut parts = self.children.clone();
        parts.sort_unstable_by_key(|part| part.to_u32());
        // SAFETY: an open relation.
        let whole = unsafe { (*self.table).rd_id };
        let row_in = |part: Oid| {
            after
                .filter(|after| after.part == part)
                .map(|after| after.row)
        };
        let is_in_parts = after.is_some_and(|after| after.part != whole);
        if !is_in_parts {
            // SAFETY: an open relation and numbers of its columns.
            if let Some(row) = unsafe { scan(self.table, columns, row_in(whole), &mut each) } {
                return Read::Done(Some(Bookmark { part: whole, row }));
            }
        }
        let first = after
            .filter(|_| is_in_parts)
            .map_or(0, |after| after.part.to_u32());
        // One after the other: a table may have more parts than a transaction may hold locks.
        for part in parts.into_iter().filter(|part| part.to_u32() >= first) {
            match open_one(part, self.accepts_row_security) {
                Read::Done(None) => {}
                // SAFETY: both relations are open; the numbers are found by name.
                Read::Done(Some(child)) => unsafe {
                    let numbers: Vec<i16> = columns
                        .iter()
                        .map(|number| number_in(child, self.table, *number))
                        .collect();
                    let stopped = scan(child, &numbers, row_in(part), &mut each);
                    close(child);
                    if let Some(row) = stopped {
                        return Read::Done(Some(Bookmark { part, row }));
                    }
                },
                Read::Locked => return Read::Locked,
                Read::Refused(reason) => return Read::Refused(reason),
            }
        }
        Read::Done(None)
    }
}

/// Closes a relation opened by `open_one`, and releases its lock. After an ERROR the sandbox does.
fn close(relation: pg_sys::Relation) {
    // SAFETY: it is open, under this lock.
    unsafe { pg_sys::relation_close(relation, pg_sys::AccessShareLock.cast_signed()) }
}

/// Opens a relation that holds rows or has parts that do; `None` for a dropped one or a temporary table of
/// another session.
fn open_one(oid: Oid, accepts_row_security: bool) -> Read<Option<pg_sys::Relation>> {
    let lock = pg_sys::AccessShareLock.cast_signed();
    // SAFETY: main thread, inside a subtransaction, whose end releases the lock; does not wait. What
    // another session dropped before the lock was taken is NULL.
    unsafe {
        if !pg_sys::ConditionalLockRelationOid(oid, lock) {
            return Read::Locked;
        }
        let relation = pg_sys::try_relation_open(oid, pg_sys::NoLock.cast_signed());
        let Some(open) = relation.as_ref() else {
            return Read::Done(None);
        };
        let class = &*open.rd_rel;
        let is_temporary = class.relpersistence.cast_unsigned() == pg_sys::RELPERSISTENCE_TEMP;
        let refused = match class.relkind.cast_unsigned() {
            _ if class.relrowsecurity && !accepts_row_security => "it has row-level security",
            _ if is_temporary && !open.rd_islocaltemp => {
                close(relation);
                return Read::Done(None);
            }
            pg_sys::RELKIND_RELATION
            | pg_sys::RELKIND_PARTITIONED_TABLE
            | pg_sys::RELKIND_MATVIEW => return Read::Done(Some(relation)),
            // A scan of it asks another server.
            pg_sys::RELKIND_FOREIGN_TABLE => "a part of it is a foreign table",
            _ => "it is not a table",
        };
        close(relation);
        Read::Refused(refused.to_owned())
    }
}

/// The number that a column of `table` has in `member`; 0 where it has none, which reads as NULL.
///
/// # Safety
/// Both relations are open.
unsafe fn number_in(member: pg_sys::Relation, table: pg_sys::Relation, number: i16) -> i16 {
    if std::ptr::eq(member, table) {
        return number;
    }
    // SAFETY: `natts` attributes follow the header; names end with NUL.
    unsafe {
        let own = attributes(table);
        let named = usize::try_from(number - 1)
            .ok()
            .and_then(|index| own.get(index));
        let Some(column) = named else { return 0 };
        let name = CStr::from_ptr(column.attname.data.as_ptr());
        attributes(member)
            .iter()
            .find(|other| {
                !other.attisdropped
                    && other.atttypid == column.atttypid
                    && CStr::from_ptr(other.attname.data.as_ptr()) == name
            })
            .map_or(0, |other| other.attnum)
    }
}

/// Reads the rows of one relation, those after the row `after` where one is given and the access method can begin
/// there. Returns the row at which `each` stopped.
///
/// # Safety
/// The relation is open, inside the sandbox, and has columns of these numbers or they are 0.
unsafe fn scan(
    relation: pg_sys::Relation,
    numbers: &[i16],
    after: Option<pg_sys::ItemPointerData>,
    each: &mut impl FnMut(&StoredRow<'_>) -> ControlFlow<()>,
) -> Option<pg_sys::ItemPointerData> {
    use pg_sys::ScanOptions::{
        SO_ALLOW_PAGEMODE, SO_ALLOW_STRAT, SO_TYPE_SEQSCAN, SO_TYPE_TIDRANGESCAN,
    };
    use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
    // SAFETY: by contract. The functions of the access method are called as the executor calls them,
    // each ERROR of theirs becomes an unwinding; what is open then, the sandbox closes.
    unsafe {
        // A partitioned table itself has no access method.
        let method = (*relation).rd_tableam.as_ref()?;
        let (Some(begin), Some(next), Some(end)) =
            (method.scan_begin, method.scan_getnextslot, method.scan_end)
        else {
            return None;
        };
        let range = after.zip(
            method
                .scan_set_tidrange
                .zip(method.scan_getnextslot_tidrange),
        );
        let kind = match range {
            Some(_) => SO_TYPE_TIDRANGESCAN,
            None => SO_TYPE_SEQSCAN | SO_ALLOW_STRAT,
        };
        let highest = c_int::from(numbers.iter().copied().max().unwrap_or(0));
        let memory = pg_sys::AllocSetContextCreateInternal(
            pg_sys::CurrentMemoryContext,
            c"text2sql stored row".as_ptr(),
            0,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        let slot = pg_sys::table_slot_create(relation, std::ptr::null_mut());
        let scan = pg_guard_ffi_boundary(|| {
            begin(
                relation,
                pg_sys::GetActiveSnapshot(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                kind | SO_ALLOW_PAGEMODE,
            )
        });
        if let Some((after, (set_range, _))) = range {
            let (mut least, mut most) = (after, LAST_ROW);
            least.ip_posid = least.ip_posid.saturating_add(1);
            pg_guard_ffi_boundary(|| set_range(scan, &raw mut least, &raw mut most));
        }
        let mut values = vec![(Datum::from(0_usize), true); numbers.len()];
        let mut stopped = None;
        while stopped.is_none() {
            pgrx::check_for_interrupts!();
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            let is_found = pg_guard_ffi_boundary(|| match range {
                Some((_, (_, next_in_range))) => next_in_range(scan, forward, slot),
                None => next(scan, forward, slot),
            });
            if !is_found {
                break;
            }
            if c_int::from((*slot).tts_nvalid) < highest {
                pg_sys::slot_getsomeattrs_int(slot, highest);
            }
            for (value, number) in values.iter_mut().zip(numbers) {
                *value = match usize::try_from(number - 1) {
                    Ok(index) => (
                        *(*slot).tts_values.add(index),
                        *(*slot).tts_isnull.add(index),
                    ),
                    Err(_) => (Datum::from(0_usize), true),
                };
            }
            let before = pg_sys::MemoryContextSwitchTo(memory);
            let row = StoredRow {
                values: &values,
                position: (*slot).tts_tid,
            };
            if each(&row).is_break() {
                stopped = Some((*slot).tts_tid);
            }
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(memory);
        }
        pg_guard_ffi_boundary(|| end(scan));
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::MemoryContextDelete(memory);
        stopped
    }
}

/// A place that no row is behind.
const LAST_ROW: pg_sys::ItemPointerData = pg_sys::ItemPointerData {
    ip_blkid: pg_sys::BlockIdData {
        bi_hi: u16::MAX,
        bi_lo: u16::MAX - 1,
    },
    ip_posid: u16::MAX,
};

impl StoredRow<'_> {
    /// The value at an index, as stored; `None` is NULL.
    pub(crate) fn value(&self, place: usize) -> Option<Datum> {
        match self.values.get(place) {
            Some((value, false)) => Some(*value),
            _ => None,
        }
    }

    /// The value at an index in the given form, truncated after `most` characters; `None` is NULL.
    ///
    /// # Safety
    /// `form` was made for the type of this column.
    pub(crate) unsafe fn text(
        &self,
        place: usize,
        form: &mut TextForm,
        most: usize,
    ) -> Option<Cow<'_, str>> {
        let value = self.value(place)?;
        // SAFETY: by contract; what is made lives in the row's memory, as long as the row.
        unsafe { Some(form.text(value, most)) }
    }

    /// The bytes of the value at an index, of a type with this length and passing convention, detoasted; `None`
    /// is NULL.
    ///
    /// # Safety
    /// The column is of such a type.
    pub(crate) unsafe fn bytes(
        &self,
        place: usize,
        length: i16,
        by_value: bool,
    ) -> Option<Cow<'_, [u8]>> {
        let value = self.value(place)?;
        let fixed = usize::try_from(length).unwrap_or(0);
        // SAFETY: by contract. What is detoasted lives in the row's memory.
        Some(unsafe {
            match length {
                _ if by_value => {
                    let mut bytes = value.value().to_le_bytes().to_vec();
                    bytes.truncate(fixed);
                    Cow::Owned(bytes)
                }
                -1 => {
                    let whole = pg_sys::pg_detoast_datum_packed(value.cast_mut_ptr());
                    Cow::Borrowed(payload(whole))
                }
                -2 => Cow::Borrowed(CStr::from_ptr(value.cast_mut_ptr()).to_bytes()),
                _ => Cow::Borrowed(std::slice::from_raw_parts(
                    value.cast_mut_ptr::<u8>(),
                    fixed,
                )),
            }
        })
    }

    /// Where the row is stored, as bytes.
    pub(crate) fn position(&self) -> [u8; 6] {
        let block = self.position.ip_blkid;
        let [a, b] = block.bi_hi.to_le_bytes();
        let [c, d] = block.bi_lo.to_le_bytes();
        let [e, f] = self.position.ip_posid.to_le_bytes();
        [a, b, c, d, e, f]
    }
}

/// How the text of a value is read.
pub(crate) enum TextForm {
    /// The stored bytes are the text.
    Plain,
    /// The same, padded with blanks that do not count.
    Padded,
    /// What the output function of the type writes. The author of a base type is a superuser.
    Written(Box<pg_sys::FmgrInfo>),
}

impl TextForm {
    /// The form of values of this type, which is a base type or a domain over one.
    pub(crate) fn of(type_oid: Oid) -> Self {
        // SAFETY: look-ups in the caches by the type of a column of an open relation. The look-up record
        // is filled in the current memory context, which lives as long as the read.
        unsafe {
            let base = pg_sys::getBaseType(type_oid);
            if base == pg_sys::BPCHAROID {
                return Self::Padded;
            }
            if base == pg_sys::TEXTOID || pg_sys::IsBinaryCoercible(base, pg_sys::TEXTOID) {
                return Self::Plain;
            }
            let (mut function, mut is_varlena) = (pg_sys::InvalidOid, false);
            pg_sys::getTypeOutputInfo(base, &raw mut function, &raw mut is_varlena);
            let mut output = Box::<pg_sys::FmgrInfo>::default();
            pg_sys::fmgr_info(function, &raw mut *output);
            Self::Written(output)
        }
    }

    /// # Safety
    /// The value is of the type that the form was made for.
    unsafe fn text<'a>(&mut self, value: Datum, most: usize) -> Cow<'a, str> {
        // SAFETY: by contract. Four bytes are the longest character of any encoding of a server; a value
        // stored out of line is fetched no further than is looked at.
        unsafe {
            if let Self::Written(output) = self {
                let text = pg_sys::OutputFunctionCall(&raw mut **output, value);
                return Cow::Owned(text_of(text).chars().take(most).collect());
            }
            let bytes = i32::try_from(most.saturating_mul(4)).unwrap_or(i32::MAX);
            let start = pg_sys::pg_detoast_datum_slice(value.cast_mut_ptr(), 0, bytes);
            let text = first_characters(payload(start), most);
            match (self, text) {
                (Self::Padded, Cow::Borrowed(text)) => Cow::Borrowed(text.trim_end_matches(' ')),
                (Self::Padded, Cow::Owned(text)) => {
                    Cow::Owned(text.trim_end_matches(' ').to_owned())
                }
                (_, text) => text,
            }
        }
    }
}

/// The content of a value of variable length that is in one piece.
///
/// # Safety
/// It is neither compressed nor stored out of line, and outlives the slice.
unsafe fn payload<'a>(value: *const pg_sys::varlena) -> &'a [u8] {
    // SAFETY: by contract; the header tells where the content is and how long.
    unsafe {
        std::slice::from_raw_parts(
            pgrx::vardata_any(value).cast::<u8>(),
            pgrx::varsize_any_exhdr(value),
        )
    }
}

/// The first characters of text in the server's encoding, which may end within the one after them.
///
/// # Safety
/// Inside a transaction; what is converted lives in the current memory context.
unsafe fn first_characters<'a>(bytes: &'a [u8], most: usize) -> Cow<'a, str> {
    let utf8 = pg_sys::pg_enc::PG_UTF8.cast_signed();
    // SAFETY: the given length is that of the bytes; the conversion returns its argument or
    // another text that ends with NUL.
    unsafe {
        if pg_sys::GetDatabaseEncoding() == utf8 {
            return match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(cut(text, most)),
                Err(_) => Cow::Owned(cut(&String::from_utf8_lossy(bytes), most).to_owned()),
            };
        }
        let start = bytes.as_ptr().cast::<std::ffi::c_char>();
        let length = c_int::try_from(bytes.len()).unwrap_or(c_int::MAX);
        let limit = c_int::try_from(most).unwrap_or(c_int::MAX);
        let clipped = pg_sys::pg_mbcharcliplen(start, length, limit);
        let converted = pg_sys::pg_server_to_any(start, clipped, utf8);
        if std::ptr::eq(converted, start) {
            let end = usize::try_from(clipped).unwrap_or(0);
            return String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
        }
        Cow::Owned(CStr::from_ptr(converted).to_string_lossy().into_owned())
    }
}

fn cut(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}
