//! Receives the rows of a guarded statement from the executor, up to a maximum number of rows and bytes. The
//! limit applies to the stored size of values, before an output function can expand them.

use std::ffi::c_int;

use pgrx::{pg_guard, pg_sys};
use text2sql_domain::config::Limits;
use text2sql_domain::sql_result::{Cell, Execution, ResultColumn};

use crate::pg::access::execution::cells::CellWriter;
use crate::pg::access::execution::columns::{ColumnType, columns_of};
use crate::pg::access::guard::{ValidPlan, ValidSql};
use crate::pg::server::compat::tuple_descriptor;

/// A receiver for the executor. It is passed as a pointer to its first member.
#[repr(C)]
pub(crate) struct Receiver<'a> {
    dest: pg_sys::DestReceiver,
    max_result_rows: usize,
    max_result_bytes: usize,
    wants_cells: bool,
    row_count: usize,
    stored_bytes: usize,
    written_bytes: usize,
    is_truncated: bool,
    columns: Vec<ResultColumn>,
    column_types: Vec<ColumnType>,
    rows: Vec<Vec<Cell>>,
    writer: Option<CellWriter>,
    tuples: Option<&'a mut CapturedTuples>,
    /// Emptied after each row: detoasted copies and the output functions' results.
    row_context: pg_sys::MemoryContext,
}

impl<'a> Receiver<'a> {
    /// Prepares to receive within the limits. Lives inside the sandbox.
    pub(crate) fn new(
        limits: &Limits,
        wants_cells: bool,
        tuples: Option<&'a mut CapturedTuples>,
    ) -> Self {
        Self {
            dest: pg_sys::DestReceiver {
                receiveSlot: Some(receive),
                rStartup: Some(start),
                rShutdown: Some(do_nothing),
                rDestroy: Some(do_nothing),
                mydest: pg_sys::CommandDest::DestNone,
            },
            max_result_rows: limits.max_result_rows,
            max_result_bytes: limits.max_result_bytes,
            wants_cells,
            row_count: 0,
            stored_bytes: 0,
            written_bytes: 0,
            is_truncated: false,
            columns: Vec::new(),
            column_types: Vec::new(),
            rows: Vec::new(),
            writer: None,
            tuples,
            row_context: std::ptr::null_mut(),
        }
    }

    /// For the executor, which passes it back to the functions below.
    pub(crate) fn as_dest(&mut self) -> *mut pg_sys::DestReceiver {
        (&raw mut *self).cast()
    }

    /// What was run and captured, once, with the types of the columns.
    pub(crate) fn take_execution(
        &mut self,
        valid: &ValidSql<'_>,
        plan: &ValidPlan<'_>,
    ) -> (Execution, Vec<ColumnType>) {
        let execution = Execution {
            columns: std::mem::take(&mut self.columns),
            rows: self.take_rows(),
            is_truncated: self.is_truncated,
            plan_cost: plan.cost,
            plan_rows: plan.rows,
            relations: valid.relations().to_vec(),
            is_private: valid.is_private(),
            notes: Vec::new(),
        };
        (execution, std::mem::take(&mut self.column_types))
    }

    /// The rows, once.
    pub(crate) fn take_rows(&mut self) -> Vec<Vec<Cell>> {
        std::mem::take(&mut self.rows)
    }

    /// Copies one row out; `false` ends the execution.
    ///
    /// # Safety
    /// `slot` holds a row of the descriptor that `start` was given.
    unsafe fn row(&mut self, slot: *mut pg_sys::TupleTableSlot) -> bool {
        if self.row_count >= self.max_result_rows {
            self.is_truncated = true;
            return false;
        }
        // SAFETY: after `slot_getallattrs` both arrays hold one entry per column.
        let is_kept = unsafe {
            pg_sys::slot_getallattrs(slot);
            let descriptor = (*slot).tts_tupleDescriptor;
            let count = usize::try_from((*descriptor).natts).unwrap_or(0);
            let row = Row {
                attributes: tuple_descriptor::attributes(descriptor),
                values: slice_of((*slot).tts_values, count),
                nulls: slice_of((*slot).tts_isnull, count),
            };
            let before = pg_sys::MemoryContextSwitchTo(self.row_context);
            let is_kept = self.copy(&row);
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(self.row_context);
            is_kept
        };
        self.row_count += usize::from(is_kept);
        self.is_truncated = !is_kept;
        is_kept
    }

    /// Copies the row, unless it does not fit.
    ///
    /// # Safety
    /// As for `row`, in the row's memory context.
    unsafe fn copy(&mut self, row: &Row<'_>) -> bool {
        // SAFETY: the row is valid and the writer was made for its columns.
        unsafe {
            self.stored_bytes += row.stored_size();
            if self.stored_bytes > self.max_result_bytes {
                return false;
            }
            if let Some(writer) = &mut self.writer {
                let mut cells = Vec::with_capacity(row.values.len());
                for (index, (datum, is_null)) in row.values.iter().zip(row.nulls).enumerate() {
                    let cell = writer.cell(index, *datum, *is_null);
                    let text_length = cell.text.as_ref().map_or(0, String::len);
                    self.written_bytes += text_length.max(cell.json.get().len());
                    if self.written_bytes > self.max_result_bytes {
                        return false;
                    }
                    cells.push(cell);
                }
                self.rows.push(cells);
            }
            if let Some(tuples) = &mut self.tuples {
                tuples.put(row);
            }
            true
        }
    }
}

