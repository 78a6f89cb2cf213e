//! What a question can be answered without, by name, to measure what it is worth: ingredients of the prompt, parts of
//! the search, and stages. Nothing that protects data is among them: guard, privileges, protection, egress, limits
//! and approval are no parts of an experiment.

use crate::config::Config;

/// Switches something off.
pub type Switch = fn(&mut Config);

/// The names permitted in `without` of `text2sql.tuning`, and what they switch off.
pub const SWITCHES: [(&str, Switch); 41] = [
    // What a model is shown.
    ("schema", |config| {
        config.ingredients.schema = false;
        config.enable_second_look = false;
        config.enable_table_choice = false;
    }),
    ("descriptions", |config| {
        config.ingredients.descriptions = false;
    }),
    ("comments", |config| config.ingredients.comments = false),
    ("synonyms", |config| config.ingredients.synonyms = false),
    ("meanings", |config| config.ingredients.meanings = false),
    ("samples", |config| config.ingredients.samples = false),
    ("keys", |config| config.ingredients.keys = false),
    ("taught_joins", |config| {
        config.ingredients.taught_joins = false;
    }),
    ("inferred_joins", |config| {
        config.ingredients.inferred_joins = false;
    }),
    ("values", |config| config.retrieval.values = false),
    ("definitions", |config| config.retrieval.definitions = false),
    ("examples", |config| config.retrieval.examples = false),
    ("few_shot", |config| config.stages.few_shot = false),
    ("instructions", |config| {
        config.owner.uses_instructions = false;
    }),
    ("prompts", |config| config.owner.uses_prompts = false),
    ("texts", |config| config.texts.is_enabled = false),
    // The search for tables.
    ("search", |config| config.retrieval.search = false),
    ("names", |config| config.retrieval.names = false),
    ("columns", |config| config.retrieval.columns = false),
    ("tables", |config| config.retrieval.tables = false),
    ("spelling", |config| config.retrieval.spelling = false),
    ("vectors", |config| config.retrieval.vectors = false),
    ("table_vectors", |config| {
        config.retrieval.table_vectors = false;
    }),
    ("word_vectors", |config| {
        config.retrieval.word_vectors = false;
    }),
    ("rerank", |config| config.retrieval.rerank = false),
    ("coherence", |config| config.retrieval.coherence = false),
    ("closure", |config| config.retrieval.closure = false),
    ("families", |config| config.retrieval.families = false),
    ("table_choice", |config| config.enable_table_choice = false),
    ("second_look", |config| config.enable_second_look = false),
    // Stages.
    ("interpret", |config| {
        config.reading.enable_interpretation = false;
    }),
    ("route", |config| config.reading.enable_routing = false),
    ("replay", |config| config.stages.replay = false),
    ("plan", |config| {
        config.stages.plan = false;
        config.strategy = config.strategy.filter(|strategy| !strategy.has_plan());
    }),
    ("steps", |config| config.max_steps = 1),
    ("candidates", |config| config.candidates = 1),
    ("judge", |config| config.stages.judge = false),
    ("relevance_check", |config| {
        config.score.enable_relevance_check = false;
    }),
    ("mend", |config| config.stages.mend = false),
    ("repair", |config| config.max_repairs = 0),
    ("narrate", |config| config.enable_narration = false),
];

/// Switches off what is named. Names that [`check`] does not accept are ignored.
pub fn switch_off(config: &mut Config, names: &[String]) {
    for (_, switch) in SWITCHES
        .iter()
        .filter(|(known, _)| names.iter().any(|name| name == known))
    {
        switch(config);
    }
}

/// Checks that every name is known. The error text continues the name of the option.
pub fn check(names: &[String]) -> Result<(), String> {
    let known: Vec<&str> = SWITCHES.iter().map(|(name, _)| *name).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!(
            "names nothing that can be left out with \"{name}\"; the names are {}",
            known.join(", ")
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ModelConfig;
    use crate::score::ScoreConfig;
    use crate::strategy::Strategy;

    #[test]
    fn every_name_changes_something_and_nothing_else_is_a_name() {
        let config = Config {
            candidates: 3,
            enable_table_choice: true,
            score: ScoreConfig {
                enable_relevance_check: true,
                ..ScoreConfig::default()
            },
            ..Config::default()
        };
        let usual = format!("{config:?}");
        for (name, _) in SWITCHES {
            let mut changed = config.clone();
            switch_off(&mut changed, &[name.to_owned()]);
            assert_ne!(format!("{changed:?}"), usual, "{name}");
        }
        assert_eq!(check(&["replay".to_owned(), "judge".to_owned()]), Ok(()));
        let refused = check(&["replay".to_owned(), "rest".to_owned()]).expect_err("no such name");
        assert!(
            refused.starts_with("names nothing that can be left out with \"rest\""),
            "{refused}"
        );
    }

    #[test]
    fn nothing_that_protects_is_switched_off() {
        let names: Vec<String> = SWITCHES
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let mut config = Config::default();
        switch_off(&mut config, &names);
        assert_eq!(config.limits, Config::default().limits);
        assert_eq!(config.approval, Config::default().approval);
        assert!(matches!(config.model, ModelConfig::Builtin));
        for name in [
            "guard",
            "protection",
            "approval",
            "privileges",
            "egress",
            "limits",
        ] {
            assert!(check(&[name.to_owned()]).is_err(), "{name}");
        }
    }

    #[test]
    fn a_strategy_without_a_plan_stays() {
        let strategy_without_plan = |strategy| {
            let mut config = Config {
                strategy,
                ..Config::default()
            };
            switch_off(&mut config, &["plan".to_owned()]);
            config.strategy
        };
        assert_eq!(strategy_without_plan(Some(Strategy::Decompose)), None);
        let one_shot = Some(Strategy::OneShot);
        assert_eq!(strategy_without_plan(one_shot), one_shot);
    }
}
