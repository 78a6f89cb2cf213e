//! The second walk, over the rewritten tree: what view bodies and virtual generated columns add. A policy of
//! row-level security is defined by the table's owner and may call any function; the run-time hooks watch it.

use std::collections::BTreeSet;
use std::ffi::c_int;

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;

use super::functions::{self, FunctionRules, Standing};
use super::json_casts::JsonCasts;
use super::verdict::refuse;
use super::{relations, stack_depth};
use crate::pg::access::guard::visitors::visitors;
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::access::query_tree::node_kinds::{calls_nothing, is_judged, is_leaf};
use crate::pg::access::query_tree::operands::operands;
use crate::pg::server::compat::generated_columns;
use crate::pg::server::compat::grouping;
use crate::pg::server::compat::permissions::QueryPermissions;
use crate::pg::server::compat::sql_json::{self, SqlJson};
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::role::EffectiveRole;

/// Why a view with a node or an entry of an unknown kind is refused.
const NOT_REVIEWED: &str = "the body of a view uses SQL that is not reviewed";

/// The rewritten query and its properties.
pub(super) struct Rewritten {
    /// The tree to plan.
    pub(super) query: *mut pg_sys::Query,
    /// Whether every function in it is reviewed. The run-time hooks do not reach parallel workers, so nothing
    /// else may run there.
    pub(super) is_all_reviewed: bool,
}

/// Expands views and policies, and judges what was added.
pub(super) fn rewrite(
    query: *mut pg_sys::Query,
    policy: &GuardPolicy,
    rules: &FunctionRules,
    role: &EffectiveRole,
) -> Result<Rewritten, Rejection> {
    // SAFETY: a valid analysed tree, whose relations are locked since its analysis.
    let rewritten = unsafe { PgList::<pg_sys::Query>::from_pg(pg_sys::QueryRewrite(query)) };
    let query = match (rewritten.get_ptr(0), rewritten.len()) {
        (Some(query), 1) => query,
        _ => {
            let reason = "a rule rewrites this statement into something else";
            return Err(refuse(Rule::View, reason));
        }
    };
    let mut walk = Walk {
        policy,
        rules,
        role,
        permissions: QueryPermissions::none(),
        rejection: None,
        is_all_reviewed: true,
        json: JsonCasts::default(),
        functions: BTreeSet::new(),
        hidden_policies: Vec::new(),
    };
    // SAFETY: a valid tree, and a callback that matches its context.
    unsafe {
        walk.node(query.cast());
        for (entry, quals) in &walk.hidden_policies {
            (**entry).securityQuals = *quals;
        }
    }
    match walk.rejection {
        Some(rejection) => Err(rejection),
        None => Ok(Rewritten {
            query,
            is_all_reviewed: walk.is_all_reviewed && walk.json.offender(&walk.functions).is_none(),
        }),
    }
}

struct Walk<'a> {
    policy: &'a GuardPolicy,
    rules: &'a FunctionRules,
    role: &'a EffectiveRole,
    /// Those of the query that is being walked.
    permissions: QueryPermissions,
    rejection: Option<Rejection>,
    is_all_reviewed: bool,
    json: JsonCasts,
    /// Functions called, by OID.
    functions: BTreeSet<u32>,
    hidden_policies: Vec<(*mut pg_sys::RangeTblEntry, *mut pg_sys::List)>,
}

