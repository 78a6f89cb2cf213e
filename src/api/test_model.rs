//! `text2sql.test_model(name)`: whether a model can be reached and used, by one small request.

use pgrx::prelude::*;
use text2sql_domain::config::Egress;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::{Raised, sqlstate_of};
use crate::pg::stored::models::test_request;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.test_model(name text)
    RETURNS TABLE (model text, works boolean, milliseconds double precision, replied_as text, egress text, sqlstate text, problem text, hint text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_test_model';
"#,
    name = "test_model"
);
entry_point!(test_model);

/// Sends a request that holds nothing of the database. Where it fails, the row says why, and what to do.
fn test_model(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let model = call.required_text(0, "model")?;
    let tested = test_request::test(&model)?;
    let problem = tested.problem.as_ref();
    let detailed = problem.map(|problem| match problem.detail() {
        Some(detail) => format!("{}: {detail}", problem.message()),
        None => problem.message().to_owned(),
    });
    let datum = |text: Option<&str>| text.and_then(text_datum);
    set.hand_over_row(&[
        text_datum(&model),
        problem.is_none().into_datum(),
        tested.milliseconds.into_datum(),
        datum(tested.replied_as.as_deref()),
        datum(tested.egress.map(Egress::as_str)),
        datum(
            problem
                .map(|problem| sqlstate_of(problem.kind()))
                .as_deref(),
        ),
        datum(detailed.as_deref()),
        datum(problem.and_then(|problem| problem.hint())),
    ])
}
