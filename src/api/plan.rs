//! `text2sql.plan(question, conversation, options)`: the steps in which a question would be answered, before
//! anything runs.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::spi::encoding::for_client;
use crate::question::Request;
use crate::question::options::QUESTION;
use crate::question::plan::plan as planned;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.plan(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        step integer, what text, depends_on integer[], tables text[], statement integer, sql text,
        confidence double precision)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 5
    AS 'MODULE_PATHNAME', 'text2sql_plan';
"#,
    name = "plan"
);
entry_point!(plan);

/// Plans the answer to a question: with a model one call, with the built-in engine from the SQL that it would run.
fn plan(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "plan", 1, &QUESTION)?;
    let plan = planned(&request)?
        .value
        .map_err(|answer| Raised::status(*answer))?;
    let number = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    set.hand_over_rows((1..).zip(&plan.steps).map(|(place, step)| {
        let depends_on: Vec<i32> = step.depends_on.iter().copied().map(number).collect();
        [
            number(place).into_datum(),
            text_datum(&for_client(&step.what)),
            depends_on.into_datum(),
            text_array(&step.tables),
            number(step.statement).into_datum(),
            step.sql.clone().into_datum(),
            plan.confidence.into_datum(),
        ]
    }))
}
