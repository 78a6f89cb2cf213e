//! The `options` of a call: settings for this call only, and switches of the function itself.

use std::time::Duration;

use pgrx::JsonB;
use serde_json::{Map, Value};
use text2sql_domain::engines;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::Session;
use text2sql_language::edit_distance::nearest;
use text2sql_semantics::SemanticQuery;

use crate::pg::server::renamed::successor;
use crate::pg::server::session::PgSession;
use crate::pg::server::settings::checked_text::{Unit, number_with_unit};
use crate::pg::server::settings::{
    self, Overrides, boolean, text_value, tuning_keys, whole_number,
};

/// Every setting that is an option, and `meaning`, with a sample value; the keys of `text2sql.tuning` are options too.
const SETTINGS: [(&str, &str); 7] = [
    ("model", "\"gpt\""),
    ("max_result_rows", "100"),
    ("max_result_size", "\"1MB\""),
    ("max_cost", "100000"),
    ("query_timeout", "\"5s\""),
    ("memory_limit", "\"64MB\""),
    ("meaning", "{\"subject\": …}"),
];

/// The error of `options` of another JSON type.
pub(crate) const NOT_AN_OBJECT: &str = "options must be a JSON object";

/// Maximum number of characters of a value that an error repeats.
const MAX_SHOWN: usize = 80;

/// The options that a function accepts.
pub(crate) struct Accepted {
    settings: fn(&str) -> bool,
    switch: Option<&'static str>,
}

/// For a function that asks a question: every setting that is an option.
pub(crate) const QUESTION: Accepted = Accepted {
    settings: |_| true,
    switch: None,
};

impl Accepted {
    /// For a function that asks a question, with an additional switch.
    pub(crate) const fn question_and(switch: &'static str) -> Self {
        Self {
            settings: |_| true,
            switch: Some(switch),
        }
    }

    /// For a function about a statement, with an additional switch: the limits of a query can be lowered.
    pub(crate) const fn statement_and(switch: &'static str) -> Self {
        Self {
            settings: |name| matches!(name, "max_cost" | "query_timeout" | "memory_limit"),
            switch: Some(switch),
        }
    }

    /// For a function about a statement that may call a model, with an additional switch.
    pub(crate) const fn model_and(switch: &'static str) -> Self {
        Self {
            settings: |name| {
                matches!(
                    name,
                    "model" | "max_schema_chars" | "max_cost" | "query_timeout" | "memory_limit"
                )
            },
            switch: Some(switch),
        }
    }

    /// For a function with only a switch.
    pub(crate) const fn only(switch: &'static str) -> Self {
        Self {
            settings: |_| false,
            switch: Some(switch),
        }
    }

    /// Every option of the function, with a sample value.
    fn options(&self) -> Vec<(&'static str, &'static str)> {
        let own = self.switch.map(|name| (name, "true"));
        let settings = SETTINGS.into_iter().chain(tuning_keys());
        let settings = settings.filter(|(name, _)| (self.settings)(name));
        own.into_iter().chain(settings).collect()
    }

    /// Reads the `options` of a call.
    pub(crate) fn read(&self, options: Option<JsonB>) -> Result<Options, Error> {
        let mut read = Options::default();
        let object = each(options, &self.options(), |name, value| match self.switch {
            Some(switch) if switch == name => boolean(value).map(|is_on| read.is_on = is_on),
            _ => set(&mut read.overrides, name, value),
        })?;
        only_lowers(&read.overrides, &object)?;
        Ok(read)
    }
}

/// Takes each of the `options` of a call that has those, each with a sample value; the error text follows the name.
pub(crate) fn each(
    options: Option<JsonB>,
    known: &[(&'static str, &'static str)],
    mut take: impl FnMut(&str, &Value) -> Result<(), String>,
) -> Result<Map<String, Value>, Error> {
    let object = match options.map(|JsonB(value)| value) {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(object)) => object,
        Some(other) => {
            return Err(Error::new(ErrorKind::Setting, NOT_AN_OBJECT)
                .with_detail(format!("The value is {}.", shown(&other)))
                .with_hint(hint(known, None)));
        }
    };
    for (name, value) in &object {
        if !known.iter().any(|(option, _)| option == name) {
            return Err(unknown(known, name));
        }
        take(name, value).map_err(|problem| {
            failure!(Setting, "option \"{name}\" {problem}")
                .with_detail(format!("The value is {}.", shown(value)))
                .with_hint(hint(known, Some(name)))
        })?;
    }
    Ok(object)
}

fn unknown(known: &[(&'static str, &'static str)], name: &str) -> Error {
    let names: Vec<String> = known.iter().map(|(name, _)| (*name).to_owned()).collect();
    let hint = match successor(name) {
        Some(new) => format!("It is {new} now."),
        None => hint(known, nearest(name, &names).first().map(String::as_str)),
    };
    failure!(Setting, "unknown option \"{name}\"")
        .with_detail(format!("The options are {}.", names.join(", ")))
        .with_hint(hint)
}

