//! Arguments of a tool. One that is missing, superfluous or of another type is an error of the protocol.

use rmcp::ErrorData;
use serde_json::{Map, Value};

/// The longest text, in bytes, that an argument can be: more than any question or query that a person can check.
const LONGEST: usize = 64 * 1024;

/// The arguments that are not taken yet.
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    pub(super) fn new(arguments: Option<Map<String, Value>>) -> Self {
        Self(arguments.unwrap_or_default())
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, ErrorData> {
        let text = self
            .optional_text(name)?
            .filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| invalid(format!("the argument \"{name}\" is missing or empty")))
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, ErrorData> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => Err(invalid(format!(
                "the argument \"{name}\" contains a null character"
            ))),
            Some(Value::String(text)) if text.len() > LONGEST => Err(invalid(format!(
                "the argument \"{name}\" is longer than {LONGEST} bytes"
            ))),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(format!("the argument \"{name}\" must be a string"))),
        }
    }

    /// An object, as the text of its JSON.
    pub(super) fn optional_object(&mut self, name: &str) -> Result<Option<String>, ErrorData> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(object @ Value::Object(_)) => {
                self.0.insert(name.to_owned(), object.to_string().into());
                self.optional_text(name)
            }
            Some(_) => Err(invalid(format!(
                "the argument \"{name}\" must be an object"
            ))),
        }
    }

    /// Nothing else may be there: an argument that is passed over in silence misleads an agent.
    pub(super) fn finish(self) -> Result<(), ErrorData> {
        match self.0.keys().next() {
            Some(name) => Err(invalid(format!("there is no argument \"{name}\""))),
            None => Ok(()),
        }
    }
}

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}
