//! What the executor checks for a relation of a query: the privileges that are needed, the columns, and as
//! which role. PostgreSQL 16 moved all of it from the range table entry to an `RTEPermissionInfo`, which belongs
//! to the query and after planning to the plan.

use std::ffi::c_int;

use pgrx::{PgList, pg_sys};

#[cfg(feature = "pg15")]
type Source = pg_sys::RangeTblEntry;
#[cfg(not(feature = "pg15"))]
type Source = pg_sys::RTEPermissionInfo;

/// What is checked for one relation.
pub(crate) struct Permissions {
    source: *mut Source,
}

impl Permissions {
    /// The relation.
    pub(crate) fn relation(&self) -> pg_sys::Oid {
        // SAFETY: `of` promised a valid node.
        unsafe { (*self.source).relid }
    }

    /// The privileges needed; 0 where nothing is checked, such as for a partition read through its table.
    pub(crate) fn required(&self) -> pg_sys::AclMode {
        // SAFETY: as above.
        unsafe { (*self.source).requiredPerms }
    }

    /// The role that needs them; `InvalidOid` is the current one.
    pub(crate) fn role(&self) -> pg_sys::Oid {
        // SAFETY: as above.
        unsafe { (*self.source).checkAsUser }
    }

    /// Numbers of the columns that are read; 0 is the whole row, system columns are below.
    pub(crate) fn columns(&self) -> Vec<c_int> {
        let mut numbers = Vec::new();
        // SAFETY: as above; walks over a bitmap that is valid or NULL.
        unsafe {
            let columns = (*self.source).selectedCols;
            let mut member = pg_sys::bms_next_member(columns, -1);
            while member >= 0 {
                numbers.push(member + pg_sys::FirstLowInvalidHeapAttributeNumber);
                member = pg_sys::bms_next_member(columns, member);
            }
        }
        numbers
    }
}

/// What is checked for the relations of one query.
#[derive(Clone, Copy)]
pub(crate) struct QueryPermissions {
    #[cfg(not(feature = "pg15"))]
    list: *mut pg_sys::List,
}

impl QueryPermissions {
    /// The permissions of no query.
    pub(crate) fn none() -> Self {
        Self {
            #[cfg(not(feature = "pg15"))]
            list: std::ptr::null_mut(),
        }
    }

    /// The permissions of a query that is not planned yet.
    ///
    /// # Safety
    /// The query is valid, and outlives the result.
    pub(crate) unsafe fn of(query: *const pg_sys::Query) -> Self {
        #[cfg(feature = "pg15")]
        {
            let _ = query;
            Self {}
        }
        #[cfg(not(feature = "pg15"))]
        // SAFETY: by contract.
        unsafe {
            Self {
                list: (*query).rteperminfos,
            }
        }
    }

    /// What is checked for an entry of the query's range table; `None` if nothing is.
    ///
    /// # Safety
    /// The entry is valid and belongs to the query.
    pub(crate) unsafe fn find(self, entry: *mut pg_sys::RangeTblEntry) -> Option<Permissions> {
        #[cfg(feature = "pg15")]
        // SAFETY: by contract.
        unsafe {
            ((*entry).rtekind == pg_sys::RTEKind::RTE_RELATION)
                .then_some(Permissions { source: entry })
        }
        #[cfg(not(feature = "pg15"))]
        // SAFETY: by contract; the look-up raises an ERROR for an entry of another query.
        unsafe {
            ((*entry).perminfoindex != 0).then(|| Permissions {
                source: pg_sys::getRTEPermissionInfo(self.list, entry),
            })
        }
    }

    /// Whether the current user has the privileges that the entry of a relation requires. The check is the
    /// server's own, with the hooks of other extensions; it answers instead of raising an error. An entry
    /// about which nothing is known may not be read.
    ///
    /// # Safety
    /// As for `find`.
    pub(crate) unsafe fn are_granted(self, entry: *mut pg_sys::RangeTblEntry) -> bool {
        #[cfg(feature = "pg15")]
        // SAFETY: a list of the one valid entry.
        unsafe {
            let list = pg_sys::lappend(std::ptr::null_mut(), entry.cast());
            let are_granted = pg_sys::ExecCheckRTPerms(list, false);
            pg_sys::list_free(list);
            are_granted
        }
        #[cfg(not(feature = "pg15"))]
        // SAFETY: lists of one valid node each; the copy of the entry refers to the first of the other list.
        unsafe {
            let Some(permissions) = self.find(entry) else {
                return false;
            };
            let mut alone = *entry;
            alone.perminfoindex = 1;
            let entries = pg_sys::lappend(std::ptr::null_mut(), (&raw mut alone).cast());
            let checked = pg_sys::lappend(std::ptr::null_mut(), permissions.source.cast());
            let are_granted = pg_sys::ExecCheckPermissions(entries, checked, false);
            pg_sys::list_free(entries);
            pg_sys::list_free(checked);
            are_granted
        }
    }