impl Walk<'_> {
    fn reject(&mut self, rejection: Rejection) -> bool {
        self.rejection.get_or_insert(rejection);
        true
    }

    /// Judges a node and its children; `true` stops the walk.
    ///
    /// # Safety
    /// `node` is NULL or a valid node of a rewritten tree.
    unsafe fn node(&mut self, mut node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the tag.
        unsafe {
            while !node.is_null() {
                if stack_depth::is_used_up() {
                    return self.reject(stack_depth::too_deep());
                }
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
                    NodeTag::T_RangeTblEntry => return self.range_table_entry(node.cast()),
                    // A user's domain may have a CHECK in any language.
                    NodeTag::T_CoerceToDomain
                        if (*node.cast::<pg_sys::CoerceToDomain>()).resulttype.to_u32()
                            >= FIRST_USER_OID =>
                    {
                        self.is_all_reviewed = false;
                    }
                    tag if is_leaf(tag) => {
                        self.json.note(node, self.rules);
                        return false;
                    }
                    _ if !is_judged(node) => return self.reject(refuse(Rule::View, NOT_REVIEWED)),
                    _ => self.note_hidden_conversions(node),
                }
                if !calls_nothing((*node).type_)
                    && pg_sys::check_functions_in_node(node, Some(visit_function), context)
                {
                    return true;
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

    /// Records the conversions that the node makes without showing it: SQL/JSON calls casts and input functions,
    /// and table functions the input functions of their columns. Unless they are built in, the hooks have to see
    /// them.
    ///
    /// # Safety
    /// `node` is a valid node of a rewritten tree.
    unsafe fn note_hidden_conversions(&mut self, node: *mut pg_sys::Node) {
        let is_built_in = |oid: pg_sys::Oid| oid.to_u32() < FIRST_USER_OID;
        // SAFETY: by contract; the cast follows the tag, and the list holds the OIDs of types.
        unsafe {
            self.json.note(node, self.rules);
            match sql_json::of_node(node) {
                Some(SqlJson::Query(target)) => self.is_all_reviewed &= is_built_in(target),
                Some(SqlJson::Constructor) => self.json.note_constructor(),
                None if (*node).type_ == NodeTag::T_TableFunc => {
                    let types = (*node.cast::<pg_sys::TableFunc>()).coltypes;
                    self.is_all_reviewed &= PgList::<pg_sys::Oid>::from_pg(types)
                        .iter_oid()
                        .all(is_built_in);
                }
                Some(SqlJson::Part) | None => {}
            }
        }
    }

    fn function(&mut self, oid: pg_sys::Oid) -> bool {
        self.functions.insert(oid.to_u32());
        let standing = self.rules.standing(oid);
        match standing {
            Standing::Reviewed | Standing::InputConversion => return false,
            // A built-in function that reads the catalog or a setting is safe in a worker too.
            Standing::Beneath if oid.to_u32() < FIRST_USER_OID => return false,
            _ => self.is_all_reviewed = false,
        }
        if !matches!(
            standing,
            Standing::Dangerous | Standing::OfPlan | Standing::User { is_volatile: true }
        ) {
            return false;
        }
        let signature = functions::signature(oid);
        let mut rejection = refuse(
            Rule::View,
            say!("the body of a view calls {signature}, which may have effects"),
        );
        rejection.offender = Some(signature);
        self.reject(rejection)
    }

    fn range_table_entry(&mut self, entry: *mut pg_sys::RangeTblEntry) -> bool {
        // SAFETY: the walker hands over a valid entry, and no other code holds a reference to it.
        let facts = unsafe { &mut *entry };
        // The core walker would descend into them. They are restored after the walk.
        if !facts.securityQuals.is_null() {
            self.hidden_policies.push((entry, facts.securityQuals));
            facts.securityQuals = std::ptr::null_mut();
            self.is_all_reviewed = false;
        }
        match facts.rtekind {
            pg_sys::RTEKind::RTE_RELATION => {}
            pg_sys::RTEKind::RTE_SUBQUERY
            | pg_sys::RTEKind::RTE_JOIN
            | pg_sys::RTEKind::RTE_FUNCTION
            | pg_sys::RTEKind::RTE_TABLEFUNC
            | pg_sys::RTEKind::RTE_VALUES
            | pg_sys::RTEKind::RTE_CTE
            | pg_sys::RTEKind::RTE_RESULT => return false,
            _ if grouping::is_group(facts) => return false,
            _ => return self.reject(refuse(Rule::View, NOT_REVIEWED)),
        }
        if facts.relkind.cast_unsigned() == pg_sys::RELKIND_FOREIGN_TABLE
            && !self.policy.allow_foreign_tables
        {
            let reason = "the body of a view reads a foreign table";
            return self.reject(refuse(Rule::View, reason));
        }
        if relations::is_citus_internal(facts) {
            let reason = "the body of a view reads a part of a distributed table";
            return self.reject(refuse(Rule::View, reason));
        }
        // SAFETY: the relation is locked since the statement's analysis or by the rewriter; the expressions
        // are valid nodes.
        unsafe {
            for (_, expression) in generated_columns::virtual_expressions(facts.relid) {
                if self.node(expression) {
                    return true;
                }
            }
        }
        // The relations of a view's body are read as the view's owner.
        // SAFETY: entries are reached in the walk of the query to which they belong.
        let permissions = unsafe { self.permissions.find(entry) };
        let reads_as_role = permissions.is_none_or(|needed| needed.role() == pg_sys::InvalidOid);
        if self.role.is_switched
            && reads_as_role
            && let Err(rejection) = relations::judge_row_security(facts)
        {
            return self.reject(rejection);
        }
        false
    }
}

visitors!(Walk<'_>, with functions);
