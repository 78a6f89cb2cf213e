//! Functions used by `text2sql_eval.fit_confidence`: the fit itself, over arrays.

use pgrx::prelude::*;
use serde_json::{Value, json};
use text2sql_domain::confidence::Signal;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_metrics::calibration_drift::drift;
use text2sql_metrics::fit_confidence::{MIN_ANSWERS, fit};

use crate::pg::server::array_argument::{Figures, Flags};
use crate::pg::server::error::{ErrorReport, report};

/// A larger fit would take more than a second, could not be interrupted, and would be no better.
const MAX_ANSWERS: usize = 50_000;

/// Fits answers, each with its score, its share of agreement and whether it was correct; without an intercept
/// when there are too few.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._fit_confidence(scores double precision[], agreements double precision[], rights boolean[])
    RETURNS json
    LANGUAGE c IMMUTABLE PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _fit_confidence(
    scores: Figures,
    agreements: Figures,
    rights: Flags,
) -> Result<pgrx::Json, ErrorReport> {
    if scores.len() > MAX_ANSWERS {
        let message = format!("cannot fit confidence to {} answers", scores.len());
        let hint = format!("Name fewer evaluations. At most {MAX_ANSWERS} answers can be fitted.");
        return Err(report(
            Error::new(ErrorKind::Limit, message).with_hint(hint),
        ));
    }
    // An answer without one of the three values, or with one that is not finite, is ignored.
    let number = |number: Option<f64>| number.filter(|number| number.is_finite());
    let answers: Vec<(Signal, bool)> = scores
        .into_iter()
        .zip(agreements)
        .zip(rights)
        .filter_map(|((score, agreement), right)| {
            let (score, agreement) = (number(score)?, number(agreement)?);
            Some((Signal { score, agreement }, right?))
        })
        .collect();
    let Some((fit, fitted)) = fit(&answers) else {
        return Ok(pgrx::Json(json!({"least": MIN_ANSWERS})));
    };
    let mut document = serde_json::to_value(fitted).unwrap_or(Value::Null);
    if let Some(object) = document.as_object_mut() {
        object.insert("intercept".to_owned(), json!(fit.intercept));
        object.insert("by_score".to_owned(), json!(fit.by_score));
        object.insert("by_agreement".to_owned(), json!(fit.by_agreement));
    }
    Ok(pgrx::Json(document))
}

/// Whether confidences still fit later answers, each with its confidence and whether it was right.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._confidence_drift(confidences double precision[], rights boolean[]) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _confidence_drift(confidences: Figures, rights: Flags) -> Option<pgrx::Json> {
    let pairs = confidences.into_iter().zip(rights);
    let answers: Vec<(f64, bool)> = pairs
        .filter_map(|(confidence, right)| {
            let confidence = confidence.filter(|value| (0.0..=1.0).contains(value))?;
            Some((confidence, right?))
        })
        .take(MAX_ANSWERS)
        .collect();
    let found = drift(&answers)?;
    serde_json::to_value(found).ok().map(pgrx::Json)
}
