//! What must be judged before parse analysis: data-modifying CTEs, and schemas that the caller may
//! not look into. Those do not exist for him; PostgreSQL would say "permission denied for schema",
//! which tells that it is there.

use std::ffi::{CStr, c_char, c_int, c_void};

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_guard, pg_sys};
use text2sql_core::sql_result::DatabaseError;
use text2sql_core::validate::Rule;

use super::{Refusal, position, refuse};
use crate::pg::encoding::text_of;

/// The relations that a statement names and the byte offset of each name.
pub(super) type Named = Vec<(String, c_int)>;

/// Looks at every name of the raw tree before parse analysis does.
pub(super) fn judge(raw: *mut pg_sys::RawStmt, source: *const c_char) -> Result<Named, Refusal> {
    let mut walk = Walk {
        source,
        refusal: None,
        named: Vec::new(),
    };
    // SAFETY: a valid raw tree, and a callback that matches its context.
    unsafe { walk.node((*raw).stmt) };
    match walk.refusal {
        Some(refusal) => Err(refusal),
        None => Ok(walk.named),
    }
}

struct Walk {
    source: *const c_char,
    refusal: Option<Refusal>,
    named: Named,
}

impl Walk {
    /// Looks at a node and what is below it; `true` stops the walk.
    ///
    /// # Safety
    /// `node` is NULL or a valid node of a raw tree.
    unsafe fn node(&mut self, mut node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the tag.
        unsafe {
            while !node.is_null() {
                if self.is_refused(node) {
                    return true;
                }
                if (*node).type_ != NodeTag::T_A_Expr {
                    let context = (&raw mut *self).cast();
                    return pg_sys::raw_expression_tree_walker(node, Some(visit), context);
                }
                // A chain such as `a || b || c` hangs to the left and can be long.
                let expression = &*node.cast::<pg_sys::A_Expr>();
                if self.node(expression.rexpr) {
                    return true;
                }
                node = expression.lexpr;
            }
            false
        }
    }

    /// Judges one node.
    unsafe fn is_refused(&mut self, node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the tag.
        unsafe {
            match (*node).type_ {
                NodeTag::T_RangeVar => self.relation(&*node.cast::<pg_sys::RangeVar>()),
                NodeTag::T_FuncCall => {
                    let call = &*node.cast::<pg_sys::FuncCall>();
                    self.qualified(call.funcname, call.location)
                }
                NodeTag::T_TypeName => {
                    let name = &*node.cast::<pg_sys::TypeName>();
                    self.qualified(name.names, name.location)
                }
                NodeTag::T_A_Expr => {
                    let expression = &*node.cast::<pg_sys::A_Expr>();
                    self.qualified(expression.name, expression.location)
                }
                NodeTag::T_CollateClause => {
                    let clause = &*node.cast::<pg_sys::CollateClause>();
                    self.qualified(clause.collname, clause.location)
                }
                NodeTag::T_InsertStmt
                | NodeTag::T_UpdateStmt
                | NodeTag::T_DeleteStmt
                | NodeTag::T_MergeStmt => {
                    let reason = "a data-modifying WITH is not allowed";
                    self.refusal = Some(refuse(Rule::Statement, reason).into());
                    true
                }
                _ => false,
            }
        }
    }

    /// Stops at a relation in a schema that is closed to the caller.
    unsafe fn relation(&mut self, relation: &pg_sys::RangeVar) -> bool {
        // SAFETY: the names are NULL or NUL-terminated.
        unsafe {
            if !is_closed(relation.schemaname) {
                self.named
                    .push((text_of(relation.relname), relation.location));
                return false;
            }
            let schema = text_of(relation.schemaname);
            let name = text_of(relation.relname);
            self.refusal = Some(Refusal::Failed(DatabaseError {
                sqlstate: "42P01".to_owned(),
                message: format!("relation \"{schema}.{name}\" does not exist"),
                detail: None,
                hint: None,
                position: position::position_of(self.source, relation.location),
            }));
        }
        true
    }

    /// Stops at a function, operator or type in a schema that is closed to the caller.
    unsafe fn qualified(&mut self, names: *mut pg_sys::List, location: c_int) -> bool {
        // SAFETY: the list holds String nodes.
        unsafe {
            let names = PgList::<pg_sys::String>::from_pg(names);
            let Some(schema) = names
                .len()
                .checked_sub(2)
                .and_then(|index| names.get_ptr(index))
                .filter(|name: &*mut pg_sys::String| (**name).type_ == NodeTag::T_String)
                .map(|name| (*name).sval)
            else {
                return false;
            };
            if !is_closed(schema) {
                return false;
            }
            let schema = text_of(schema);
            self.refusal = Some(Refusal::Failed(DatabaseError {
                sqlstate: "3F000".to_owned(),
                message: format!("schema \"{schema}\" does not exist"),
                detail: None,
                hint: None,
                position: position::position_of(self.source, location),
            }));
        }
        true
    }
}

/// Whether a schema of that name exists and the caller has no USAGE on it.
unsafe fn is_closed(schema: *const c_char) -> bool {
    // SAFETY: a NUL-terminated name; `true` makes an unknown one InvalidOid.
    unsafe {
        if schema.is_null() || CStr::from_ptr(schema) == c"pg_catalog" {
            return false;
        }
        let oid = pg_sys::get_namespace_oid(schema, true);
        oid != pg_sys::InvalidOid
            && pg_sys::pg_namespace_aclcheck(oid, pg_sys::GetUserId(), pg_sys::ACL_USAGE)
                != pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Never called from Rust: its guard would raise an error past the frames of the caller.
#[pg_guard]
unsafe extern "C-unwind" fn visit(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    // SAFETY: the context is the Walk that started this traversal, which nobody else uses
    // meanwhile; the node is valid or NULL.
    unsafe { (*context.cast::<Walk>()).node(node) }
}
