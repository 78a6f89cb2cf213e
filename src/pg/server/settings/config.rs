//! The configuration of a run, from the settings and the options of a call.

use text2sql_domain::config::{Config, ModelConfig, ReadingConfig, WhenAmbiguous};
use text2sql_domain::switches;

use super::setting_values::{
    AmbiguitySetting, ENABLE_NARRATION, ON_AMBIGUITY, Overrides, TUNING, limits, text,
};
use super::tuning::Tuning;

/// The configuration of a run.
pub(crate) fn config(model: ModelConfig, overrides: &Overrides) -> Config {
    let mut config = Config {
        model,
        reading: ReadingConfig {
            on_ambiguity: overrides.on_ambiguity.unwrap_or(match ON_AMBIGUITY.get() {
                AmbiguitySetting::Ask => WhenAmbiguous::Ask,
                AmbiguitySetting::Choose => WhenAmbiguous::Choose,
            }),
            ..ReadingConfig::DEFAULT
        },
        enable_narration: overrides
            .enable_narration
            .unwrap_or_else(|| ENABLE_NARRATION.get()),
        limits: limits(overrides),
        meaning: overrides.meaning.clone(),
        without: overrides.without.clone(),
        hidden_examples: overrides.hidden_examples.clone(),
        ..Config::default()
    };
    let tuned = tuned(overrides);
    tuned.apply(&mut config);
    // Last: they disable what the others set.
    switches::switch_off(&mut config, &tuned.without());
    config
}

/// What a question is answered with, by the setting and by the options of the call.
pub(super) fn tuned(overrides: &Overrides) -> Tuning {
    // The check hook accepts only valid values.
    let set = Tuning::read(&text(*TUNING)).unwrap_or_default();
    overrides.tuning.over(set)
}

/// The names of what a question is answered without.
pub(crate) fn switched_off(overrides: &Overrides) -> Vec<String> {
    tuned(overrides).without()
}
