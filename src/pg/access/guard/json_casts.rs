//! Functions that produce JSON look up and call a cast to `json` for every user-defined type in their input, at
//! run time: no tree shows that call. A statement that produces JSON may therefore not contain a type with an
//! unreviewed cast to `json`.

use std::collections::{BTreeSet, HashSet};

use pgrx::pg_sys::{self, CoercionPathType, NodeTag};

use super::datatypes;
use super::functions::{self, FunctionRules, Standing};
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::server::spi::encoding::text_of;

/// The types and functions seen by a walk.
#[derive(Default)]
pub(super) struct JsonCasts {
    seen: HashSet<u32>,
    cast: Option<pg_sys::Oid>,
    /// Whether a constructor of SQL/JSON was seen, which is no function.
    has_constructor: bool,
}

impl JsonCasts {
    /// Records the type of an expression.
    ///
    /// # Safety
    /// `node` is a valid node of an analysed tree.
    pub(super) unsafe fn note(&mut self, node: *mut pg_sys::Node, rules: &FunctionRules) {
        // SAFETY: promised by the caller.
        if let Some(oid) = unsafe { type_of(node) } {
            self.note_type(oid, rules);
        }
    }

    /// Records a constructor of SQL/JSON.
    pub(super) fn note_constructor(&mut self) {
        self.has_constructor = true;
    }

    fn note_type(&mut self, oid: pg_sys::Oid, rules: &FunctionRules) {
        if oid.to_u32() < FIRST_USER_OID || self.cast.is_some() || !self.seen.insert(oid.to_u32()) {
            return;
        }
        // SAFETY: look-ups in the caches by the OID of an existing type.
        let (base, function) = unsafe {
            let base = pg_sys::getBaseType(oid);
            let mut function = pg_sys::InvalidOid;
            let explicit = pg_sys::CoercionContext::COERCION_EXPLICIT;
            let path =
                pg_sys::find_coercion_pathway(pg_sys::JSONOID, base, explicit, &mut function);
            let is_function = path == CoercionPathType::COERCION_PATH_FUNC;
            (base, is_function.then_some(function))
        };
        let is_reviewed = |function: pg_sys::Oid| {
            matches!(
                rules.standing(function),
                Standing::Reviewed | Standing::Registered
            )
        };
        self.cast = function.filter(|function| !is_reviewed(*function));
        if base != oid {
            self.note_type(base, rules);
        }
        for part in datatypes::parts(base).into_iter().flatten() {
            self.note_type(part, rules);
        }
    }

    /// The cast that one of the called functions would run.
    pub(super) fn offender(&self, called: &BTreeSet<u32>) -> Option<String> {
        let cast = self.cast?;
        (self.has_constructor || called.iter().any(|function| makes_json(*function)))
            .then(|| functions::signature(cast))
    }
}

/// Whether the function is built in and processes JSON.
fn makes_json(function: u32) -> bool {
    // SAFETY: a look-up in the cache, which returns a palloc'd name or NULL.
    function < FIRST_USER_OID
        && unsafe { text_of(pg_sys::get_func_name(function.into())) }.contains("json")
}

/// The type of an expression that brings a value into the statement.
///
/// # Safety
/// `node` is a valid node of an analysed tree.
unsafe fn type_of(node: *mut pg_sys::Node) -> Option<pg_sys::Oid> {
    // SAFETY: each cast follows the node's tag.
    unsafe {
        Some(match (*node).type_ {
            NodeTag::T_Var => (*node.cast::<pg_sys::Var>()).vartype,
            NodeTag::T_Const => (*node.cast::<pg_sys::Const>()).consttype,
            NodeTag::T_FuncExpr => (*node.cast::<pg_sys::FuncExpr>()).funcresulttype,
            NodeTag::T_RelabelType => (*node.cast::<pg_sys::RelabelType>()).resulttype,
            NodeTag::T_CoerceViaIO => (*node.cast::<pg_sys::CoerceViaIO>()).resulttype,
            NodeTag::T_CoerceToDomain => (*node.cast::<pg_sys::CoerceToDomain>()).resulttype,
            NodeTag::T_ArrayCoerceExpr => (*node.cast::<pg_sys::ArrayCoerceExpr>()).resulttype,
            NodeTag::T_RowExpr => (*node.cast::<pg_sys::RowExpr>()).row_typeid,
            NodeTag::T_FieldSelect => (*node.cast::<pg_sys::FieldSelect>()).resulttype,
            _ => return None,
        })
    }
}
