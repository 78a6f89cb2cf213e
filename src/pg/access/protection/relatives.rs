//! What a relation reads from others: the tables of a view, the parents and children of a table.

use std::ffi::{CStr, c_int};
use text2sql_domain::words;

use pgrx::{PgList, pg_sys};

use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::access::query_tree::reads::{Read, columns_in, named_by};
use crate::pg::server::compat::generated_columns;
use crate::pg::server::spi::encoding::text_of;

/// `pg_inherits`.
const INHERITS: u32 = 2611;
/// `pg_inherits` by child, `pg_inherits_relid_seqno_index`: the same OIDs in PostgreSQL 13 to 18.
const INDEX_BY_CHILD: u32 = 2680;
/// `pg_inherits_parent_index`.
const INDEX_BY_PARENT: u32 = 2187;

/// The rule that makes a relation a view, and the column of `pg_rewrite` that holds its queries: both the
/// same in PostgreSQL 13 to 18.
const VIEW_RULE: &CStr = c"_RETURN";
const ACTION: pg_sys::AttrNumber = 8;

/// Catalogs that hold values of any column; protected while anything is protected, also behind views.
const STATISTICS: [&str; 5] =
    *words!("pg_statistic, pg_stats, pg_statistic_ext_data, pg_stats_ext, pg_stats_ext_exprs");

/// Whether the relation holds values of other relations: the planner's statistics.
pub(crate) fn holds_statistics(relation: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches, which give a palloc'd name or NULL.
    relation.to_u32() < FIRST_USER_OID
        && STATISTICS.contains(&unsafe { text_of(pg_sys::get_rel_name(relation)) }.as_str())
}

/// The generated columns of a table, each with the columns in its expression; 0 is the whole row.
pub(super) fn generated(relation: pg_sys::Oid) -> Vec<(i16, Vec<i16>)> {
    // SAFETY: the relation is closed before anything else happens; its descriptor and the expressions in it
    // are valid until then, and `stringToNode` reads what PostgreSQL wrote.
    unsafe {
        let opened = pg_sys::RelationIdGetRelation(relation);
        if opened.is_null() {
            return Vec::new();
        }
        let constraints = (*(*opened).rd_att).constr;
        let mut found = Vec::new();
        if generated_columns::are_in((*opened).rd_att) {
            let attributes = crate::pg::access::objects::attributes::attributes(opened);
            let defaults =
                std::slice::from_raw_parts((*constraints).defval, (*constraints).num_defval.into());
            for default in defaults {
                let is_generated = attributes
                    .iter()
                    .any(|column| column.attnum == default.adnum && column.attgenerated != 0);
                if is_generated {
                    let expression = pg_sys::stringToNode(default.adbin).cast();
                    found.push((default.adnum, columns_in(expression).collect()));
                }
            }
        }
        pg_sys::RelationClose(opened);
        found
    }
}

/// What is behind a relation.
pub(super) enum Behind {
    /// It is no view.
    Nothing,
    /// What the query of the view or materialized view reads.
    Reads(Vec<Read>),
    /// The query of the view is too long to look at.
    Unknown,
}

/// Bytes of the query of a view as PostgreSQL stores it, some twenty times its text. What they become takes several times
/// as much memory, and nothing else bounds what an owner stores.
const MAX_QUERY_BYTES: usize = 4 << 20;

/// What is behind the relation.
///
/// The row of the rule is read, not the relation's descriptor: that is assembled from several rows, which
/// another session can drop in between, because nothing is locked here.
pub(super) fn behind_view(relation: pg_sys::Oid) -> Behind {
    // SAFETY: a look-up in the cache; what is missing has kind 0.
    let kind = unsafe { pg_sys::get_rel_relkind(relation) }.cast_unsigned();
    if kind != pg_sys::RELKIND_VIEW && kind != pg_sys::RELKIND_MATVIEW {
        return Behind::Nothing;
    }
    let mut reads = Vec::new();
    // SAFETY: the tuple is used between look-up and release, and the text of its column is copied. What
    // PostgreSQL wrote there is a list of queries.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::RULERELNAME.cast_signed();
        let name = pg_sys::Datum::from(VIEW_RULE.as_ptr());
        let tuple = pg_sys::SearchSysCache2(cache, relation.into(), name);
        if tuple.is_null() {
            return Behind::Reads(reads);
        }
        let mut is_null = false;
        let action = pg_sys::SysCacheGetAttr(cache, tuple, ACTION, &raw mut is_null);
        if !is_null && pg_sys::toast_raw_datum_size(action) > MAX_QUERY_BYTES {
            pg_sys::ReleaseSysCache(tuple);
            return Behind::Unknown;
        }
        // What is unpacked goes with this context; an ERROR ends it with its parent.
        let before = pg_sys::CurrentMemoryContext;
        let memory = pg_sys::AllocSetContextCreateInternal(
            before,
            c"text2sql query of a view".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        pg_sys::MemoryContextSwitchTo(memory);
        let text = (!is_null).then(|| pg_sys::text_to_cstring(action.cast_mut_ptr()));
        pg_sys::ReleaseSysCache(tuple);
        if let Some(text) = text {
            let queries = PgList::<pg_sys::Query>::from_pg(pg_sys::stringToNode(text).cast());
            for query in queries.iter_ptr() {
                reads.extend(named_by(query));
            }
        }
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextDelete(memory);
    }
    // The body begins with entries for the view itself.
    reads.retain(|read| read.oid() != relation);
    Behind::Reads(reads)
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

/// All relations that inherit from the relation, partitions included, each once.
pub(crate) fn descendants(relation: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    let mut found = Vec::new();
    let mut next = vec![relation];
    while let Some(member) = next.pop() {
        for child in linked(member, INDEX_BY_PARENT, 2, 0) {
            if child != relation && !found.contains(&child) {
                found.push(child);
                next.push(child);
            }
        }
    }
    found
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
