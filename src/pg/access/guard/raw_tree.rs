//! Checks before parse analysis: data-modifying CTEs, and schemas on which the caller has no USAGE. PostgreSQL
//! would report "permission denied for schema", which reveals that the schema exists.

use std::ffi::{CStr, c_char, c_int};

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::template;

use super::availability::{self, Named};
use super::stack_depth;
use super::verdict::{Refusal, refuse};
use crate::pg::access::guard::visitors::visitors;
use crate::pg::access::protection;
use crate::pg::access::query_tree::position;
use crate::pg::server::compat::object_privileges;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::text_of;

/// Checks every name of the raw tree before parse analysis.
pub(super) fn judge(
    raw: *mut pg_sys::RawStmt,
    source: *const c_char,
    policy: &GuardPolicy,
) -> Result<Named, Refusal> {
    let mut walk = Walk {
        source,
        policy,
        is_limited: availability::is_limited(policy)?,
        refusal: None,
        named: Named::default(),
        with: Vec::new(),
    };
    // SAFETY: a valid raw tree, and a callback that matches its context.
    unsafe { walk.node((*raw).stmt) };
    match walk.refusal {
        Some(refusal) => Err(refusal),
        None => Ok(walk.named),
    }
}

/// Why a statement with a locking clause is refused.
pub(super) const LOCKING: &str =
    template!("a locking clause (FOR UPDATE, FOR SHARE) is not allowed");

struct Walk<'a> {
    source: *const c_char,
    policy: &'a GuardPolicy,
    /// Whether anything is hidden or out of scope.
    is_limited: bool,
    refusal: Option<Refusal>,
    named: Named,
    /// Names of common table expressions, which take precedence over relations of the same name.
    with: Vec<String>,
}

