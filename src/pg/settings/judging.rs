//! Settings of judging: how queries are scored, and which stages take part.

use std::ffi::CString;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use text2sql_core::config::Config;
use text2sql_core::score::{DEFAULT_WEIGHTS, ScoreConfig, Weights};
use text2sql_core::stages;

use super::checked_text::{self, CheckedText};
use super::values::{Overrides, text};

/// What each dimension of a score weighs: what is wrong counts most, what is unsafe next.
static SCORE_WEIGHTS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(
    c"correctness 0.35, safety 0.20, efficiency 0.15, completeness 0.10, semantic_accuracy 0.10, best_practices 0.05, plan_quality 0.05",
));

/// The gate. What is certainly wrong fails at any threshold; beside that, one doubt passes and two do not.
static SCORE_THRESHOLD: GucSetting<f64> = GucSetting::<f64>::new(0.70);

/// Whether the model is asked how well a result answers. Off: a call for each attempt.
static RELEVANCE: GucSetting<bool> = GucSetting::<bool>::new(false);

/// The share of the model's opinion: enough to tip a close score, too little to make one.
static RELEVANCE_SHARE: GucSetting<f64> = GucSetting::<f64>::new(0.15);

/// Stages that take no part. None: only who measures switches one off.
static STAGES_OFF: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

struct WeightsText;

impl CheckedText for WeightsText {
    fn check(text: &str) -> Result<(), String> {
        Weights::read(text).map(drop)
    }

    fn hint() -> String {
        format!("SET text2sql.score_weights = '{DEFAULT_WEIGHTS}'")
    }
}

struct StagesText;

impl CheckedText for StagesText {
    fn check(text: &str) -> Result<(), String> {
        stages::check(text)
    }

    fn hint() -> String {
        format!(
            "SET text2sql.stages_off = 'replay, judge'; stages are {}",
            stages::names()
        )
    }
}

/// Defines the settings.
pub(super) fn define() {
    let none = GucFlags::default();
    checked_text::define::<WeightsText>(
        c"text2sql.score_weights",
        c"What each dimension of a query's score weighs.",
        c"Seven dimensions, each with a number from 0 to 1; they add up to 1.",
        &SCORE_WEIGHTS,
        GucContext::Userset,
    );
    GucRegistry::define_float_guc(
        c"text2sql.score_threshold",
        c"Score below which text2sql.repair = 'gate' sends a query back.",
        c"0 to 1.",
        &SCORE_THRESHOLD,
        0.0,
        1.0,
        GucContext::Userset,
        none,
    );
    GucRegistry::define_bool_guc(
        c"text2sql.relevance",
        c"Whether the model is asked how well a result answers the question.",
        c"One more call for each query that ran. Rows are part of it only where the endpoint's egress is 'rows'.",
        &RELEVANCE,
        GucContext::Userset,
        none,
    );
    GucRegistry::define_float_guc(
        c"text2sql.relevance_share",
        c"Share of that opinion in the score.",
        c"0 to 1; the dimensions have the rest.",
        &RELEVANCE_SHARE,
        0.0,
        1.0,
        GucContext::Userset,
        none,
    );
    checked_text::define::<StagesText>(
        c"text2sql.stages_off",
        c"Stages of a question that take no part.",
        c"Comma-separated names, to measure what each stage is worth.",
        &STAGES_OFF,
        GucContext::Userset,
    );
}

/// Puts the settings into a configuration, those of stages last: they switch off what others set.
pub(super) fn apply(config: &mut Config, overrides: &Overrides) {
    config.score = ScoreConfig {
        // The check hook lets nothing else through.
        weights: Weights::read(&text(&SCORE_WEIGHTS)).unwrap_or_default(),
        threshold: SCORE_THRESHOLD.get(),
        relevance_share: RELEVANCE_SHARE.get(),
        asks_relevance: RELEVANCE.get(),
    };
    if let Some(repair) = overrides.repair {
        config.repair = repair;
    }
    let off = overrides.stages_off.clone();
    // Checked when it was set, and where the options of a call are read.
    let _ = stages::switch_off(config, &off.unwrap_or_else(|| text(&STAGES_OFF)));
}
