//! The `options` of a call: settings for this question only.

use pgrx::JsonB;
use serde_json::Value;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::findings::nearest;
use text2sql_core::judge::RepairTrigger;
use text2sql_core::stages;
use text2sql_core::strategy::Strategy;

use crate::pg::settings::{OnTruncation, Overrides};

/// Every option, with a value to show.
const OPTIONS: [(&str, &str); 15] = [
    ("model", "\"gpt\""),
    ("max_rows", "100"),
    ("on_truncation", "\"warning\""),
    ("max_repairs", "1"),
    ("candidates", "3"),
    ("strategy", "\"auto\""),
    ("max_steps", "4"),
    ("context_chars", "30000"),
    ("statement_limit", "5000"),
    ("narrate", "true"),
    ("rewrite", "true"),
    ("route", "true"),
    ("ambiguity", "\"choose\""),
    ("repair", "\"gate\""),
    ("stages_off", "\"replay\""),
];

/// Most characters of a value that an error repeats.
const MAX_SHOWN: usize = 80;

/// Reads the `options` of a call.
pub(crate) fn overrides(options: Option<JsonB>) -> Result<Overrides, Error> {
    let mut overrides = Overrides::default();
    let object = match options.map(|JsonB(value)| value) {
        None | Some(Value::Null) => return Ok(overrides),
        Some(Value::Object(object)) => object,
        Some(other) => {
            return Err(
                Error::new(ErrorKind::Setting, "options is not a JSON object")
                    .with_detail(format!("it is {}", shown(&other)))
                    .with_hint(hint(&["max_rows", "narrate"])),
            );
        }
    };
    for (name, value) in &object {
        set(&mut overrides, name, value)?;
    }
    Ok(overrides)
}

fn set(overrides: &mut Overrides, name: &str, value: &Value) -> Result<(), Error> {
    let bad = |message: String| {
        Error::new(ErrorKind::Setting, message)
            .with_detail(format!("it is {}", shown(value)))
            .with_hint(hint(&[name]))
    };
    let number = |least: u64, most: u64| {
        value
            .as_u64()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| {
                bad(format!(
                    "option \"{name}\" is not a whole number from {least} to {most}"
                ))
            })
    };
    let text = || {
        value
            .as_str()
            .ok_or_else(|| bad(format!("option \"{name}\" is not a text")))
    };
    match name {
        "model" => overrides.model = Some(text()?.to_owned()),
        "max_repairs" => overrides.max_repairs = Some(number(0, 5)? as u32),
        "candidates" => overrides.candidates = Some(number(1, 5)? as usize),
        "strategy" => {
            let strategy = Strategy::named(text()?);
            if strategy.is_none() && value != "auto" {
                return Err(bad(
                    "option \"strategy\" is not \"auto\", \"direct\", \"one_shot\", \"chain_of_thought\" or \"decompose\"".to_owned(),
                ));
            }
            overrides.strategy = Some(strategy);
        }
        "max_steps" => overrides.max_steps = Some(number(1, 6)? as usize),
        "context_chars" => overrides.context_chars = Some(number(1_000, 2_000_000)? as usize),
        "repair" => {
            overrides.repair = Some(match text()? {
                "errors" => RepairTrigger::Errors,
                "findings" => RepairTrigger::Findings,
                "gate" => RepairTrigger::Gate,
                _ => {
                    return Err(bad(
                        "option \"repair\" is not \"errors\", \"findings\" or \"gate\"".to_owned(),
                    ));
                }
            });
        }
        "stages_off" => {
            let list = text()?;
            stages::check(list).map_err(|reason| {
                let names = format!("stages are {}", stages::names());
                Error::new(ErrorKind::Setting, reason)
                    .with_detail(names)
                    .with_hint(hint(&[name]))
            })?;
            overrides.stages_off = Some(list.to_owned());
        }
        "max_rows" => overrides.max_rows = Some(number(1, i32::MAX as u64)? as usize),
        "on_truncation" => {
            overrides.on_truncation = Some(match text()? {
                "error" => OnTruncation::Error,
                "warning" => OnTruncation::Warning,
                _ => {
                    return Err(bad(
                        "option \"on_truncation\" is not \"error\" or \"warning\"".to_owned(),
                    ));
                }
            });
        }
        "statement_limit" => overrides.statement_limit = Some(number(1, i32::MAX as u64)?),
        "narrate" => {
            let switch = value.as_bool();
            overrides.narrate = Some(
                switch.ok_or_else(|| bad("option \"narrate\" is not true or false".to_owned()))?,
            );
        }
        _ if overrides.reading.take(name, value).map_err(bad)? => {}
        _ => return Err(unknown(name)),
    }
    Ok(())
}

fn unknown(name: &str) -> Error {
    let names: Vec<String> = OPTIONS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let near = nearest(name, &names);
    let meant: Vec<&str> = near.iter().take(1).map(String::as_str).collect();
    Error::new(ErrorKind::Setting, format!("unknown option \"{name}\""))
        .with_detail(format!("options are {}", names.join(", ")))
        .with_hint(hint(match meant.as_slice() {
            [] => &["max_rows", "narrate"],
            meant => meant,
        }))
}

/// The named options as one types them.
fn hint(names: &[&str]) -> String {
    let members: Vec<String> = OPTIONS
        .iter()
        .filter(|(name, _)| names.contains(name))
        .map(|(name, value)| format!("\"{name}\": {value}"))
        .collect();
    format!("options => '{{{}}}'", members.join(", "))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
