//! Changes to a judged tree, for evaluation only: tables are replaced by copies with other rows, and the wall
//! clock by the pinned one.
//!
//! The guard's verdict remains valid for the changed tree. `pg/evaluation/perturbed_tables.rs` decides which
//! copy may replace a table, and the role must be allowed to read the copy: the executor checks that, because
//! the range table entry requires the role's own privilege.

use std::ffi::c_int;

use pgrx::pg_sys;
use pgrx::pg_sys::NodeTag;

use super::valid_sql::ValidSql;
use crate::pg::access::guard::visitors::visitors;
use crate::pg::access::query_tree::operands::operands;
use crate::pg::server::compat::permissions::QueryPermissions;

/// The table that is read in place of another, if there is one.
pub(crate) type StandIn<'a> = dyn Fn(pg_sys::Oid) -> Option<pg_sys::Oid> + 'a;

/// Replaces tables by their copies; `false` when the statement reads a table without a copy.
pub(crate) fn read_copies(valid: &ValidSql<'_>, stand_in: &StandIn<'_>) -> bool {
    let mut walk = Walk {
        stand_in: Some(stand_in),
        permissions: QueryPermissions::none(),
        is_covered: true,
    };
    // SAFETY: a valid rewritten tree, and a callback that matches its context.
    unsafe { walk.node(valid.rewritten.query.cast()) };
    walk.is_covered
}

/// Raises a constant LIMIT by one and returns the original; `None` for a statement without one. The additional
/// row shows whether the limit cuts between equal rows.
pub(crate) fn raise_limit(valid: &ValidSql<'_>) -> Option<usize> {
    // SAFETY: a valid rewritten tree; each cast follows the tag.
    unsafe {
        let mut node = (*valid.rewritten.query).limitCount;
        if !node.is_null() && (*node).type_ == NodeTag::T_FuncExpr {
            let call = &*node.cast::<pg_sys::FuncExpr>();
            node = pgrx::PgList::<pg_sys::Node>::from_pg(call.args).get_ptr(0)?;
        }
        if node.is_null() || (*node).type_ != NodeTag::T_Const {
            return None;
        }
        let number = &mut *node.cast::<pg_sys::Const>();
        let is_integer = matches!(number.consttype, pg_sys::INT4OID | pg_sys::INT8OID);
        let limit = number.constvalue.value() as i64;
        // LIMIT ALL is NULL; a limit at the type's end cannot be raised.
        if number.constisnull || !is_integer || !(1..1_000_000).contains(&limit) {
            return None;
        }
        number.constvalue = pg_sys::Datum::from(limit + 1);
        usize::try_from(limit).ok()
    }
}

/// Replaces calls of the wall clock by calls of the transaction's clock.
pub(super) fn pin_clock_calls(query: *mut pg_sys::Query) {
    let mut walk = Walk {
        stand_in: None,
        permissions: QueryPermissions::none(),
        is_covered: true,
    };
    // SAFETY: as in `read_copies`.
    unsafe { walk.node(query.cast()) };
}

struct Walk<'a> {
    stand_in: Option<&'a StandIn<'a>>,
    /// Those of the query that is being walked.
    permissions: QueryPermissions,
    is_covered: bool,
}

impl Walk<'_> {
    /// # Safety
    /// `node` is NULL or a valid node of a rewritten tree that no other code reads.
    unsafe fn node(&mut self, mut node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the tag.
        unsafe {
            while !node.is_null() {
                let context = (&raw mut *self).cast();
                match (*node).type_ {
                    NodeTag::T_Query => {
                        let query = node.cast::<pg_sys::Query>();
                        let outer =
                            std::mem::replace(&mut self.permissions, QueryPermissions::of(query));
                        let is_stopped = pg_sys::query_tree_walker(
                            query,
                            Some(visit),
                            context,
                            pg_sys::QTW_EXAMINE_RTES_BEFORE as c_int,
                        );
                        self.permissions = outer;
                        return is_stopped;
                    }
                    NodeTag::T_RangeTblEntry => {
                        self.range_table_entry(node.cast());
                        return false;
                    }
                    NodeTag::T_FuncExpr => {
                        let call = &mut *node.cast::<pg_sys::FuncExpr>();
                        // Both have no argument and return a timestamptz.
                        if call.funcid.to_u32() == pg_sys::F_CLOCK_TIMESTAMP {
                            call.funcid = pg_sys::Oid::from(pg_sys::F_NOW);
                        }
                    }
                    _ => {}
                }
                let Some((left, right)) = operands(node) else {
                    return pg_sys::expression_tree_walker(node, Some(visit), context);
                };
                if self.node(right) {
                    return true;
                }
                node = left;
            }
            false
        }
    }

    /// # Safety
    /// The entry is valid and belongs to the query that is being walked.
    unsafe fn range_table_entry(&mut self, place: *mut pg_sys::RangeTblEntry) {
        let Some(stand_in) = self.stand_in else {
            return;
        };
        // SAFETY: by contract.
        let entry = unsafe { &*place };
        if entry.rtekind != pg_sys::RTEKind::RTE_RELATION {
            return;
        }
        match entry.relkind.cast_unsigned() {
            // What is left of a view after rewriting reads no rows.
            pg_sys::RELKIND_VIEW => return,
            pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE if entry.inh => {}
            _ => {
                self.is_covered = false;
                return;
            }
        }
        // Policies are added to the tree before this: those of the original would remain.
        let copy = match entry.securityQuals.is_null() {
            true => stand_in(entry.relid),
            false => None,
        };
        let Some(copy) = copy else {
            self.is_covered = false;
            return;
        };
        let lock = entry.rellockmode;
        // SAFETY: by contract, and `entry` is not used any more. The planner wants what it plans to be locked,
        // and the stand-in was locked to be looked at.
        unsafe {
            self.is_covered &= self.permissions.replace_relation(place, copy);
            pg_sys::LockRelationOid(copy, lock);
        }
    }
}

visitors!(Walk<'_>);
