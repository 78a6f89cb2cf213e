//! `_budget_usage()`, read by the view `budgets`: how much of each budget is used up today.

use pgrx::AnyNumeric;
use pgrx::prelude::*;

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::stored::models::question_budgets;

/// The budgets that apply to the caller; all budgets for a role that may set them.
#[pg_extern(volatile, parallel_unsafe, name = "_budget_usage")]
fn budget_usage() -> Result<
    TableIterator<
        'static,
        (
            name!(role_name, String),
            name!(questions_today, Option<i64>),
            name!(questions_per_day, Option<i32>),
            name!(tokens_today, Option<i64>),
            name!(tokens_per_day, Option<i64>),
            name!(cost_today, Option<AnyNumeric>),
            name!(cost_per_day, Option<AnyNumeric>),
            name!(currency, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let budgets = question_budgets::usage().map_err(report)?;
    Ok(TableIterator::new(budgets.into_iter().map(|usage| {
        (
            usage.role,
            usage.questions_today,
            usage.questions_per_day,
            usage.tokens_today,
            usage.tokens_per_day,
            usage.cost_today,
            usage.cost_per_day,
            usage.currency,
        )
    })))
}
