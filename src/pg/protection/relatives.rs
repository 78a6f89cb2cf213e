//! What a relation reads of others: the tables behind a view, the parents and children of a table.

use std::ffi::c_int;

use pgrx::{PgList, pg_sys};

use crate::pg::guard::{Read, named_by};

/// `pg_inherits`.
const INHERITS: u32 = 2611;
/// `pg_inherits` by child, `pg_inherits_relid_seqno_index`: the same OIDs in PostgreSQL 13 to 18.
const INDEX_BY_CHILD: u32 = 2680;
/// `pg_inherits_parent_index`.
const INDEX_BY_PARENT: u32 = 2187;

/// What the query of a view or materialised view reads; `None` for any other relation.
pub(super) fn behind_view(relation: pg_sys::Oid) -> Option<Vec<Read>> {
    // SAFETY: the descriptor is used between look-up and release, and nothing in between reads a
    // message that could change it. The rules of a relation are valid or NULL.
    unsafe {
        let descriptor = pg_sys::RelationIdGetRelation(relation);
        if descriptor.is_null() {
            return None;
        }
        let kind = (*(*descriptor).rd_rel).relkind.cast_unsigned();
        let is_view = kind == pg_sys::RELKIND_VIEW || kind == pg_sys::RELKIND_MATVIEW;
        let reads = is_view.then(|| {
            let rules = (*descriptor).rd_rules;
            let mut reads = Vec::new();
            if let Some(rules) = rules.as_ref() {
                let count = usize::try_from(rules.numLocks).unwrap_or(0);
                for rule in std::slice::from_raw_parts(rules.rules, count) {
                    if (**rule).event == pg_sys::CmdType::CMD_SELECT {
                        let queries = PgList::<pg_sys::Query>::from_pg((**rule).actions);
                        for query in queries.iter_ptr() {
                            reads.extend(named_by(query));
                        }
                    }
                }
            }
            // The body begins with entries for the view itself.
            reads.retain(|read| read.oid() != relation);
            reads
        });
        pg_sys::RelationClose(descriptor);
        reads
    }
}

/// All relations that the relation inherits from or that inherit from it, partitions included.
pub(super) fn family(relation: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    let mut family = Vec::new();
    for (index, from, to) in [(INDEX_BY_CHILD, 1, 1), (INDEX_BY_PARENT, 2, 0)] {
        let mut next = vec![relation];
        while let Some(member) = next.pop() {
            for relative in linked(member, index, from, to) {
                if relative != relation && !family.contains(&relative) {
                    family.push(relative);
                    next.push(relative);
                }
            }
        }
    }
    family
}

/// The OIDs in the `to`-th column, counted from 0, of the rows of `pg_inherits` whose `from`-th
/// column, counted from 1, is `relation`.
fn linked(relation: pg_sys::Oid, index: u32, from: i16, to: usize) -> Vec<pg_sys::Oid> {
    let mut found = Vec::new();
    // SAFETY: a scan of a catalog by its own index, begun and ended here; each tuple begins with the
    // two OIDs inhrelid and inhparent, and is valid until the next one.
    unsafe {
        let catalog = pg_sys::table_open(INHERITS.into(), pg_sys::AccessShareLock as c_int);
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &raw mut key,
            from,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::F_OIDEQ.into(),
            pg_sys::Datum::from(relation),
        );
        let scan = pg_sys::systable_beginscan(
            catalog,
            index.into(),
            true,
            std::ptr::null_mut(),
            1,
            &raw mut key,
        );
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            let oids = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::Oid>();
            found.push(*oids.add(to));
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(catalog, pg_sys::AccessShareLock as c_int);
    }
    found
}