/// A row as the executor holds it.
struct Row<'a> {
    attributes: &'a [pg_sys::FormData_pg_attribute],
    values: &'a [pg_sys::Datum],
    nulls: &'a [bool],
}

impl Row<'_> {
    /// Bytes of the values, decompressed, without touching what is stored out of line.
    unsafe fn stored_size(&self) -> usize {
        self.attributes
            .iter()
            .zip(self.values)
            .zip(self.nulls)
            .filter(|(_, is_null)| !**is_null)
            .map(|((attribute, datum), _)| match attribute.attlen {
                // SAFETY: a non-null value of a type without fixed length.
                -1 => unsafe { pg_sys::toast_raw_datum_size(*datum) },
                // SAFETY: a non-null value of a C string type.
                -2 => unsafe { std::ffi::CStr::from_ptr(datum.cast_mut_ptr()).count_bytes() },
                length => usize::try_from(length).unwrap_or(0),
            })
            // A row has a cost even if all of it is NULL.
            .sum::<usize>()
            + 8 * self.values.len()
    }
}

/// Rows in a tuplestore that outlives the sandbox.
#[derive(Debug)]
pub(crate) struct CapturedTuples {
    store: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
    context: pg_sys::MemoryContext,
}

impl CapturedTuples {
    /// Starts in the current memory context and with the current resource owner.
    pub(crate) fn begin() -> Self {
        // SAFETY: random access, so that a cursor can go back; not across transactions.
        unsafe {
            Self {
                store: pg_sys::tuplestore_begin_heap(true, false, pg_sys::work_mem),
                descriptor: std::ptr::null_mut(),
                context: pg_sys::CurrentMemoryContext,
            }
        }
    }

    /// The store and its row descriptor, now owned by the caller.
    pub(crate) fn into_parts(self) -> (*mut pg_sys::Tuplestorestate, pg_sys::TupleDesc) {
        (self.store, self.descriptor)
    }

    /// Frees the memory and the temporary file.
    pub(crate) fn end(self) {
        // SAFETY: the store is valid and no other code holds it.
        unsafe { pg_sys::tuplestore_end(self.store) }
    }

    /// # Safety
    /// `descriptor` is valid.
    pub(super) unsafe fn describe(&mut self, descriptor: pg_sys::TupleDesc) {
        // SAFETY: copied into the context that outlives the sandbox.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.context);
            self.descriptor = pg_sys::CreateTupleDescCopy(descriptor);
            pg_sys::MemoryContextSwitchTo(before);
        }
    }

    /// Adds a row that is nowhere stored.
    ///
    /// # Safety
    /// One value and one flag for each column of the descriptor.
    pub(super) unsafe fn put_values(&mut self, values: &mut [pg_sys::Datum], nulls: &mut [bool]) {
        // SAFETY: by contract.
        unsafe {
            pg_sys::tuplestore_putvalues(
                self.store,
                self.descriptor,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
        }
    }

    /// Adds a row. Values stored out of line are fetched: their tables may change before the rows are read.
    unsafe fn put(&mut self, row: &Row<'_>) {
        let mut nulls = row.nulls.to_vec();
        // SAFETY: non-null values of types without fixed length are varlenas; a value that is
        // not out of line comes back as it is.
        let mut values: Vec<pg_sys::Datum> = row
            .attributes
            .iter()
            .zip(row.values)
            .zip(row.nulls)
            .map(|((attribute, datum), is_null)| unsafe {
                if *is_null || attribute.attlen != -1 {
                    *datum
                } else {
                    pg_sys::Datum::from(pg_sys::detoast_external_attr(datum.cast_mut_ptr()))
                }
            })
            .collect();
        // SAFETY: one value and one flag for each column of the descriptor.
        unsafe {
            pg_sys::tuplestore_putvalues(
                self.store,
                self.descriptor,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
        }
    }
}

/// A slice of the executor's arrays, which may be NULL for a row without columns.
unsafe fn slice_of<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if count == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: the caller vouches for `count` entries.
    unsafe { std::slice::from_raw_parts(start, count) }
}

#[pg_guard]
unsafe extern "C-unwind" fn start(
    dest: *mut pg_sys::DestReceiver,
    _operation: c_int,
    descriptor: pg_sys::TupleDesc,
) {
    // SAFETY: `dest` is the first member of the Receiver that was handed to the executor.
    unsafe {
        let receiver = &mut *dest.cast::<Receiver<'_>>();
        receiver.row_context = pg_sys::AllocSetContextCreateInternal(
            pg_sys::CurrentMemoryContext,
            c"text2sql row".as_ptr(),
            0,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        (receiver.columns, receiver.column_types) = columns_of(descriptor);
        if receiver.wants_cells {
            let types = receiver.column_types.iter().map(|column| column.oid);
            receiver.writer = Some(CellWriter::new(types));
        }
        if let Some(tuples) = &mut receiver.tuples {
            tuples.describe(descriptor);
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    dest: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: as in `start`.
    unsafe { (*dest.cast::<Receiver<'_>>()).row(slot) }
}

unsafe extern "C-unwind" fn do_nothing(_dest: *mut pg_sys::DestReceiver) {}
