//! `text2sql.tuning`: how questions are answered, as one JSON object. The same keys are `options` of a call.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::num::NonZeroUsize;

use serde_json::{Map, Value, json};
use text2sql_domain::config::{Config, RepairTrigger, WhenAmbiguous};
use text2sql_domain::score::Weights;
use text2sql_domain::strategy::Strategy;
use text2sql_domain::switches;

use super::checked_text::CheckedText;

/// A key.
struct Key {
    name: &'static str,
    /// A value to show.
    sample: &'static str,
    /// The default: what a configuration has.
    value: fn(&Config) -> Value,
    /// Puts a value into a configuration, or says what is wrong with it, in words that follow the name.
    put: fn(&mut Config, &Value) -> Result<(), String>,
}

/// A key that is one field of a configuration: its name, a value to show, the field, what it is shown as unless as itself,
/// and what reads a value.
macro_rules! key {
    { $name:literal, $sample:expr, $($field:ident).+, $read:ident($($bound:expr),*) } => {
        Key {
            name: $name,
            sample: $sample,
            value: |config| json!(config.$($field).+),
            put: |config, value| set(&mut config.$($field).+, $read(value $(, $bound)*)),
        }
    };
    { $name:literal, $sample:expr, $($field:ident).+ as $shown:path, $read:ident($($bound:expr),*) } => {
        Key {
            name: $name,
            sample: $sample,
            value: |config| json!($shown(config.$($field).+)),
            put: |config, value| set(&mut config.$($field).+, $read(value $(, $bound)*)),
        }
    };
}

/// The name of a model for another call. `model_settings.rs` reads it.
const MODEL: Key = Key {
    name: "",
    sample: "",
    value: |_| json!(""),
    put: |_, value| text(value).map(drop),
};

/// `config.rs` applies it.
const WITHOUT: Key = Key {
    name: "without",
    sample: "[\"descriptions\"]",
    value: |_| json!([]),
    put: |_, value| names(value).map(drop),
};

/// `setting_values.rs` reads it.
const ON_TRUNCATION: Key = Key {
    name: "on_truncation",
    sample: "\"warning\"",
    value: |_| json!("error"),
    put: |_, value| one_of(value, ["error", "warning"]).map(drop),
};

/// `setting_values.rs` reads it.
const MAX_CONVERSATION_TURNS: Key = Key {
    name: "max_conversation_turns",
    sample: "6",
    value: |_| json!(DEFAULT_TURNS),
    put: |_, value| whole_number(value, 0, 50).map(drop),
};

/// Earlier turns for a question of a conversation. Six: people refer back to two or three, and each costs a check of its
/// SQL.
const DEFAULT_TURNS: i32 = 6;

const ALL_WEIGHTS: &str = "{\"correctness\": 0.35, \"safety\": 0.20, \"efficiency\": 0.15, \"completeness\": 0.10, \
     \"semantic_accuracy\": 0.10, \"best_practices\": 0.05, \"plan_quality\": 0.05}";

