//! `text2sql.tuning`: parameters to vary when answers are measured, as one JSON object. The same keys are
//! `options` of a call.

use std::ffi::{CStr, CString};
use std::num::NonZeroUsize;

use serde_json::{Value, json};
use text2sql_domain::config::Config;
use text2sql_domain::score::Weights;
use text2sql_domain::strategy::Strategy;
use text2sql_domain::switches;

use super::checked_text::CheckedText;

/// The default of the setting, with every key: that of the configuration.
///
/// - `candidates`: 1, because each costs a call, and agreement is worth the cost only for important questions.
/// - `strategy`: `auto` requests the query of a short question in one call and others in steps.
/// - `max_steps`: a question with more than four dependent steps is several questions.
/// - `score_weights`: correctness counts most, safety next.
/// - `score_threshold`: a certain error fails at any threshold; otherwise one possible problem passes and
///   two do not.
/// - `topic_threshold`, `completeness_threshold`: fitted on graded runs, see `docs/evaluation.md`.
/// - `relevance_threshold`: a model that gives less than half finds more that speaks against the result than for it.
/// - `instructions`, `prompts`: what the owner says to models is used, unless its worth is being measured.
/// - `table_word_weight`, `table_vector_weight`, `table_value_weight`, `text_word_weight`, `text_vector_weight`: words,
///   vectors and values count as much as before they could be varied.
/// - `example_count`, `value_count`: as many as are looked for, because prompts have room for all of them.
/// - `column_count`: 0 shows all columns, as far as there is room.
/// - `relevance_share`: enough to decide a close score, too little to dominate it.
pub(super) fn default_text() -> Option<&'static CStr> {
    let config = Config::default();
    let object = json!({
        "candidates": config.candidates,
        "strategy": config.strategy.map_or("auto", Strategy::as_str),
        "max_steps": config.max_steps,
        "without": [],
        "score_weights": config.score.weights.to_json(),
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
        "text_depth": config.texts.depth,
        "text_word_weight": config.texts.weights.words,
        "text_vector_weight": config.texts.weights.vectors,
        "instructions": on_or_off(config.owner.uses_instructions),
        "prompts": own_or_default(config.owner.uses_prompts),
    });
    let text = CString::new(object.to_string()).ok()?;
    // PostgreSQL keeps the pointer; called once in a process.
    Some(Box::leak(text.into_boxed_c_str()))
}

/// The largest number of columns of a table that PostgreSQL has.
const MOST_COLUMNS: u64 = 1_600;

/// Every key, with a sample value.
pub(crate) const KEYS: [(&str, &str); 21] = [
    ("candidates", "3"),
    ("strategy", "\"auto\""),
    ("max_steps", "4"),
    ("without", "[\"descriptions\"]"),
    (
        "score_weights",
        "{\"correctness\": 0.35, \"safety\": 0.20, \"efficiency\": 0.15, \"completeness\": 0.10, \"semantic_accuracy\": 0.10, \"best_practices\": 0.05, \"plan_quality\": 0.05}",
    ),
    ("score_threshold", "0.75"),
    ("topic_threshold", "0.5"),
    ("completeness_threshold", "0.6"),
    ("relevance_threshold", "0.5"),
    ("relevance_share", "0.15"),
    ("example_count", "5"),
    ("value_count", "20"),
    ("column_count", "30"),
    ("table_word_weight", "1"),
    ("table_vector_weight", "1"),
    ("table_value_weight", "1"),
    ("text_depth", "6"),
    ("text_word_weight", "1"),
    ("text_vector_weight", "1"),
    ("instructions", "\"on\""),
    ("prompts", "\"own\""),
];

