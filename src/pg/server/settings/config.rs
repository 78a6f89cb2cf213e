//! The configuration of a run, from the settings and the options of a call.

use text2sql_domain::config::{Config, ModelConfig, ReadingConfig, RepairTrigger, WhenAmbiguous};
use text2sql_domain::switches;

use super::setting_values::{
    AmbiguitySetting, ENABLE_INTERPRETATION, ENABLE_NARRATION, ENABLE_RELEVANCE_CHECK,
    ENABLE_ROUTING, ENABLE_SECOND_LOOK, ENABLE_TABLE_CHOICE, MAX_REPAIRS, MAX_SCHEMA_CHARS,
    ON_AMBIGUITY, Overrides, REPAIR_ON, RepairSetting, TUNING, USUAL_SCHEMA_CHARS, limits, number,
    text,
};
use super::tuning::Tuning;

/// The configuration of a run.
pub(crate) fn config(model: ModelConfig, overrides: &Overrides) -> Config {
    let mut config = Config {
        model,
        max_repairs: overrides
            .max_repairs
            .unwrap_or_else(|| u32::try_from(MAX_REPAIRS.get()).unwrap_or(0)),
        repair_on: overrides.repair_on.unwrap_or(match REPAIR_ON.get() {
            RepairSetting::Errors => RepairTrigger::Errors,
            RepairSetting::Findings => RepairTrigger::Findings,
            RepairSetting::Gate => RepairTrigger::Gate,
        }),
        max_schema_chars: overrides
            .max_schema_chars
            .unwrap_or_else(|| number(&MAX_SCHEMA_CHARS)),
        usual_schema_chars: overrides
            .usual_schema_chars
            .unwrap_or_else(|| number(&USUAL_SCHEMA_CHARS)),
        enable_second_look: overrides
            .enable_second_look
            .unwrap_or_else(|| ENABLE_SECOND_LOOK.get()),
        enable_table_choice: overrides
            .enable_table_choice
            .unwrap_or_else(|| ENABLE_TABLE_CHOICE.get()),
        reading: ReadingConfig {
            enable_interpretation: overrides
                .enable_interpretation
                .unwrap_or_else(|| ENABLE_INTERPRETATION.get()),
            enable_routing: overrides
                .enable_routing
                .unwrap_or_else(|| ENABLE_ROUTING.get()),
            on_ambiguity: overrides.on_ambiguity.unwrap_or(match ON_AMBIGUITY.get() {
                AmbiguitySetting::Ask => WhenAmbiguous::Ask,
                AmbiguitySetting::Choose => WhenAmbiguous::Choose,
            }),
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
    config.score.enable_relevance_check = overrides
        .enable_relevance_check
        .unwrap_or_else(|| ENABLE_RELEVANCE_CHECK.get());
    // The check hook accepts only valid values.
    let set = Tuning::read(&text(*TUNING)).unwrap_or_default();
    set.apply(&mut config);
    overrides.tuning.apply(&mut config);
    // Last: they disable what the others set.
    switches::switch_off(&mut config, &without(&set, overrides));
    config
}

/// The names of what a question is answered without.
pub(crate) fn switched_off(overrides: &Overrides) -> Vec<String> {
    let set = Tuning::read(&text(*TUNING)).unwrap_or_default();
    without(&set, overrides)
}

fn without(set: &Tuning, overrides: &Overrides) -> Vec<String> {
    let names = overrides.tuning.without().or(set.without());
    names.unwrap_or_default().to_vec()
}
