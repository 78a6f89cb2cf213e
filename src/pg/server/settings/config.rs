//! The configuration of a run, from the settings and the options of a call.

use text2sql_domain::config::{Config, ModelConfig};
use text2sql_domain::switches;

use super::setting_values::{Overrides, limits, tuned};

/// The configuration of a run.
pub(crate) fn config(model: ModelConfig, overrides: &Overrides) -> Config {
    let mut config = Config {
        model,
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

/// The names of what a question is answered without.
pub(crate) fn switched_off(overrides: &Overrides) -> Vec<String> {
    tuned(overrides).without()
}