/// The option most similar to the name, or the first two.
fn hint(known: &[(&'static str, &'static str)], name: Option<&str>) -> String {
    let named = known.iter().filter(|(known, _)| Some(*known) == name);
    let mut members: Vec<String> = named.map(member).collect();
    if members.is_empty() {
        let usual = ["max_result_rows", "enable_narration"];
        let named = known.iter().filter(|(known, _)| usual.contains(known));
        members = named.map(member).collect();
    }
    if members.is_empty() {
        members = known.iter().take(1).map(member).collect();
    }
    format!("Use options => '{{{}}}'.", members.join(", "))
}

fn member((name, value): &(&str, &str)) -> String {
    format!("\"{name}\": {value}")
}

/// The options of a call.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The settings among them.
    pub(crate) overrides: Overrides,
    /// Whether the switch of the function is on.
    pub(crate) is_on: bool,
}

/// Reads one setting; the error text follows the name of the option.
fn set(overrides: &mut Overrides, name: &str, value: &Value) -> Result<(), String> {
    match name {
        "model" => {
            let list = text_value(value)?;
            engines::read_list(list).map_err(|_| "is not a list of models".to_owned())?;
            overrides.model = Some(list.to_owned());
        }
        "max_result_rows" => {
            overrides.max_result_rows = Some(whole_number(value, 1, i32::MAX as u64)? as usize);
        }
        "max_result_size" => overrides.max_result_bytes = Some(bytes(value, 1)?),
        "max_cost" => {
            overrides.max_cost = Some(
                value
                    .as_f64()
                    .filter(|cost| *cost >= 0.0)
                    .ok_or_else(|| "is not a number from 0".to_owned())?,
            );
        }
        "query_timeout" => {
            let milliseconds = with_unit(value, 1, Unit::Milliseconds)
                .ok_or_else(|| "is not a time such as \"5s\", or milliseconds from 1".to_owned())?;
            overrides.query_timeout = Some(Duration::from_millis(milliseconds));
        }
        "meaning" => {
            SemanticQuery::read(value).map_err(|wrong| match wrong.path.as_str() {
                "" => format!("has no meaning: {}", wrong.problem),
                path => format!("has no meaning at {path}: {}", wrong.problem),
            })?;
            overrides.meaning = Some(value.clone().into());
        }
        "memory_limit" => overrides.memory_limit = Some(bytes(value, 0)?),
        _ => {
            overrides.tuning.take(name, value)?;
        }
    }
    Ok(())
}

/// A size, in kilobytes where it has no unit.
pub(crate) fn bytes(value: &Value, least: u64) -> Result<usize, String> {
    with_unit(value, least, Unit::Kilobytes)
        .and_then(|kilobytes| usize::try_from(kilobytes).ok())
        .map(|kilobytes| kilobytes.saturating_mul(1024))
        .ok_or_else(|| format!("is not a size such as \"1MB\", or kilobytes from {least}"))
}

/// A number, or a text with a unit, as accepted by SET.
fn with_unit(value: &Value, least: u64, unit: Unit) -> Option<u64> {
    let number = match value {
        Value::String(text) => u64::try_from(number_with_unit(text, unit)?).ok(),
        value => value.as_u64(),
    };
    number.filter(|number| (least..=i32::MAX as u64).contains(number))
}

/// Limits that protect the server are set by a superuser: a call may only lower them.
fn only_lowers(overrides: &Overrides, object: &Map<String, Value>) -> Result<(), Error> {
    let set = settings::limits(&Overrides::default());
    let raised = [
        (
            "max_cost",
            overrides
                .max_cost
                .is_some_and(|cost| is_above(cost, set.max_cost)),
        ),
        (
            "query_timeout",
            overrides
                .query_timeout
                .is_some_and(|time| time > set.query_timeout),
        ),
        (
            "memory_limit",
            overrides
                .memory_limit
                .is_some_and(|bytes| is_above(bytes as f64, set.memory_limit as f64)),
        ),
    ];
    let Some((name, _)) = raised.into_iter().find(|(_, is_raised)| *is_raised) else {
        return Ok(());
    };
    let value = object.get(name).map(shown).unwrap_or_default();
    let assigned = value.trim_matches('"');
    let role = PgSession::new().user();
    Err(failure!(Denied, "option \"{name}\" is higher than text2sql.{name}: {value}")
    .with_detail("The options of a call can only lower this limit.")
    .with_hint(format!(
        "SET text2sql.{name} = '{assigned}' first. A role that is not a superuser needs a superuser to run: GRANT SET ON PARAMETER text2sql.{name} TO {role}."
    )))
}

/// Whether a limit is higher than another; 0 means no limit.
fn is_above(limit: f64, other: f64) -> bool {
    other > 0.0 && (limit > other || limit == 0.0)
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
