//! Planning, and the checks on the plan: cost, foreign tables, and again that nothing is written.

use std::ffi::c_char;
use std::marker::PhantomData;

use pgrx::{PgList, pg_sys};
use text2sql_domain::config::Limits;
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;

use super::guarded_state::set_local;
use super::relations;
use super::valid_sql::ValidSql;
use super::verdict::refuse;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::text_of;

/// The plan of a judged statement, valid as long as the sandbox.
pub(crate) struct ValidPlan<'sandbox> {
    statement: *mut pg_sys::PlannedStmt,
    source: *const c_char,
    /// The planner's cost.
    pub(crate) cost: f64,
    /// The planner's estimate of rows.
    pub(crate) rows: f64,
    sandbox: PhantomData<&'sandbox ()>,
}

/// A plan whose cost has not been checked.
pub(crate) struct PricedPlan<'sandbox> {
    plan: ValidPlan<'sandbox>,
}

impl<'sandbox> PricedPlan<'sandbox> {
    /// The planner's estimate of rows.
    pub(crate) fn rows(&self) -> f64 {
        self.plan.rows
    }

    /// The planner's cost.
    pub(crate) fn cost(&self) -> f64 {
        self.plan.cost
    }

    /// Whether parts of it are planned by Citus, whose estimates are constants.
    pub(crate) fn is_distributed(&self) -> bool {
        // SAFETY: a valid plan, which lives as long as the sandbox.
        unsafe {
            let statement = &*self.plan.statement;
            has_citus_scan(statement.planTree)
                || PgList::<pg_sys::Plan>::from_pg(statement.subplans)
                    .iter_ptr()
                    .any(|plan| has_citus_scan(plan))
        }
    }

    /// Checks the cost.
    pub(crate) fn within(self, limits: &Limits) -> Result<ValidPlan<'sandbox>, Rejection> {
        let cost = self.plan.cost;
        if limits.max_cost > 0.0 && (cost > limits.max_cost || cost.is_nan()) {
            let reason = say!(
                "the planner expects a cost of {cost}, more than text2sql.max_cost ({limit})",
                cost = format!("{cost:.0}"),
                limit = format!("{:.0}", limits.max_cost)
            );
            return Err(refuse(Rule::Cost, reason));
        }
        Ok(self.plan)
    }
}

impl ValidPlan<'_> {
    /// The plan and the text it came from, for the executor.
    pub(crate) fn parts(&self) -> (*mut pg_sys::PlannedStmt, *const c_char) {
        (self.statement, self.source)
    }
}

/// Whether there is a scan of Citus in the plan.
///
/// # Safety
/// `plan` is NULL or a valid plan.
unsafe fn has_citus_scan(mut plan: *mut pg_sys::Plan) -> bool {
    // SAFETY: each cast follows the tag; children are valid plans or NULL.
    unsafe {
        while let Some(node) = plan.as_ref() {
            let children = match node.type_ {
                pg_sys::NodeTag::T_CustomScan => {
                    let methods = (*plan.cast::<pg_sys::CustomScan>()).methods;
                    if text_of((*methods).CustomName).starts_with("Citus") {
                        return true;
                    }
                    std::ptr::null_mut()
                }
                pg_sys::NodeTag::T_Append => (*plan.cast::<pg_sys::Append>()).appendplans,
                _ => std::ptr::null_mut(),
            };
            let is_below = PgList::<pg_sys::Plan>::from_pg(children)
                .iter_ptr()
                .chain([node.righttree])
                .any(|child| has_citus_scan(child));
            if is_below {
                return true;
            }
            plan = match node.type_ {
                pg_sys::NodeTag::T_SubqueryScan => (*plan.cast::<pg_sys::SubqueryScan>()).subplan,
                _ => node.lefttree,
            };
        }
        false
    }
}

/// Plans the same tree that was judged, within the cost limit.
pub(crate) fn plan<'sandbox>(
    valid: &ValidSql<'sandbox>,
    limits: &Limits,
    policy: &GuardPolicy,
) -> Result<ValidPlan<'sandbox>, Rejection> {
    price(valid, policy)?.within(limits)
}

/// Plans the same tree that was judged, without a cost limit.
pub(crate) fn price<'sandbox>(
    valid: &ValidSql<'sandbox>,
    policy: &GuardPolicy,
) -> Result<PricedPlan<'sandbox>, Rejection> {
    // SAFETY: the tree lives as long as the sandbox and was rewritten once; a snapshot is active.
    let (statement, workers) = unsafe {
        let workers = if valid.rewritten.is_all_reviewed {
            pg_sys::max_parallel_workers_per_gather.min(policy.max_parallel_workers)
        } else {
            0
        };
        if workers != pg_sys::max_parallel_workers_per_gather {
            set_local(c"max_parallel_workers_per_gather", &workers.to_string());
        }
        let statement = pg_sys::pg_plan_query(
            valid.rewritten.query,
            valid.source,
            pg_sys::CURSOR_OPT_PARALLEL_OK.cast_signed(),
            std::ptr::null_mut(),
        );
        (statement, workers)
    };
    // SAFETY: NULL comes only of a utility statement; otherwise a valid plan with a root.
    let (facts, root) = unsafe {
        match statement.as_ref() {
            Some(facts) => (facts, &*facts.planTree),
            None => return Err(refuse(Rule::Statement, "only SELECT is allowed")),
        }
    };
    if facts.commandType != pg_sys::CmdType::CMD_SELECT
        || !facts.rowMarks.is_null()
        || !facts.resultRelations.is_null()
        || facts.hasModifyingCTE
    {
        return Err(refuse(Rule::Statement, "only SELECT is allowed"));
    }
    // The planner obeys the setting above; a planner of another library may not.
    if workers == 0 && facts.parallelModeNeeded {
        let reason = "the plan needs parallel workers, which this statement must not use";
        return Err(refuse(Rule::Statement, reason));
    }
    if !policy.allow_foreign_tables
        && let Some(name) = relations::foreign_table(facts.rtable)
    {
        let mut rejection = refuse(
            Rule::Relation,
            format!("{name} is a foreign table read through another relation"),
        );
        rejection.offender = Some(name);
        return Err(rejection);
    }
    Ok(PricedPlan {
        plan: ValidPlan {
            statement,
            source: valid.source,
            cost: root.total_cost,
            rows: root.plan_rows,
            sandbox: PhantomData,
        },
    })
}
