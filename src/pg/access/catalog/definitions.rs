//! How much of what an owner has stored about a relation PostgreSQL unpacks when it is opened: defaults, checks, policies,
//! rules and partition keys, as trees in each session's memory. Nothing bounds them, and a question opens tables that its
//! asker does not name, to look for values.

use pgrx::pg_sys;

use super::rows::for_each;
use crate::pg::access::protection;
use crate::pg::server::compat::catalog_columns::constraint;

/// Bytes of a relation's stored expressions, a hundred times as many as those of a table with hundreds of defaults. One
/// with more is no part of questions, nor is it read for the index.
const MAX_BYTES: usize = 4 << 20;

/// A catalog with expressions: its OID, that of its index by relation, the column of the relation and those of expressions,
/// which are the same in PostgreSQL 15 to 18.
struct Holder {
    catalog: u32,
    index: u32,
    relation: u32,
    expressions: &'static [u32],
}

const HOLDERS: [Holder; 5] = [
    // pg_attrdef: adbin.
    Holder {
        catalog: 2604,
        index: 2656,
        relation: 2,
        expressions: &[4],
    },
    // pg_constraint: conbin.
    Holder {
        catalog: 2606,
        index: 2665,
        relation: constraint::RELATION,
        expressions: &[constraint::EXPRESSION],
    },
    // pg_policy: polqual, polwithcheck.
    Holder {
        catalog: 3256,
        index: 3258,
        relation: 3,
        expressions: &[7, 8],
    },
    // pg_rewrite: ev_qual, ev_action.
    Holder {
        catalog: 2618,
        index: 2693,
        relation: 3,
        expressions: &[7, 8],
    },
    // pg_partitioned_table: partexprs.
    Holder {
        catalog: 3350,
        index: 3351,
        relation: 1,
        expressions: &[8],
    },
];

/// Whether the relation, or one of those that inherit from it, has more than may be unpacked.
pub(crate) fn are_too_large(relation: pg_sys::Oid) -> bool {
    let children = protection::descendants(relation).into_iter();
    let bytes: usize = children.map(bytes_of).sum();
    bytes + bytes_of(relation) > MAX_BYTES
}

fn bytes_of(relation: pg_sys::Oid) -> usize {
    let mut bytes = 0;
    for holder in &HOLDERS {
        // SAFETY: the catalog, its index and its columns; an expression is of variable length, and is measured as it is
        // stored.
        unsafe {
            for_each(
                holder.catalog.into(),
                holder.index,
                (holder.relation, relation),
                |row| {
                    for expression in holder.expressions {
                        let (stored, is_null) = row.datum(*expression);
                        if !is_null {
                            bytes += pg_sys::toast_raw_datum_size(stored);
                        }
                    }
                },
            );
        }
    }
    bytes
}
