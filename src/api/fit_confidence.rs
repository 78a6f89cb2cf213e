//! What `text2sql.fit_confidence(run)` computes with: the fit itself, over arrays.

use pgrx::prelude::*;
use serde_json::{Value, json};
use text2sql_core::confidence::{LEAST_ANSWERS, Signal, fit};

/// Fits answers, each with its score, its share of agreement and whether it was right; without an
/// intercept when they are too few.
#[pg_extern(immutable, parallel_safe)]
fn _fit_confidence(scores: Vec<f64>, agreements: Vec<f64>, rights: Vec<bool>) -> pgrx::Json {
    let signals = scores.into_iter().zip(agreements);
    let answers: Vec<(Signal, bool)> = signals
        .map(|(score, agreement)| Signal { score, agreement })
        .zip(rights)
        .collect();
    let Some((fit, fitted)) = fit(&answers) else {
        return pgrx::Json(json!({"least": LEAST_ANSWERS}));
    };
    let mut document = serde_json::to_value(fitted).unwrap_or(Value::Null);
    if let Some(object) = document.as_object_mut() {
        object.insert("intercept".to_owned(), json!(fit.intercept));
        object.insert("by_score".to_owned(), json!(fit.by_score));
        object.insert("by_agreement".to_owned(), json!(fit.by_agreement));
    }
    pgrx::Json(document)
}