/// Every key.
///
/// - `on_ambiguity`: `ask`, a guess is not a fact.
/// - `on_truncation`: `error`, clients do not show warnings, and a count over a truncated result is a wrong number.
/// - `max_repairs`, `max_schema_chars`, `usual_schema_chars`: see [`Config`].
/// - `repair_on`: `findings`. Blind repair of queries that ran makes results worse, so only what is proved counts, and
///   triggers that speak about less than 1 % of right queries (`docs/reference/evaluation.md`).
/// - `enable_relevance_check`: off, it costs a call for each attempt.
/// - `enable_table_choice`: off, it costs a call for each question, and the search is measured.
/// - `judge_model`, `narration_model`, `table_choice_model`, `suggestion_model`: empty is the model that writes the SQL.
/// - `rerank_model`: empty is the built-in ranking, which needs no network.
/// - `candidates`: 1, because each costs a call, and agreement is worth the cost only for important questions.
/// - `strategy`: `auto` requests the query of a short question in one call and others in steps.
/// - `max_steps`: a question with more than four dependent steps is several questions.
/// - `max_looks`: 0, each costs a call, and what it is worth was not measured.
/// - `without`: applied last, because it disables what the others set.
/// - `score_weights`: correctness counts most, safety next.
/// - `score_threshold`: a certain error fails at any threshold; otherwise one possible problem passes and
///   two do not.
/// - `topic_threshold`, `completeness_threshold`: fitted on graded runs, see `docs/reference/evaluation.md`.
/// - `relevance_threshold`: a model that gives less than half finds more that speaks against the result than for it.
/// - `relevance_share`: enough to decide a close score, too little to dominate it.
/// - `example_count`, `value_count`: as many as are looked for, because prompts have room for all of them.
/// - `column_count`: 0 shows all columns, as far as there is room.
/// - `table_word_weight`, `table_vector_weight`, `table_value_weight`, `text_word_weight`, `text_vector_weight`: words,
///   vectors and values count as much as before they could be varied.
/// - `instructions`, `prompts`: what the owner says to models is used, unless its worth is being measured.
const KEYS: [Key; 37] = [
    key! { "on_ambiguity", "\"choose\"", reading.on_ambiguity as WhenAmbiguous::as_str, when_ambiguous() },
    ON_TRUNCATION,
    key! { "enable_narration", "false", enable_narration, boolean() },
    MAX_CONVERSATION_TURNS,
    key! { "max_repairs", "1", max_repairs, count(0, 5) },
    key! { "repair_on", "\"gate\"", repair_on as RepairTrigger::as_str, repair_on() },
    key! { "enable_relevance_check", "true", score.enable_relevance_check, boolean() },
    key! { "enable_table_choice", "true", enable_table_choice, boolean() },
    Key {
        name: "judge_model",
        sample: "\"gpt-small\"",
        ..MODEL
    },
    Key {
        name: "narration_model",
        sample: "\"local\"",
        ..MODEL
    },
    Key {
        name: "table_choice_model",
        sample: "\"gpt-small\"",
        ..MODEL
    },
    Key {
        name: "suggestion_model",
        sample: "\"gpt\"",
        ..MODEL
    },
    Key {
        name: "rerank_model",
        sample: "\"reranker\"",
        value: |_| json!(""),
        put: |config, value| set(&mut config.rerank_model, model_named(value)),
    },
    key! { "max_schema_chars", "120000", max_schema_chars, count(1_000, 2_000_000) },
    key! { "usual_schema_chars", "30000", usual_schema_chars, count(1_000, 2_000_000) },
    key! { "candidates", "3", candidates, count(1, 5) },
    key! { "strategy", "\"auto\"", strategy as strategy_name, strategy() },
    key! { "max_steps", "4", max_steps, count(1, 6) },
    key! { "max_looks", "3", max_looks, count(0, 8) },
    WITHOUT,
    key! { "score_weights", ALL_WEIGHTS, score.weights as all_weights, weights() },
    key! { "score_threshold", "0.75", score.threshold, share() },
    key! { "topic_threshold", "0.5", score.topic_threshold, share() },
    key! { "completeness_threshold", "0.6", score.completeness_threshold, share() },
    key! { "relevance_threshold", "0.5", score.relevance_threshold, share() },
    key! { "relevance_share", "0.15", score.relevance_share, share() },
    key! { "example_count", "5", shown.examples, count(0, 5) },
    key! { "value_count", "20", shown.values, count(0, 20) },
    key! { "column_count", "30", shown.columns as column_count, columns() },
    key! { "table_word_weight", "1", retrieval.weights.words, weight() },
    key! { "table_vector_weight", "1", retrieval.weights.vectors, weight() },
    key! { "table_value_weight", "1", retrieval.weights.values, weight() },
    key! { "text_depth", "6", texts.depth, count(1, 20) },
    key! { "text_word_weight", "1", texts.weights.words, weight() },
    key! { "text_vector_weight", "1", texts.weights.vectors, weight() },
    key! { "instructions", "\"on\"", owner.uses_instructions as on_or_off, one_of(["on", "off"]) },
    key! { "prompts", "\"own\"", owner.uses_prompts as own_or_default, one_of(["own", "default"]) },
];

/// The largest number of columns of a table that PostgreSQL has.
const MOST_COLUMNS: u64 = 1_600;

/// The default of the setting, with every key: that of the configuration.
pub(super) fn default_text() -> Option<&'static CStr> {
    let config = Config::default();
    let object: Map<String, Value> = KEYS
        .iter()
        .map(|key| (key.name.to_owned(), (key.value)(&config)))
        .collect();
    let text = CString::new(Value::Object(object).to_string()).ok()?;
    // PostgreSQL keeps the pointer; called once in a process.
    Some(Box::leak(text.into_boxed_c_str()))
}