    /// Makes the entry of a relation read an ordinary table, without its children, for which the current user
    /// needs SELECT. Returns whether the entry was changed.
    ///
    /// # Safety
    /// As for `find`, and no other code holds a reference to the entry.
    pub(crate) unsafe fn replace_relation(
        self,
        entry: *mut pg_sys::RangeTblEntry,
        relation: pg_sys::Oid,
    ) -> bool {
        // SAFETY: by contract. The permissions of a relation belong to a single entry.
        unsafe {
            let Some(permissions) = self.find(entry) else {
                return false;
            };
            (*entry).relid = relation;
            (*entry).relkind = pg_sys::RELKIND_RELATION.cast_signed();
            (*entry).inh = false;
            (*permissions.source).relid = relation;
            (*permissions.source).inh = false;
            (*permissions.source).requiredPerms = pg_sys::ACL_SELECT as pg_sys::AclMode;
            (*permissions.source).checkAsUser = pg_sys::InvalidOid;
            true
        }
    }
}

/// What the executor checks before it runs a plan.
#[derive(Clone, Copy)]
pub(crate) struct PlanPermissions {
    range_table: *mut pg_sys::List,
    #[cfg(not(feature = "pg15"))]
    list: *mut pg_sys::List,
}

impl PlanPermissions {
    /// What the hook of the executor is given in this version.
    ///
    /// # Safety
    /// Both lists are those of a plan and outlive the result.
    #[cfg(feature = "pg15")]
    pub(super) unsafe fn new(range_table: *mut pg_sys::List) -> Self {
        Self { range_table }
    }

    /// What the hook of the executor is given in this version.
    ///
    /// # Safety
    /// Both lists are those of a plan and outlive the result.
    #[cfg(not(feature = "pg15"))]
    pub(super) unsafe fn new(range_table: *mut pg_sys::List, list: *mut pg_sys::List) -> Self {
        Self { range_table, list }
    }

    /// What is checked for each relation, views included.
    pub(crate) fn checked(&self) -> Vec<Permissions> {
        #[cfg(feature = "pg15")]
        let list = self.range_table;
        #[cfg(not(feature = "pg15"))]
        let list = self.list;
        // SAFETY: `new` promised lists of valid nodes.
        unsafe {
            PgList::<Source>::from_pg(list)
                .iter_ptr()
                .filter(|source| is_of_relation(*source))
                .map(|source| Permissions { source })
                .collect()
        }
    }

    /// The relations for which nothing is checked, because another one stands for them: the partitions of a
    /// table. In PostgreSQL 15 [`checked`](Self::checked) contains them, with nothing required.
    pub(crate) fn unchecked(&self) -> Vec<pg_sys::Oid> {
        #[cfg(feature = "pg15")]
        {
            Vec::new()
        }
        #[cfg(not(feature = "pg15"))]
        // SAFETY: `new` promised lists of valid nodes.
        unsafe {
            PgList::<pg_sys::RangeTblEntry>::from_pg(self.range_table)
                .iter_ptr()
                .map(|entry| &*entry)
                .filter(|entry| {
                    entry.rtekind == pg_sys::RTEKind::RTE_RELATION && entry.perminfoindex == 0
                })
                .map(|entry| entry.relid)
                .collect()
        }
    }
}

/// Whether the node is about a relation.
///
/// # Safety
/// The node is valid.
unsafe fn is_of_relation(source: *mut Source) -> bool {
    #[cfg(feature = "pg15")]
    // SAFETY: by contract.
    unsafe {
        (*source).rtekind == pg_sys::RTEKind::RTE_RELATION
    }
    #[cfg(not(feature = "pg15"))]
    {
        let _ = source;
        true
    }
}
