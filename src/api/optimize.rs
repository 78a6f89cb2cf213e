//! `text2sql.optimize(sql)`: how a query could be faster. Changes nothing.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_core::findings::Effort;
use text2sql_core::optimize::optimize as proposals;

use crate::given::Given;
use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point, text_datum};
use crate::pg::error::Raised;
use crate::pg::planner::GuardedPlanner;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.optimize(sql text)
    RETURNS TABLE (
        kind text,
        explanation text,
        sql text,
        cost_before double precision,
        cost_after double precision,
        size bigint,
        caveats text
    )
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 5
    AS 'MODULE_PATHNAME', 'text2sql_optimize';
"#,
    name = "optimize"
);
entry_point!(text2sql_optimize, pg_finfo_text2sql_optimize, optimize);

/// Proposes rewrites, indexes and statistics.
fn optimize(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let given = Given::judged(call.required_text(0, "statement")?)?;
    let planner = GuardedPlanner::new(&given.database, &given.limits)?;
    let effort = Effort::within(&given.limits);
    let found = proposals(
        &given.sql,
        &given.tables,
        &planner,
        &given.database,
        &effort,
    )?;
    set.hand_over_rows(found.iter().map(|proposal| {
        [
            text_datum(proposal.kind.as_str()),
            text_datum(&proposal.explanation),
            proposal.sql.as_deref().and_then(text_datum),
            proposal.cost_before.into_datum(),
            proposal.cost_after.into_datum(),
            proposal.size.map(|size| size as i64).into_datum(),
            proposal.caveats.as_deref().and_then(text_datum),
        ]
    }))
}
