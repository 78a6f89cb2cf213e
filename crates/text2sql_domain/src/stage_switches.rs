//! Parts of a run that can be disabled by name, to measure what each part is worth.

use crate::config::Config;

/// Disables a part of a run.
pub type Switch = fn(&mut Config);

/// The names permitted in `disabled_stages` of `text2sql.tuning`, and what they disable.
pub const SWITCHES: [(&str, Switch); 20] = [
    ("names", |config| config.retrieval.names = false),
    ("columns", |config| config.retrieval.columns = false),
    ("tables", |config| config.retrieval.tables = false),
    ("vectors", |config| config.retrieval.vectors = false),
    ("values", |config| config.retrieval.values = false),
    ("rerank", |config| config.retrieval.rerank = false),
    ("coherence", |config| config.retrieval.coherence = false),
    ("closure", |config| config.retrieval.closure = false),
    ("families", |config| config.retrieval.families = false),
    ("definitions", |config| config.retrieval.definitions = false),
    ("examples", |config| config.retrieval.examples = false),
    ("interpret", |config| {
        config.reading.enable_interpretation = false
    }),
    ("route", |config| config.reading.enable_routing = false),
    ("replay", |config| config.stages.replay = false),
    ("few_shot", |config| config.stages.few_shot = false),
    ("candidates", |config| config.candidates = 1),
    ("judge", |config| config.stages.judge = false),
    ("repair", |config| config.max_repairs = 0),
    ("narrate", |config| config.enable_narration = false),
    ("texts", |config| config.texts.is_enabled = false),
];

/// Disables the named stages. Names that [`check`] does not accept are ignored.
pub fn switch_off(config: &mut Config, names: &[String]) {
    for (_, switch) in SWITCHES
        .iter()
        .filter(|(known, _)| names.iter().any(|name| name == known))
    {
        switch(config);
    }
}

/// Checks that every name is a known stage. The error text continues the name of the option.
pub fn check(names: &[String]) -> Result<(), String> {
    let known: Vec<&str> = SWITCHES.iter().map(|(name, _)| *name).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!(
            "names no stage with \"{name}\"; the stages are {}",
            known.join(", ")
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_changes_something_and_nothing_else_is_a_name() {
        let config = Config {
            candidates: 3,
            ..Config::default()
        };
        let usual = format!("{config:?}");
        for (name, _) in SWITCHES {
            let mut changed = config.clone();
            switch_off(&mut changed, &[name.to_owned()]);
            assert_ne!(format!("{changed:?}"), usual, "{name}");
        }
        assert_eq!(check(&["replay".to_owned(), "judge".to_owned()]), Ok(()));
        let refused = check(&["replay".to_owned(), "rest".to_owned()]).expect_err("no stage");
        assert!(
            refused.starts_with("names no stage with \"rest\""),
            "{refused}"
        );
    }
}
