//! JSON that PostgreSQL accepts: a model may write a NUL, which no text of PostgreSQL can contain.

use serde::Serialize;
use serde_json::Value;
use text2sql_domain::error::{Error, failure};

/// The value as JSON text, without NULs.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(value).map_err(unwritable)?;
    if !text.contains("\\u0000") {
        return Ok(text);
    }
    let mut value: Value = serde_json::from_str(&text).map_err(unwritable)?;
    take_out_nuls(&mut value);
    serde_json::to_string(&value).map_err(unwritable)
}

/// Takes the NULs out of all its texts.
pub(crate) fn take_out_nuls(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|character| character != '\0'),
        Value::Array(items) => items.iter_mut().for_each(take_out_nuls),
        Value::Object(members) => members.values_mut().for_each(take_out_nuls),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn unwritable(error: serde_json::Error) -> Error {
    failure!(Internal, "could not serialize record as JSON").with_source(error)
}