/// Every key, with a sample value.
pub(crate) fn keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().map(|key| (key.name, key.sample))
}

/// The given keys; the others keep their values.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Tuning(BTreeMap<&'static str, Value>);

impl Tuning {
    /// Reads the setting. The error names the key and what is wrong with its value.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let Ok(Value::Object(object)) = serde_json::from_str(text) else {
            return Err("The value is not a JSON object.".to_owned());
        };
        let mut tuning = Self::default();
        for (name, value) in &object {
            let known = tuning
                .take(name, value)
                .map_err(|problem| format!("The key \"{name}\" {problem}."))?;
            if !known {
                let names: Vec<&str> = keys().map(|(name, _)| name).collect();
                let names = names.join(", ");
                return Err(format!("There is no key \"{name}\"; the keys are {names}."));
            }
        }
        Ok(tuning)
    }

    /// Reads a key and its value: whether the key exists, or the error of the value, in words that follow the
    /// name.
    pub(crate) fn take(&mut self, name: &str, value: &Value) -> Result<bool, String> {
        let Some(key) = KEYS.iter().find(|key| key.name == name) else {
            return Ok(false);
        };
        (key.put)(&mut Config::default(), value)?;
        self.0.insert(key.name, value.clone());
        Ok(true)
    }

    /// These keys, and the others as they are in `below`.
    pub(super) fn over(&self, mut below: Self) -> Self {
        below.0.extend(self.0.clone());
        below
    }

    /// Puts the given keys into a configuration.
    pub(super) fn apply(&self, config: &mut Config) {
        for key in &KEYS {
            if let Some(value) = self.0.get(key.name) {
                // It was read before.
                let _ = (key.put)(config, value);
            }
        }
    }

    /// The names of what is switched off.
    pub(super) fn without(&self) -> Vec<String> {
        let given = self.0.get("without");
        given
            .and_then(|value| names(value).ok())
            .unwrap_or_default()
    }

    /// The value of a key that is a word, if it is given.
    pub(super) fn word(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    /// The earlier turns for a question of a conversation.
    pub(super) fn conversation_turns(&self) -> i32 {
        let given = self.0.get("max_conversation_turns").and_then(Value::as_i64);
        given
            .and_then(|turns| i32::try_from(turns).ok())
            .unwrap_or(DEFAULT_TURNS)
    }

    /// Without a sentence for the answer.
    pub(super) fn without_narration(mut self) -> Self {
        self.0.insert("enable_narration", json!(false));
        self
    }

    /// The name of a model, if one is given.
    pub(super) fn model(&self, key: &str) -> Option<String> {
        let name = self.0.get(key)?.as_str()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }
}

fn set<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

fn count<T: TryFrom<u64>>(value: &Value, least: u64, greatest: u64) -> Result<T, String> {
    let number = whole_number(value, least, greatest)?;
    T::try_from(number).map_err(|_| "is too large".to_owned())
}

/// The most columns that a prompt shows of a table; 0 is all.
fn columns(value: &Value) -> Result<Option<NonZeroUsize>, String> {
    count(value, 0, MOST_COLUMNS).map(NonZeroUsize::new)
}

fn column_count(columns: Option<NonZeroUsize>) -> usize {
    columns.map_or(0, NonZeroUsize::get)
}

fn all_weights(weights: Weights) -> Value {
    weights.to_json()
}

fn weights(value: &Value) -> Result<Weights, String> {
    Weights::from_json(value)
}

/// A text, or the error.
pub(crate) fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "is not a text".to_owned())
}

/// A switch, or the error.
pub(crate) fn boolean(value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| "is not true or false".to_owned())
}

fn repair_on(value: &Value) -> Result<RepairTrigger, String> {
    use RepairTrigger::{Errors, Findings, Gate};
    let known = [Errors, Findings, Gate].into_iter();
    let mut named = known.filter(|trigger| value.as_str() == Some(trigger.as_str()));
    named
        .next()
        .ok_or_else(|| "is not \"errors\", \"findings\" or \"gate\"".to_owned())
}

/// A number in a range, or the error.
pub(crate) fn whole_number(value: &Value, least: u64, greatest: u64) -> Result<u64, String> {
    value
        .as_u64()
        .filter(|number| (least..=greatest).contains(number))
        .ok_or_else(|| format!("is not a whole number from {least} to {greatest}"))
}

