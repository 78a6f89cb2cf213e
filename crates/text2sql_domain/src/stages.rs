//! Parts of a run that can be switched off by name, so that somebody can measure what each is worth.

use crate::config::Config;

/// Switches something off.
pub type Switch = fn(&mut Config);

/// The names that `text2sql.stages_off` knows, with what they switch off.
pub const SWITCHES: [(&str, Switch); 19] = [
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
    ("rewrite", |config| config.reading.rewrite = false),
    ("route", |config| config.reading.route = false),
    ("replay", |config| config.stages.replay = false),
    ("few_shot", |config| config.stages.few_shot = false),
    ("candidates", |config| config.candidates = 1),
    ("judge", |config| config.stages.judge = false),
    ("repair", |config| config.max_repairs = 0),
    ("narrate", |config| config.narrate = false),
];

/// Switches off what a comma-separated list names. The error says which name is none.
pub fn switch_off(config: &mut Config, list: &str) -> Result<(), String> {
    for switch in read(list)? {
        switch(config);
    }
    Ok(())
}

/// Whether every name of a list is one.
pub fn check(list: &str) -> Result<(), String> {
    read(list).map(drop)
}

fn read(list: &str) -> Result<Vec<Switch>, String> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| {
            SWITCHES
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, switch)| *switch)
                .ok_or_else(|| format!("there is no stage \"{name}\""))
        })
        .collect()
}

/// The names, for a hint.
pub fn names() -> String {
    let names: Vec<&str> = SWITCHES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
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
            switch_off(&mut changed, name).expect("a name");
            assert_ne!(format!("{changed:?}"), usual, "{name}");
        }
        assert_eq!(check(" replay , judge,"), Ok(()));
        assert_eq!(
            check("replay, rest"),
            Err("there is no stage \"rest\"".to_owned())
        );
    }
}