impl Walk<'_> {
    /// Checks a node and its children; `true` stops the walk.
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
                if stack_depth::is_used_up() {
                    self.refusal = Some(stack_depth::too_deep().into());
                    return true;
                }
                if (*node).type_ != NodeTag::T_A_Expr {
                    let context = (&raw mut *self).cast();
                    return pg_sys::raw_expression_tree_walker(node, Some(visit), context);
                }
                // A chain such as `a || b || c` is left-deep and can be long.
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
                    self.qualified(name.names, name.location) || self.row_type(name)
                }
                NodeTag::T_SelectStmt => self.select(&*node.cast::<pg_sys::SelectStmt>()),
                NodeTag::T_ColumnRef => {
                    let reference = &*node.cast::<pg_sys::ColumnRef>();
                    self.columns(reference.fields, reference.location)
                }
                NodeTag::T_A_Indirection => {
                    let indirection = &*node.cast::<pg_sys::A_Indirection>();
                    self.columns(indirection.indirection, -1)
                }
                NodeTag::T_JoinExpr => {
                    self.columns((*node.cast::<pg_sys::JoinExpr>()).usingClause, -1)
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
                    let reason = template!("a data-modifying WITH is not allowed");
                    self.refusal = Some(refuse(Rule::Statement, reason).into());
                    true
                }
                _ => false,
            }
        }
    }

    /// Stops at a relation in a schema on which the caller has no USAGE.
    unsafe fn relation(&mut self, relation: &pg_sys::RangeVar) -> bool {
        // SAFETY: the names are NULL or NUL-terminated.
        unsafe {
            let name = text_of(relation.relname);
            if !is_closed(relation.schemaname) {
                self.named.relations.push((name, relation.location));
                return self.is_limited && self.is_unavailable(relation);
            }
            let schema = text_of(relation.schemaname);
            self.refusal = Some(Refusal::Failed(DatabaseError {
                sqlstate: "42P01".to_owned(),
                message: format!("relation \"{schema}.{name}\" does not exist"),
                detail: None,
                hint: None,
                position: position::position_of(self.source, relation.location),
                is_private: false,
            }));
        }
        true
    }

    /// Stops at a relation that is not visible to questions, before anything about it can be revealed, and
    /// records the hidden columns of any other relation.
    unsafe fn is_unavailable(&mut self, relation: &pg_sys::RangeVar) -> bool {
        // SAFETY: a valid node with NULL or NUL-terminated names; no lock, and a missing relation is
        // InvalidOid.
        let (oid, written) = unsafe {
            let name = text_of(relation.relname);
            let written = if relation.schemaname.is_null() {
                if self.with.contains(&name) {
                    return false;
                }
                name
            } else {
                format!("{}.{name}", text_of(relation.schemaname))
            };
            let oid = pg_sys::RangeVarGetRelidExtended(
                std::ptr::from_ref(relation),
                pg_sys::NoLock.cast_signed(),
                pg_sys::RVROption::RVR_MISSING_OK,
                None,
                std::ptr::null_mut(),
            );
            (oid, written)
        };
        if oid == pg_sys::InvalidOid {
            return false;
        }
        if let Err(rejection) = availability::judge_relation(oid, &written, self.policy) {
            return self.reject(rejection, relation.location);
        }
        self.named.hidden.extend(protection::hidden_names(oid));
        false
    }

    /// Stops at the row type of a table that is not completely visible to questions.
    unsafe fn row_type(&mut self, name: &pg_sys::TypeName) -> bool {
        if !self.is_limited {
            return false;
        }
        // SAFETY: a valid node; a missing type is InvalidOid, as is what is not a row type.
        let relation = unsafe {
            let mut oid = pg_sys::LookupTypeNameOid(
                std::ptr::null_mut(),
                std::ptr::from_ref(name).cast_mut(),
                true,
            );
            let element = pg_sys::get_element_type(oid);
            if element != pg_sys::InvalidOid {
                oid = element;
            }
            pg_sys::get_typ_typrelid(oid)
        };
        if relation == pg_sys::InvalidOid {
            return false;
        }
        match availability::judge_row_type(relation, self.policy) {
            Ok(()) => false,
            Err(rejection) => self.reject(rejection, name.location),
        }
    }

    /// Refuses a locking clause, which parse analysis drops where no table is read, and records the names of
    /// common table expressions.
    unsafe fn select(&mut self, select: &pg_sys::SelectStmt) -> bool {
        if !select.lockingClause.is_null() {
            return self.reject(refuse(Rule::Statement, LOCKING), -1);
        }
        // SAFETY: the clause is NULL or a valid node, its list holds CommonTableExpr nodes.
        unsafe {
            if let Some(clause) = select.withClause.as_ref() {
                let expressions = PgList::<pg_sys::CommonTableExpr>::from_pg(clause.ctes);
                let names = expressions.iter_ptr();
                self.with
                    .extend(names.map(|expression| text_of((*expression).ctename)));
            }
        }
        false
    }

    /// Records the names of columns, if anything is hidden.
    unsafe fn columns(&mut self, names: *mut pg_sys::List, location: c_int) -> bool {
        if self.is_limited {
            // SAFETY: the list holds nodes of which those of this tag are names.
            unsafe {
                for name in PgList::<pg_sys::Node>::from_pg(names).iter_ptr() {
                    if (*name).type_ == NodeTag::T_String {
                        let name = text_of((*name.cast::<pg_sys::String>()).sval);
                        self.named.columns.push((name, location));
                    }
                }
            }
        }
        false
    }

    fn reject(&mut self, rejection: Rejection, location: c_int) -> bool {
        let position = position::position_of(self.source, location);
        self.refusal = Some(Refusal::Rejected(Rejection {
            position,
            ..rejection
        }));
        true
    }

    /// Stops at a function, operator or type in a schema on which the caller has no USAGE.
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
                is_private: false,
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
        oid != pg_sys::InvalidOid && !object_privileges::uses_schema(oid, pg_sys::GetUserId())
    }
}

visitors!(Walk<'_>);
