//! Verifies many examples at once: those whose SQL is still valid and which a model found to answer their question.

use std::collections::HashSet;

use pgrx::check_for_interrupts;
use serde::Deserialize;
use text2sql_domain::error::{Error, failure};

use super::examples;
use crate::pg::server::spi;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

const CHOSEN: &str = "
    SELECT coalesce(json_agg(json_build_object('id', e.id, 'question', e.question, 'sql', e.sql, 'intent', e.intent,
        'intent_reason', e.intent_reason, 'verified_by', e.verified_by) ORDER BY e.id), '[]')::text
    FROM text2sql._examples e
    WHERE ($1 IS NULL OR e.id = ANY ($1))
      AND ($2 IS NULL OR EXISTS (
          SELECT FROM text2sql._import_lines l WHERE l.source = $2 AND l.entry = 'example' AND l.entry_id = e.id AND l.is_own))";

#[derive(Debug, Deserialize)]
struct Chosen {
    id: i64,
    question: String,
    sql: String,
    intent: Option<String>,
    intent_reason: Option<String>,
    verified_by: Option<String>,
}

/// What became of an example.
pub(crate) struct Verified {
    pub(crate) id: i64,
    pub(crate) question: String,
    /// `verified`, `known` (it was before) or `left`.
    pub(crate) outcome: &'static str,
    /// What the model said of it.
    pub(crate) intent: Option<String>,
    pub(crate) reason: Option<String>,
}

/// Verifies the examples of a source, or those with these ids, that are sound. Without `needs_opinion` an example that no
/// model has checked is verified as well; one with another verdict than yes never is.
pub(crate) fn verify_many(
    source: Option<&str>,
    ids: Option<Vec<i64>>,
    needs_opinion: bool,
) -> Result<Vec<Verified>, Error> {
    if source.is_none() && ids.is_none() {
        return Err(failure!(Missing, "neither a source nor ids are given")
            .with_hint("SELECT * FROM text2sql.check_examples(source => 'questions.jsonl', verify => true);"));
    }
    let chosen: Vec<Chosen> = spi::read_json(CHOSEN, &[ids.clone().into(), source.into()])?;
    if let (Some(source), true) = (source, chosen.is_empty()) {
        return Err(
            failure!(Undefined, "the source \"{source}\" has given no examples")
                .with_hint("List the imports: SELECT source, kind, taken FROM text2sql.imports;"),
        );
    }
    let judge = SqlCheck::new()?;
    let mut verified = Vec::with_capacity(chosen.len());
    let mut sound = Vec::new();
    for example in chosen {
        check_for_interrupts!();
        let (outcome, reason) = match examples::verifiable(example.id, &example.sql, &judge)? {
            Err(problem) => {
                let reason = format!("the SQL is no longer valid: {}", problem.message);
                ("left", Some(reason))
            }
            Ok(_) if example.verified_by.is_some() => ("known", None),
            Ok(row) => match objection(&example, needs_opinion) {
                Some(reason) => ("left", Some(reason)),
                None => {
                    sound.push(row);
                    ("verified", None)
                }
            },
        };
        verified.push(Verified {
            id: example.id,
            question: example.question,
            outcome,
            intent: example.intent,
            reason,
        });
    }
    let seen: HashSet<i64> = verified.iter().map(|example| example.id).collect();
    for id in ids.into_iter().flatten() {
        if !seen.contains(&id) {
            verified.push(Verified {
                id,
                question: String::new(),
                outcome: "left",
                intent: None,
                reason: Some("there is no such example".to_owned()),
            });
        }
    }
    if !sound.is_empty() {
        examples::mark_verified(sound)?;
    }
    Ok(verified)
}

/// Why an example whose SQL is valid is not verified.
fn objection(example: &Chosen, needs_opinion: bool) -> Option<String> {
    let reason = example.intent_reason.as_deref().unwrap_or_default();
    match example.intent.as_deref() {
        Some("yes") => None,
        None if !needs_opinion => None,
        None => Some("no model has checked it: check_examples() does".to_owned()),
        Some("no") => Some(format!(
            "the model says that the SQL does not answer it: {reason}"
        )),
        Some(_) => Some(format!("the model is unsure: {reason}")),
    }
}
