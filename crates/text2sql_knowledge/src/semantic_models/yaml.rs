//! YAML as JSON values, and the reverse.

use serde_json::Value;
use text2sql_domain::error::{Error, failure};

/// Reads YAML, of which JSON is a part.
pub(super) fn read(content: &str) -> Result<Value, String> {
    serde_norway::from_str(content).map_err(|error| format!("it is no YAML: {error}"))
}

/// Writes YAML.
pub(super) fn write(document: &Value) -> Result<String, Error> {
    serde_norway::to_string(document).map_err(|error| {
        failure!(Internal, "the document cannot be written as YAML").with_source(error)
    })
}