fn on_or_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

fn own_or_default(is_own: bool) -> &'static str {
    if is_own { "own" } else { "default" }
}

/// Whether the value is the first of two words.
fn one_of(value: &Value, [first, second]: [&str; 2]) -> Result<bool, String> {
    match value.as_str() {
        Some(word) if word == first || word == second => Ok(word == first),
        _ => Err(format!("is not \"{first}\" or \"{second}\"")),
    }
}

/// The name of a model; empty is none.
fn model_named(value: &Value) -> Result<Option<String>, String> {
    let name = text(value)?.trim();
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

fn when_ambiguous(value: &Value) -> Result<WhenAmbiguous, String> {
    one_of(value, ["ask", "choose"]).map(|asks| match asks {
        true => WhenAmbiguous::Ask,
        false => WhenAmbiguous::Choose,
    })
}

fn share(value: &Value) -> Result<f64, String> {
    value
        .as_f64()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "is not a number from 0 to 1".to_owned())
}

fn weight(value: &Value) -> Result<f64, String> {
    value
        .as_f64()
        .filter(|weight| (0.0..=10.0).contains(weight))
        .ok_or_else(|| "is not a number from 0 to 10".to_owned())
}

fn strategy_name(strategy: Option<Strategy>) -> &'static str {
    strategy.map_or("auto", Strategy::as_str)
}

fn strategy(value: &Value) -> Result<Option<Strategy>, String> {
    match value.as_str() {
        Some("auto") => Ok(None),
        name => name.and_then(Strategy::named).map(Some).ok_or_else(|| {
            "is not \"auto\", \"direct\", \"one_shot\", \"chain_of_thought\", \"decompose\" or \"meaning\""
                .to_owned()
        }),
    }
}

fn names(value: &Value) -> Result<Vec<String>, String> {
    let names: Option<Vec<String>> = value.as_array().and_then(|names| {
        let names = names.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect()
    });
    let names = names.ok_or_else(|| "is not a list of names".to_owned())?;
    switches::check(&names)?;
    Ok(names)
}

/// The check of the setting.
pub(super) struct TuningText;

impl CheckedText for TuningText {
    fn check(text: &str) -> Result<(), String> {
        Tuning::read(text).map(drop)
    }

    fn hint() -> String {
        "SET text2sql.tuning = '{\"candidates\": 3, \"strategy\": \"decompose\"}'".to_owned()
    }
}

#[cfg(feature = "pg_test")]
#[pgrx::pg_schema]
#[expect(clippy::expect_used, reason = "tests")]
mod tests {
    use pgrx::prelude::*;

    use super::*;

    #[pg_test]
    fn the_default_has_every_key() {
        let text = default_text()
            .and_then(|text| text.to_str().ok())
            .expect("text");
        Tuning::read(text).expect("an object of known keys");
        let object: Map<String, Value> = serde_json::from_str(text).expect("JSON");
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        let all: Vec<&str> = keys().map(|(name, _)| name).collect();
        assert_eq!(names, all);
    }

    #[pg_test]
    fn every_value_to_show_is_one_and_what_is_none_is_named() {
        for (name, value) in keys() {
            Tuning::read(&format!("{{\"{name}\": {value}}}")).expect(name);
        }
        for (text, problem) in [
            ("[]", "The value is not a JSON object."),
            (
                "{\"candidates\": 6}",
                "The key \"candidates\" is not a whole number from 1 to 5.",
            ),
            (
                "{\"without\": [\"rest\"]}",
                "The key \"without\" names nothing that can be left out with \"rest\"; the names are schema, descriptions, comments, synonyms, meanings, samples, keys, taught_joins, inferred_joins, values, definitions, examples, few_shot, instructions, prompts, texts, search, names, columns, tables, spelling, vectors, table_vectors, word_vectors, rerank, coherence, closure, families, table_choice, second_look, interpret, route, replay, plan, steps, candidates, judge, relevance_check, mend, repair, narrate.",
            ),
            (
                "{\"score_threshold\": 2}",
                "The key \"score_threshold\" is not a number from 0 to 1.",
            ),
        ] {
            assert_eq!(Tuning::read(text), Err(problem.to_owned()));
        }
    }
}
