//! The space of a search: for each setting the values to try, as a list or as a range.

use serde_json::{Map, Number, Value};

/// The largest number of values of one setting.
const MAX_VALUES: usize = 50;
/// The largest number of settings.
const MAX_DIMENSIONS: usize = 30;
/// How many values a range has that does not say it.
const STEPS: u64 = 5;

/// A setting and the values to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    /// The name of the setting.
    pub name: String,
    /// The values. The first one is the value that is set now: [`Space::settings`] leaves it out.
    pub values: Vec<Value>,
}

impl Dimension {
    /// The places of the values nearest to one: the next smaller and the next larger number, or all others where the
    /// values are not numbers.
    pub(super) fn near(&self, place: usize) -> Vec<usize> {
        let others = || (0..self.values.len()).filter(move |other| *other != place);
        let numbers: Option<Vec<f64>> = self.values.iter().map(number).collect();
        let Some(numbers) = numbers else {
            return others().collect();
        };
        let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
        let below = others().filter(|other| at(*other) < at(place));
        let above = others().filter(|other| at(*other) > at(place));
        let nearest = [
            below.max_by(|one, other| at(*one).total_cmp(&at(*other))),
            above.min_by(|one, other| at(*one).total_cmp(&at(*other))),
        ];
        nearest.into_iter().flatten().collect()
    }
}

/// A value as a number: settings are numbers or their texts.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The values of all settings: a place among the values of each.
pub type Choice = Vec<usize>;

/// The settings to vary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Space {
    /// Each setting with its values.
    pub dimensions: Vec<Dimension>,
}

/// What is wrong with a declared space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The setting; `None` for the space itself.
    pub dimension: Option<String>,
    /// What is wrong with it, in words that follow its name.
    pub what: String,
    /// How to write it.
    pub hint: String,
}

impl Space {
    /// Reads a declared space. `current` has the value of each setting that is set now; a setting without one is
    /// taken as it is as its own value, null.
    pub fn read(declared: &Value, current: &Map<String, Value>) -> Result<Self, Problem> {
        let Value::Object(declared) = declared else {
            return Err(Problem {
                dimension: None,
                what: "space must be a JSON object of lists and ranges".to_owned(),
                hint: example(),
            });
        };
        if declared.is_empty() || declared.len() > MAX_DIMENSIONS {
            return Err(Problem {
                dimension: None,
                what: format!(
                    "space must have 1 to {MAX_DIMENSIONS} settings: {}",
                    declared.len()
                ),
                hint: example(),
            });
        }
        let dimensions = declared.iter().map(|(name, given)| {
            let values = values(given).map_err(|what| Problem {
                dimension: Some(name.clone()),
                what,
                hint: example(),
            })?;
            let now = current.get(name).cloned().unwrap_or_default();
            let mut all = vec![now];
            for value in values {
                if !all.iter().any(|known| is_same(known, &value)) {
                    all.push(value);
                }
            }
            Ok(Dimension {
                name: name.clone(),
                values: all,
            })
        });
        Ok(Self {
            dimensions: dimensions.collect::<Result<_, Problem>>()?,
        })
    }

    /// The number of combinations, the settings as they are among them.
    pub fn size(&self) -> usize {
        self.dimensions
            .iter()
            .map(|dimension| dimension.values.len())
            .fold(1, usize::saturating_mul)
    }

    /// The settings as they are.
    pub(super) fn as_it_is(&self) -> Choice {
        vec![0; self.dimensions.len()]
    }

    /// What is changed by a choice.
    pub fn settings(&self, choice: &[usize]) -> Map<String, Value> {
        let chosen = self.dimensions.iter().zip(choice);
        chosen
            .filter(|(_, place)| **place > 0)
            .filter_map(|(dimension, place)| {
                Some((
                    dimension.name.clone(),
                    dimension.values.get(*place)?.clone(),
                ))
            })
            .collect()
    }

