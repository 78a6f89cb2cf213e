//! The formats of stored knowledge and how it is matched to a question, as far as no database is needed.
//!
//! Storing it, and validating its SQL with the server, is done in the extension.
#![forbid(unsafe_code)]

pub mod circles;
pub mod dbt;
pub mod exchange;
pub mod expression;
pub mod glossary;
pub mod intent;
pub mod join_path;
pub mod mapping;
pub mod metric;
pub mod pair;
pub mod remark;
pub mod samples;
pub mod semantic_models;
pub mod suggestion;

use serde_json::{Map, Value};

use text2sql_domain::error::{Error, ErrorKind, failure};

/// Maximum number of values of a column that can have a meaning. More belong in a table.
const MAX_MEANINGS: usize = 1_000;

/// Checks the value meanings that a user entered: a JSON object of texts. Numbers and booleans become
/// texts. `None` if it is empty or null.
pub fn value_meanings(given: Value) -> Result<Option<Value>, Error> {
    let wrong = |message: String| {
        Error::new(ErrorKind::Setting, message)
            .with_hint(r#"SELECT text2sql.describe('customers.status', meanings => '{"A": "active", "C": "closed"}')"#)
    };
    let object = match given {
        Value::Null => return Ok(None),
        Value::Object(object) => object,
        _ => return Err(wrong("the meanings are not a JSON object".to_owned())),
    };
    if object.len() > MAX_MEANINGS {
        return Err(failure!(
            Limit,
            "{} values have a meaning, more than {MAX_MEANINGS}",
            object.len()
        )
        .with_hint("Store the codes of such a column with their meanings in a table."));
    }
    let mut meanings = Map::new();
    for (value, meaning) in object {
        let meaning = match meaning {
            Value::String(text) if !text.trim().is_empty() => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            _ => return Err(wrong(format!("the meaning of \"{value}\" is not a text"))),
        };
        meanings.insert(value, Value::String(meaning));
    }
    Ok((!meanings.is_empty()).then_some(Value::Object(meanings)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn meanings_are_texts_by_value() {
        let good = value_meanings(json!({"A": "active", "2": 7, "t": true})).unwrap();
        assert_eq!(good, Some(json!({"A": "active", "2": "7", "t": "true"})));
        assert_eq!(value_meanings(json!({})).unwrap(), None);
        assert_eq!(value_meanings(Value::Null).unwrap(), None);
        let check = |given: Value, message: &str| {
            assert_eq!(value_meanings(given).unwrap_err().message(), message);
        };
        check(json!(["A"]), "the meanings are not a JSON object");
        check(json!({"A": ["x"]}), "the meaning of \"A\" is not a text");
        check(json!({"A": " "}), "the meaning of \"A\" is not a text");
    }
}
