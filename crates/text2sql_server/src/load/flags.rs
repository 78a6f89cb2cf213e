//! What a hint says of options, as the command line takes them.

use serde_json::{Map, Value};

/// The hint with each JSON object of options as flags: `{"on_error": "collect"}` is `--on-error collect`.
pub(super) fn of_hint(hint: &str) -> String {
    let mut said = String::with_capacity(hint.len());
    let mut rest = hint;
    while let Some(place) = rest.find('{') {
        let (before, object) = rest.split_at(place);
        said.push_str(before);
        let mut objects =
            serde_json::Deserializer::from_str(object).into_iter::<Map<String, Value>>();
        let read = objects.next().and_then(Result::ok);
        let end = if read.is_some() {
            objects.byte_offset()
        } else {
            1
        };
        let (written, behind) = object.split_at(end);
        match read {
            Some(options) => {
                let flags: Vec<String> = options
                    .iter()
                    .flat_map(|(name, value)| flag(name, value))
                    .collect();
                said.push_str(&flags.join(" "));
            }
            None => said.push_str(written),
        }
        rest = behind;
    }
    said.push_str(rest);
    said
}

fn flag(name: &str, value: &Value) -> Vec<String> {
    let flag = match name {
        "types" => "type".to_owned(),
        "null_texts" => "null".to_owned(),
        name => name.replace('_', "-"),
    };
    let one = |value: String| format!("--{flag} {}", quoted(&value));
    match value {
        Value::Object(pairs) => pairs
            .iter()
            .map(|(column, of_type)| one(format!("{column}={}", text(of_type))))
            .collect(),
        Value::Array(values) => values.iter().map(|value| one(text(value))).collect(),
        value => vec![one(text(value))],
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// As a shell takes it as one word.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '=' | '.' | ',');
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_flags() {
        assert_eq!(
            of_hint(r#"Leave out {"skip": 2}, or set aside with {"on_error": "collect"}."#),
            "Leave out --skip 2, or set aside with --on-error collect."
        );
        assert_eq!(
            of_hint(r#"{"types": {"unit price": "text"}} or {"delimiter": ";"}"#),
            "--type 'unit price=text' or --delimiter ';'"
        );
        assert_eq!(of_hint("a { brace"), "a { brace");
    }
}
