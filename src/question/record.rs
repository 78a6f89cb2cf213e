//! What the history stores of a question, its answer and its configuration.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde_json::{Value, json};
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Config;
use text2sql_domain::engines::write_list;
use text2sql_domain::trace::Trace;

use super::several;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::stored::record::history::Ended;

/// The endpoints that were asked about the question, in order; not those that only embedded or ranked.
pub(super) fn asked_endpoints(trace: &Trace) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for exchange in &trace.exchanges {
        let is_chat = !matches!(exchange.purpose, "embed" | "rerank");
        if is_chat && !names.contains(&exchange.endpoint.as_str()) {
            names.push(&exchange.endpoint);
        }
    }
    names
}

/// What the history stores of an answer: no rows, and no text that may contain their values.
pub(super) fn ended(answer: &Answer) -> Ended {
    if !answer.parts.is_empty() {
        return several::ended(answer);
    }
    let execution = answer.execution.as_ref();
    Ended {
        status: answer.status.as_str(),
        sqlstate: answer.error.as_ref().map(|error| error.sqlstate.clone()),
        sql: answer.sql.clone(),
        row_count: execution.map(|execution| execution.rows.len()),
        is_truncated: execution.map(|execution| execution.is_truncated),
        verified_by: answer.verified_by.clone(),
        confidence: answer.confidence,
        readings: answer.readings.clone(),
        continued_sql: None,
    }
}

/// What the history stores of a configuration.
pub(super) fn settings_json(
    config: &Config,
    overrides: &Overrides,
    models: &[String],
    trace: &Trace,
) -> Value {
    let mut settings = json!({
        "model": write_list(models),
        "judge_model": settings::judge_model(overrides),
        "narration_model": settings::narration_model(overrides),
        "table_choice_model": settings::table_choice_model(overrides),
        "max_repairs": config.max_repairs,
        "repair_on": config.repair_on.as_str(),
        "on_ambiguity": config.reading.on_ambiguity.as_str(),
        "enable_narration": config.enable_narration,
        "enable_relevance_check": config.score.enable_relevance_check,
        "enable_table_choice": config.enable_table_choice,
        "max_schema_chars": config.max_schema_chars,
        "usual_schema_chars": config.usual_schema_chars,
        "candidates": config.candidates,
        "strategy": config.strategy.map_or("auto", |strategy| strategy.as_str()),
        "max_steps": config.max_steps,
        "max_looks": config.max_looks,
        "score_threshold": config.score.threshold,
        "topic_threshold": config.score.topic_threshold,
        "completeness_threshold": config.score.completeness_threshold,
        "relevance_threshold": config.score.relevance_threshold,
        "relevance_share": config.score.relevance_share,
        "example_count": config.shown.examples,
        "value_count": config.shown.values,
        "column_count": config.shown.columns.map_or(0, NonZeroUsize::get),
        "table_word_weight": config.retrieval.weights.words,
        "table_vector_weight": config.retrieval.weights.vectors,
        "table_value_weight": config.retrieval.weights.values,
        "max_result_rows": config.limits.max_result_rows,
        "max_result_size": kilobytes(config.limits.max_result_bytes),
        "max_cost": config.limits.max_cost,
        "query_timeout": format!("{}ms", config.limits.query_timeout.as_millis()),
        "memory_limit": kilobytes(config.limits.memory_limit),
    });
    if let Some(members) = settings.as_object_mut() {
        let followed = &trace.instructions.followed;
        if !followed.is_empty() {
            members.insert("instructions".to_owned(), json!(followed));
        }
        let without = settings::switched_off(overrides);
        if !without.is_empty() {
            members.insert("without".to_owned(), json!(without));
        }
        let prompts: BTreeMap<&str, i32> = config.owner.prompts.versions().collect();
        if !prompts.is_empty() {
            members.insert("prompts".to_owned(), json!(prompts));
        }
    }
    settings
}

/// A size in the format of an option.
fn kilobytes(bytes: usize) -> String {
    format!("{}kB", bytes / 1024)
}
