//! The finished configuration of a run, from the settings and what a call overrides.

use pgrx::guc::GucSetting;
use text2sql_core::config::{Config, ModelConfig};
use text2sql_core::judge::RepairTrigger;
use text2sql_core::strategy::Strategy;

use super::values::{
    CANDIDATES, CONTEXT_CHARS, MAX_REPAIRS, MAX_STEPS, NARRATE, Overrides, REPAIR, RepairSetting,
    STRATEGY, StrategySetting, limits,
};
use super::{judging, reading};

/// The strategy that is set; `None` takes what fits the question.
fn strategy() -> Option<Strategy> {
    match STRATEGY.get() {
        StrategySetting::Auto => None,
        StrategySetting::Direct => Some(Strategy::Direct),
        StrategySetting::OneShot => Some(Strategy::OneShot),
        StrategySetting::ChainOfThought => Some(Strategy::ChainOfThought),
        StrategySetting::Decompose => Some(Strategy::Decompose),
    }
}

/// The finished configuration of a run.
pub(crate) fn config(model: ModelConfig, overrides: &Overrides) -> Config {
    let unsigned = |setting: &GucSetting<i32>| u32::try_from(setting.get()).unwrap_or(0);
    let mut config = Config {
        model,
        max_repairs: overrides.max_repairs.unwrap_or(unsigned(&MAX_REPAIRS)),
        repair: match REPAIR.get() {
            RepairSetting::Errors => RepairTrigger::Errors,
            RepairSetting::Findings => RepairTrigger::Findings,
            RepairSetting::Gate => RepairTrigger::Gate,
        },
        candidates: overrides
            .candidates
            .unwrap_or(unsigned(&CANDIDATES) as usize),
        strategy: overrides.strategy.unwrap_or_else(strategy),
        max_steps: overrides.max_steps.unwrap_or(unsigned(&MAX_STEPS) as usize),
        context_chars: overrides
            .context_chars
            .unwrap_or(unsigned(&CONTEXT_CHARS) as usize),
        reading: reading::config(&overrides.reading),
        narrate: overrides.narrate.unwrap_or(NARRATE.get()),
        limits: limits(overrides),
        without: overrides.without.clone(),
        ..Config::default()
    };
    judging::apply(&mut config, overrides);
    config
}
