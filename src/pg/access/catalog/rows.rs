//! Rows of system catalogs, fetched through an index without a query: reading forty tables at every question
//! costs a tenth of the time that the executor needs.

use std::ffi::c_int;

use pgrx::FromDatum;
use pgrx::pg_sys;

/// One value that a row must have: the column, counted from 1, and the value of type `oid`.
pub(super) type Key = (u32, pg_sys::Oid);

/// A row of a catalog, valid until the closure that received it returns.
pub(super) struct CatalogRow {
    pub(super) tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
}

impl CatalogRow {
    /// The fixed part of the row.
    ///
    /// # Safety
    ///
    /// `T` must be the form of this catalog's rows.
    pub(super) unsafe fn form<T>(&self) -> &T {
        // SAFETY: by contract; the row outlives the borrow.
        unsafe { &*pg_sys::GETSTRUCT(self.tuple).cast::<T>() }
    }

    /// The value of the column; `None` is NULL.
    ///
    /// # Safety
    ///
    /// The column must be of the type that `T` reads.
    pub(super) unsafe fn read<T: FromDatum>(&self, column: u32) -> Option<T> {
        let (datum, is_null) = self.datum(column);
        // SAFETY: by contract; T owns what it reads.
        unsafe { T::from_datum(datum, is_null) }
    }

    /// Whether the column is NULL.
    pub(super) fn is_null(&self, column: u32) -> bool {
        self.datum(column).1
    }

    /// The value of the column as it is stored, and whether it is NULL.
    pub(super) fn datum(&self, column: u32) -> (pg_sys::Datum, bool) {
        let mut is_null = false;
        // SAFETY: row and descriptor come from the same catalog, which is open.
        let datum = unsafe {
            pg_sys::heap_getattr(
                self.tuple,
                c_int::try_from(column).unwrap_or(0),
                self.descriptor,
                &mut is_null,
            )
        };
        (datum, is_null)
    }
}

/// Calls `read` with each column that the relation has, in their order.
pub(super) fn for_each_column(
    relation: pg_sys::Oid,
    mut read: impl FnMut(&pg_sys::FormData_pg_attribute),
) {
    // SAFETY: the catalog of columns and its index by relation and number.
    unsafe {
        for_each(
            pg_sys::AttributeRelationId,
            pg_sys::AttributeRelidNumIndexId,
            (pg_sys::Anum_pg_attribute_attrelid, relation),
            |row| {
                let column = row.form::<pg_sys::FormData_pg_attribute>();
                if column.attnum > 0 && !column.attisdropped {
                    read(column);
                }
            },
        );
    }
}

/// Calls `read` with each row of `catalog` that has the value, in the order of `index`, whose first column
/// is that of the key.
///
/// # Safety
///
/// Inside a transaction; the numbers must be those of a catalog, its index and its column of type `oid`.
pub(super) unsafe fn for_each(
    catalog: pg_sys::Oid,
    index: u32,
    (column, value): Key,
    mut read: impl FnMut(&CatalogRow),
) {
    // SAFETY: by contract. A row is used before the next one is fetched; what is opened is closed below
    // or, after an ERROR, with the (sub)transaction.
    unsafe {
        let lock = pg_sys::AccessShareLock as c_int;
        let relation = pg_sys::table_open(catalog, lock);
        let mut keys = [pg_sys::ScanKeyData::default(); 1];
        let [key] = &mut keys;
        pg_sys::ScanKeyInit(
            key,
            pg_sys::AttrNumber::try_from(column).unwrap_or(0),
            pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber,
            pg_sys::F_OIDEQ.into(),
            value.into(),
        );
        let scan = pg_sys::systable_beginscan(
            relation,
            index.into(),
            true,
            std::ptr::null_mut(),
            keys.len() as c_int,
            keys.as_mut_ptr(),
        );
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            read(&CatalogRow {
                tuple,
                descriptor: (*relation).rd_att,
            });
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, lock);
    }
}