/// The given keys; the others keep their values.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Tuning {
    candidates: Option<usize>,
    /// `Some(None)` is `auto`.
    strategy: Option<Option<Strategy>>,
    max_steps: Option<usize>,
    without: Option<Vec<String>>,
    score_weights: Option<Weights>,
    score_threshold: Option<f64>,
    topic_threshold: Option<f64>,
    completeness_threshold: Option<f64>,
    relevance_threshold: Option<f64>,
    relevance_share: Option<f64>,
    example_count: Option<usize>,
    value_count: Option<usize>,
    /// `Some(None)` shows all.
    column_count: Option<Option<NonZeroUsize>>,
    table_word_weight: Option<f64>,
    table_vector_weight: Option<f64>,
    table_value_weight: Option<f64>,
    text_depth: Option<usize>,
    text_word_weight: Option<f64>,
    text_vector_weight: Option<f64>,
    uses_instructions: Option<bool>,
    uses_prompts: Option<bool>,
}

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
                let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
                let names = names.join(", ");
                return Err(format!("There is no key \"{name}\"; the keys are {names}."));
            }
        }
        Ok(tuning)
    }

    /// Reads a key and its value: whether the key exists, or the error of the value, in words that follow the
    /// name.
    pub(crate) fn take(&mut self, name: &str, value: &Value) -> Result<bool, String> {
        match name {
            "candidates" => self.candidates = Some(whole_number(value, 1, 5)? as usize),
            "strategy" => self.strategy = Some(strategy(value)?),
            "max_steps" => self.max_steps = Some(whole_number(value, 1, 6)? as usize),
            "without" => self.without = Some(names(value)?),
            "score_weights" => self.score_weights = Some(Weights::from_json(value)?),
            "score_threshold" => self.score_threshold = Some(share(value)?),
            "topic_threshold" => self.topic_threshold = Some(share(value)?),
            "completeness_threshold" => self.completeness_threshold = Some(share(value)?),
            "relevance_threshold" => self.relevance_threshold = Some(share(value)?),
            "relevance_share" => self.relevance_share = Some(share(value)?),
            "example_count" => self.example_count = Some(whole_number(value, 0, 5)? as usize),
            "value_count" => self.value_count = Some(whole_number(value, 0, 20)? as usize),
            "column_count" => {
                let count = whole_number(value, 0, MOST_COLUMNS)? as usize;
                self.column_count = Some(NonZeroUsize::new(count));
            }
            "table_word_weight" => self.table_word_weight = Some(weight(value)?),
            "table_vector_weight" => self.table_vector_weight = Some(weight(value)?),
            "table_value_weight" => self.table_value_weight = Some(weight(value)?),
            "text_depth" => self.text_depth = Some(whole_number(value, 1, 20)? as usize),
            "text_word_weight" => self.text_word_weight = Some(weight(value)?),
            "text_vector_weight" => self.text_vector_weight = Some(weight(value)?),
            "instructions" => {
                self.uses_instructions = Some(one_of(value, [on_or_off(true), on_or_off(false)])?)
            }
            "prompts" => {
                self.uses_prompts = Some(one_of(
                    value,
                    [own_or_default(true), own_or_default(false)],
                )?)
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Applies the given keys to a configuration.
    pub(super) fn apply(&self, config: &mut Config) {
        set(&mut config.candidates, self.candidates);
        set(&mut config.strategy, self.strategy);
        set(&mut config.max_steps, self.max_steps);
        set(&mut config.score.weights, self.score_weights);
        set(&mut config.score.threshold, self.score_threshold);
        set(&mut config.score.topic_threshold, self.topic_threshold);
        set(
            &mut config.score.completeness_threshold,
            self.completeness_threshold,
        );
        set(
            &mut config.score.relevance_threshold,
            self.relevance_threshold,
        );
        set(&mut config.score.relevance_share, self.relevance_share);
        set(&mut config.shown.examples, self.example_count);
        set(&mut config.shown.values, self.value_count);
        set(&mut config.shown.columns, self.column_count);
        let tables = &mut config.retrieval.weights;
        set(&mut tables.words, self.table_word_weight);
        set(&mut tables.vectors, self.table_vector_weight);
        set(&mut tables.values, self.table_value_weight);
        set(&mut config.texts.depth, self.text_depth);
        set(&mut config.texts.weights.words, self.text_word_weight);
        set(&mut config.texts.weights.vectors, self.text_vector_weight);
        set(&mut config.owner.uses_instructions, self.uses_instructions);
        set(&mut config.owner.uses_prompts, self.uses_prompts);
    }

    /// The names of what is switched off, if given.
    pub(super) fn without(&self) -> Option<&[String]> {
        self.without.as_deref()
    }
}

fn set<T: Clone>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
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
        let object: serde_json::Map<String, Value> = serde_json::from_str(text).expect("JSON");
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        assert_eq!(names, KEYS.map(|(name, _)| name));
    }

    #[pg_test]
    fn every_value_to_show_is_one_and_what_is_none_is_named() {
        for (name, value) in KEYS {
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