    /// The choice that changes this; `None` if a value is not in the space.
    pub fn choice(&self, settings: &Map<String, Value>) -> Option<Choice> {
        let place = |dimension: &Dimension| match settings.get(&dimension.name) {
            None => Some(0),
            Some(value) => dimension
                .values
                .iter()
                .position(|known| is_same(known, value)),
        };
        self.dimensions.iter().map(place).collect()
    }

    /// The n-th of all combinations.
    pub(super) fn nth(&self, mut n: usize) -> Choice {
        let mut choice = Vec::with_capacity(self.dimensions.len());
        for dimension in &self.dimensions {
            choice.push(n % dimension.values.len());
            n /= dimension.values.len();
        }
        choice
    }
}

/// Whether two values set the same: 2, 2.0 and "2" do.
fn is_same(one: &Value, other: &Value) -> bool {
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => text(one) == text(other),
    }
}

/// A value as the setting takes it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(is_on) => if *is_on { "on" } else { "off" }.to_owned(),
        value => value.to_string(),
    }
}

fn values(given: &Value) -> Result<Vec<Value>, String> {
    let values = match given {
        Value::Array(values) => values.clone(),
        Value::Object(range) => range_values(range)?,
        _ => return Err("is neither a list of values nor a range".to_owned()),
    };
    match values.len() {
        0 => Err("has no value".to_owned()),
        count if count > MAX_VALUES => Err(format!(
            "has {count} values; at most {MAX_VALUES} are tried"
        )),
        _ => Ok(values),
    }
}

fn range_values(range: &Map<String, Value>) -> Result<Vec<Value>, String> {
    const KEYS: [&str; 5] = ["min", "max", "steps", "log", "integer"];
    if let Some(key) = range.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!(
            "is a range with the unknown key \"{key}\"; the keys are {}",
            KEYS.join(", ")
        ));
    }
    let end = |name: &str| {
        let value = range.get(name).and_then(Value::as_f64);
        value.ok_or_else(|| format!("is a range whose \"{name}\" is not a number"))
    };
    let flag = |name: &str| match range.get(name) {
        None => Ok(false),
        Some(value) => value
            .as_bool()
            .ok_or_else(|| format!("is a range whose \"{name}\" is not true or false")),
    };
    let (least, greatest) = (end("min")?, end("max")?);
    let (is_log, is_integer) = (flag("log")?, flag("integer")?);
    if least >= greatest {
        return Err(format!(
            "is a range from {least} to {greatest}: \"min\" must be less than \"max\""
        ));
    }
    if is_log && least <= 0.0 {
        return Err(format!(
            "is a logarithmic range from {least}: \"min\" must be above 0"
        ));
    }
    let steps = match range.get("steps") {
        None => STEPS,
        Some(steps) => steps
            .as_u64()
            .filter(|steps| (2..=MAX_VALUES as u64).contains(steps))
            .ok_or_else(|| {
                format!("is a range whose \"steps\" is not a whole number from 2 to {MAX_VALUES}")
            })?,
    };
    let mut values: Vec<Value> = Vec::new();
    for step in 0..steps {
        let share = step as f64 / (steps - 1) as f64;
        let point = if is_log {
            least * (greatest / least).powf(share)
        } else {
            least + (greatest - least) * share
        };
        // Four digits are enough, and none is a rounding error.
        let point = match is_integer {
            true => point.round(),
            false => four_digits(point),
        };
        let value = match is_integer || point.fract() == 0.0 && point.abs() < 1e15 {
            true => Number::from(point as i64),
            false => Number::from_f64(point).unwrap_or_else(|| 0.into()),
        };
        let value = Value::Number(value);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(values)
}

fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn example() -> String {
    "List the values of each setting, or give a range: space => '{\"max_repairs\": [0, 1, 2], \"max_schema_chars\": {\"min\": 5000, \"max\": 80000, \"steps\": 4, \"log\": true, \"integer\": true}}'".to_owned()
}
