//! What a statement may not read while an evaluation has its own clock. A policy such as `publish_at <= now()`
//! lets the clock select the rows, and the author of an evaluation chooses its clock. Therefore nothing under
//! row-level security is read, no view that shows its owner's rows depending on the time, and no SECURITY
//! DEFINER function runs.
//!
//! [`judge`] checks the rewritten tree; [`in_plan`] and [`runs_as_owner`] serve the run-time hooks, for what
//! functions read and call indirectly.

use std::ffi::c_int;

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};
use text2sql_domain::validate::{CLOCK_REFUSED, Rejection, Rule};

use super::functions::{self, FunctionRules, Standing};
use super::verdict::refuse;
use crate::pg::access::guard::visitors::visitors;
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::access::objects::{EVAL_SCHEMA, OWN_SCHEMA};
use crate::pg::access::protection;
use crate::pg::access::query_tree::node_kinds::is_leaf;
use crate::pg::access::query_tree::operands::operands;
use crate::pg::access::query_tree::reads::{behind_views, quoted_name};
use crate::pg::server::compat::permissions::{PlanPermissions, QueryPermissions};
use crate::pg::server::compat::sql_json::{self, SqlJson};
use crate::pg::server::compat::views::view_of_body;
use crate::pg::server::spi::encoding::text_of;
use crate::pg::server::spi::role::EffectiveRole;

/// Built-in functions whose result depends on the clock, by OID: those that return the time, those that parse a
/// time or date, where `'now'` and `'today'` are valid input, those that parse any type, and those that use the
/// current offset of a time zone.
const BY_THE_CLOCK: [u32; 37] = [
    pg_sys::F_NOW,
    pg_sys::F_TRANSACTION_TIMESTAMP,
    pg_sys::F_STATEMENT_TIMESTAMP,
    pg_sys::F_CLOCK_TIMESTAMP,
    pg_sys::F_TIMEOFDAY,
    pg_sys::F_AGE_TIMESTAMPTZ,
    pg_sys::F_AGE_TIMESTAMP,
    pg_sys::F_DATE_IN,
    pg_sys::F_TIME_IN,
    pg_sys::F_TIMETZ_IN,
    pg_sys::F_TIMESTAMP_IN,
    pg_sys::F_TIMESTAMPTZ_IN,
    pg_sys::F_ARRAY_IN,
    pg_sys::F_RECORD_IN,
    pg_sys::F_RANGE_IN,
    pg_sys::F_MULTIRANGE_IN,
    pg_sys::F_DOMAIN_IN,
    pg_sys::F_TIMETZ_TIME,
    pg_sys::F_TIMEZONE_TEXT_TIMETZ,
    pg_sys::F_TIMEZONE_INTERVAL_TIMETZ,
    pg_sys::F_JSON_POPULATE_RECORD,
    pg_sys::F_JSON_POPULATE_RECORDSET,
    pg_sys::F_JSON_TO_RECORD,
    pg_sys::F_JSON_TO_RECORDSET,
    pg_sys::F_JSONB_POPULATE_RECORD,
    pg_sys::F_JSONB_POPULATE_RECORDSET,
    pg_sys::F_JSONB_TO_RECORD,
    pg_sys::F_JSONB_TO_RECORDSET,
    pg_sys::F_JSONB_PATH_EXISTS_TZ,
    pg_sys::F_JSONB_PATH_MATCH_TZ,
    pg_sys::F_JSONB_PATH_QUERY_TZ,
    pg_sys::F_JSONB_PATH_QUERY_ARRAY_TZ,
    pg_sys::F_JSONB_PATH_QUERY_FIRST_TZ,
    // Functions that PostgreSQL 16 and 17 added; before, there are none of these numbers.
    PG_INPUT_IS_VALID,
    PG_INPUT_ERROR_INFO,
    TIMEZONE_LOCAL_TIMETZ,
    JSONB_POPULATE_RECORD_VALID,
];

const PG_INPUT_IS_VALID: u32 = 6210;
const PG_INPUT_ERROR_INFO: u32 = 6211;
const TIMEZONE_LOCAL_TIMETZ: u32 = 6336;
const JSONB_POPULATE_RECORD_VALID: u32 = 6338;

/// Judges the rewritten tree of a statement that runs under the clock of an evaluation.
pub(super) fn judge(
    query: *mut pg_sys::Query,
    rules: &FunctionRules,
    role: &EffectiveRole,
) -> Result<(), Rejection> {
    let mut walk = Walk {
        rules,
        role: role.oid,
        view: None,
        entry: std::ptr::null_mut(),
        permissions: QueryPermissions::none(),
        rejection: None,
    };
    // SAFETY: a valid rewritten tree.
    unsafe { walk.node(query.cast()) };
    match walk.rejection {
        Some(rejection) => Err(rejection),
        None => Ok(()),
    }
}

