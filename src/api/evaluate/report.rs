//! Functions used by `text2sql_eval.report` and `text2sql_eval.evaluate`.

use pgrx::prelude::*;
use serde_json::Value;
use text2sql_domain::error::failure;

use text2sql_metrics::evaluation_data::EvaluationData;
use text2sql_metrics::measures::Named;
use text2sql_metrics::report::{self as page, TrialRow};

use crate::evaluation;
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_result};
use crate::pg::server::error::{ErrorReport, Raised, report};
use crate::pg::server::json_argument::JsonArgument;

extension_sql!(
    r#"
CREATE FUNCTION text2sql_eval._opinion(question text, gold text, candidate text, reasons text)
    RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_opinion';
"#,
    name = "opinion",
    requires = ["eval_schema"]
);
entry_point!(opinion);

fn opinion(call: &Call) -> Result<Datum, Raised> {
    let text = |n: usize| Ok::<_, Raised>(call.text(n)?.unwrap_or_default());
    text_result(&evaluation::opinion(
        &text(0)?,
        &text(1)?,
        &text(2)?,
        &text(3)?,
    )?)
}

/// An evaluation as an HTML page, optionally compared with an earlier one and with evaluations under other
/// settings, and with the trials of its search.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._render_report(data json, earlier json, variants json, trials json) RETURNS text
    LANGUAGE c IMMUTABLE PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _render_report(
    data: JsonArgument,
    earlier: Option<JsonArgument>,
    variants: Option<JsonArgument>,
    trials: Option<JsonArgument>,
) -> Result<String, ErrorReport> {
    let unreadable =
        |error| report(failure!(Setting, "could not parse evaluation document").with_source(error));
    let read = |json: Value| -> Result<EvaluationData, ErrorReport> {
        serde_json::from_value(json).map_err(unreadable)
    };
    let earlier = earlier.map(|json| read(json.0)).transpose()?;
    let variants = match variants.map(|json| json.0) {
        Some(Value::Object(variants)) => variants
            .into_iter()
            .map(|(name, json)| {
                Ok(Named {
                    variant: name,
                    data: read(json)?,
                })
            })
            .collect::<Result<Vec<Named>, ErrorReport>>()?,
        _ => Vec::new(),
    };
    let trials: Vec<TrialRow> = match trials {
        Some(json) => serde_json::from_value(json.0).map_err(unreadable)?,
        None => Vec::new(),
    };
    let data = read(data.0)?;
    Ok(page::render(&data, earlier.as_ref(), &variants, &trials))
}
