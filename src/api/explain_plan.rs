//! `text2sql.explain_plan(sql, options)`: describes the execution plan in words: what is slow, and why.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_analysis::execution_plan as plan;
use text2sql_analysis::execution_plan::Plan;
use text2sql_domain::ports::Outcome;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::question::options::Accepted;
use crate::statement::submitted_sql::SubmittedSql;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.explain_plan(sql text, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        step integer,
        operation text,
        explanation text,
        problem text,
        cost double precision,
        estimated_rows double precision,
        actual_rows double precision,
        milliseconds double precision
    )
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 10
    AS 'MODULE_PATHNAME', 'text2sql_explain_plan';
"#,
    name = "explain_plan"
);
entry_point!(explain_plan);

/// Explains the plan; with the option `analyze` the statement is executed under the guard, and its rows are
/// discarded.
fn explain_plan(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let options = Accepted::statement_and("analyze").read(call.json(1)?)?;
    let given = SubmittedSql::read(call.required_text(0, "statement")?, &options.overrides)?;
    let outcome = given
        .database
        .plan_text(&given.sql, options.is_on, &given.limits)?;
    let text = match outcome {
        Outcome::Passed(text) => text,
        Outcome::Rejected(rejection) => return Err(Raised::refusal(&rejection, &given.sql)),
        Outcome::Failed(error) => return Err(given.failure(error)),
    };
    let plan = given.seen(Plan::read(&text)?)?;
    let steps = plan::describe(&plan, &given.tables, given.database.work_mem_kb());
    let summary = [
        0.into_datum(),
        text_datum("Summary"),
        text_datum(&plan::summary(&plan)),
        None,
        plan.cost().into_datum(),
        steps.first().map(|step| step.estimated_rows).into_datum(),
        steps.first().and_then(|step| step.actual_rows).into_datum(),
        plan.milliseconds.into_datum(),
    ];
    let rows = (1..).zip(&steps).map(|(number, step): (i32, _)| {
        let indent = "  ".repeat(step.depth.min(20));
        [
            number.into_datum(),
            text_datum(&format!("{indent}{}", step.operation)),
            text_datum(&step.explanation),
            step.problem.as_deref().and_then(text_datum),
            step.cost.into_datum(),
            step.estimated_rows.into_datum(),
            step.actual_rows.into_datum(),
            step.milliseconds.into_datum(),
        ]
    });
    set.hand_over_rows(std::iter::once(summary).chain(rows))
}