/// Why a plan may not run under the clock; for a statement nested in a function, no view of another owner may
/// be read at all.
pub(super) fn in_plan(plan: &PlanPermissions, is_nested: bool) -> Option<String> {
    // SAFETY: reads a variable of the session.
    let user = unsafe { pg_sys::GetUserId() };
    let reason = plan.checked().iter().find_map(|needed| {
        let (relation, role) = (needed.relation(), needed.role());
        let others = ![pg_sys::InvalidOid, user].contains(&role);
        if is_nested && others {
            let name = quoted_name(relation);
            return Some(format!(
                "{CLOCK_REFUSED}: {name} is read with the privileges of another role"
            ));
        }
        has_row_security(relation, role).then(|| by_policies(relation))
    });
    reason.or_else(|| {
        plan.unchecked()
            .into_iter()
            .find(|relation| has_row_security(*relation, pg_sys::InvalidOid))
            .map(by_policies)
    })
}

/// Why the function may not run under the clock: it runs with the privileges of its owner.
pub(super) fn runs_as_owner(function: pg_sys::Oid) -> Option<String> {
    let is_definer = function.to_u32() >= FIRST_USER_OID && functions::is_definer(function);
    is_definer.then(|| {
        let signature = functions::signature(function);
        format!("{CLOCK_REFUSED}: function {signature} runs with the privileges of its owner")
    })
}

fn by_policies(relation: pg_sys::Oid) -> String {
    let name = quoted_name(relation);
    format!("{CLOCK_REFUSED}: row-level security decides about the rows of {name}")
}

/// Whether policies apply to a role, by default the current one, that reads the relation.
fn has_row_security(relation: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches; `true` makes it answer instead of raising.
    let state = unsafe { pg_sys::check_enable_rls(relation, role, true) };
    state == pg_sys::CheckEnableRlsResult::RLS_ENABLED as c_int
}

struct Walk<'a> {
    rules: &'a FunctionRules,
    role: pg_sys::Oid,
    /// The view of another owner to which this body belongs.
    view: Option<pg_sys::Oid>,
    /// The range table entry that was reached last.
    entry: *mut pg_sys::RangeTblEntry,
    /// Those of the query that is being walked.
    permissions: QueryPermissions,
    rejection: Option<Rejection>,
}

impl Walk<'_> {
    fn reject(&mut self, rule: Rule, reason: String) -> bool {
        self.rejection.get_or_insert(refuse(rule, reason));
        true
    }

    /// # Safety
    /// `node` is NULL or a valid node of a rewritten tree.
    unsafe fn node(&mut self, mut node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the tag.
        unsafe {
            while !node.is_null() {
                let context = (&raw mut *self).cast();
                match (*node).type_ {
                    NodeTag::T_Query => return self.query(node.cast()),
                    NodeTag::T_RangeTblEntry => return self.range_table_entry(node.cast()),
                    tag if is_leaf(tag) => return false,
                    _ => {}
                }
                if Self::goes_beyond_functions(node) && self.goes_by_time() {
                    return true;
                }
                if self.view.is_some()
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

    /// Whether a node that calls no function may depend on the clock.
    ///
    /// # Safety
    /// `node` is a valid node.
    unsafe fn goes_beyond_functions(node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the tag.
        unsafe {
            match (*node).type_ {
                NodeTag::T_SQLValueFunction => {
                    (*node.cast::<pg_sys::SQLValueFunction>()).op
                        <= pg_sys::SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP_N
                }
                // It converts the values of its columns from text.
                NodeTag::T_TableFunc => true,
                // 'now' in JSON is a valid timestamp.
                _ if matches!(sql_json::of_node(node), Some(SqlJson::Query(_))) => true,
                // The CHECK of a user's domain may call anything.
                NodeTag::T_CoerceToDomain => {
                    (*node.cast::<pg_sys::CoerceToDomain>()).resulttype.to_u32() >= FIRST_USER_OID
                }
                _ => false,
            }
        }
    }

    /// # Safety
    /// `query` is a valid rewritten query.
    unsafe fn query(&mut self, query: *mut pg_sys::Query) -> bool {
        let outer = self.view;
        // SAFETY: a valid query, reached through the entry if that is its own; the callback matches its context.
        unsafe {
            if let Some(view) = view_of_body(query, self.entry)
                && outer.is_none()
                && !is_ours(view)
                && protection::owner(view) != Some(self.role)
                && !reads_as_invoker(view)
                && !self.may_read_all(query)
            {
                self.view = Some(view);
            }
            let outer_permissions =
                std::mem::replace(&mut self.permissions, QueryPermissions::of(query));
            let stops = pg_sys::query_tree_walker(
                query,
                Some(visit),
                (&raw mut *self).cast(),
                pg_sys::QTW_EXAMINE_RTES_BEFORE as c_int,
            );
            self.permissions = outer_permissions;
            self.view = outer;
            stops
        }
    }

    /// # Safety
    /// The entry is valid and belongs to the query that is being walked.
    unsafe fn range_table_entry(&mut self, place: *mut pg_sys::RangeTblEntry) -> bool {
        self.entry = place;
        // SAFETY: by contract.
        let entry = unsafe { &*place };
        match entry.rtekind {
            pg_sys::RTEKind::RTE_RELATION => {
                // SAFETY: by contract.
                let needed = unsafe { self.permissions.find(place) };
                let role = needed.map_or(pg_sys::InvalidOid, |needed| needed.role());
                (!entry.securityQuals.is_null() || has_row_security(entry.relid, role))
                    && self.reject(Rule::Relation, by_policies(entry.relid))
            }
            // The planner may inline the function's query, bypassing the hooks.
            pg_sys::RTEKind::RTE_FUNCTION => {
                // SAFETY: the members of such an entry are valid nodes; each cast follows the tag.
                let called = unsafe {
                    PgList::<pg_sys::RangeTblFunction>::from_pg(entry.functions)
                        .iter_ptr()
                        .map(|function| (*function).funcexpr)
                        .filter(|call| !call.is_null() && (**call).type_ == NodeTag::T_FuncExpr)
                        .map(|call| (*call.cast::<pg_sys::FuncExpr>()).funcid)
                        .find(|function| self.is_users(*function))
                };
                called.is_some_and(|function| {
                    let signature = functions::signature(function);
                    let reason =
                        format!("{CLOCK_REFUSED}: function {signature} may be inlined as a query");
                    self.reject(Rule::Function, reason)
                })
            }
            _ => false,
        }
    }

    /// Whether the function is user-defined, including those registered by an administrator.
    fn is_users(&self, function: pg_sys::Oid) -> bool {
        function.to_u32() >= FIRST_USER_OID
            && !matches!(
                self.rules.standing(function),
                Standing::Reviewed | Standing::InputConversion
            )
    }

    /// Whether the role can read all rows of all tables behind a view: then the view hides nothing from it. A
    /// view with its owner's privileges shows rows that row-level security hides from the role.
    ///
    /// # Safety
    /// `query` is the body of a view in a rewritten tree.
    unsafe fn may_read_all(&self, query: *mut pg_sys::Query) -> bool {
        // SAFETY: promised by the caller; look-ups in the caches.
        unsafe {
            behind_views(query).iter().all(|read| {
                let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
                let mut is_missing = false;
                let verdict = pg_sys::pg_class_aclcheck_ext(
                    read.oid(),
                    self.role,
                    select,
                    &raw mut is_missing,
                );
                verdict == pg_sys::AclResult::ACLCHECK_OK
                    && !has_row_security(read.oid(), self.role)
            })
        }
    }

    fn function(&mut self, oid: pg_sys::Oid) -> bool {
        let number = oid.to_u32();
        let follows = match number < FIRST_USER_OID {
            true => BY_THE_CLOCK.contains(&number),
            // A volatility label proves nothing unless its author is trusted.
            false => self.is_users(oid) || functions::volatility(oid) != "immutable",
        };
        follows && self.goes_by_time()
    }

    /// Records that the body of a view depends on the clock; `false` for a view of the role itself.
    fn goes_by_time(&mut self) -> bool {
        let Some(view) = self.view else {
            return false;
        };
        let name = quoted_name(view);
        self.reject(
            Rule::View,
            format!(
                "{CLOCK_REFUSED}: view {name} runs with the privileges of its owner and depends on the time"
            ),
        )
    }
}

/// Whether the view belongs to the extension.
fn is_ours(view: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches; a palloc'd name or NULL.
    let schema = unsafe { text_of(pg_sys::get_namespace_name(pg_sys::get_rel_namespace(view))) };
    [OWN_SCHEMA, EVAL_SCHEMA].contains(&schema.as_str())
}

/// Whether the view is `security_invoker`.
fn reads_as_invoker(view: pg_sys::Oid) -> bool {
    // SAFETY: the view is locked since the statement's analysis; its options, where it has any, are those
    // of a view.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(view);
        if relation.is_null() {
            return false;
        }
        let options = (*relation).rd_options.cast::<pg_sys::ViewOptions>();
        let is_invoker = !options.is_null() && (*options).security_invoker;
        pg_sys::RelationClose(relation);
        is_invoker
    }
}

visitors!(Walk<'_>, with functions);
