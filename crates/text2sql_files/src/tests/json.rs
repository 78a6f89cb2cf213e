//! JSON and JSON lines: which table they become.

use super::shown;
use crate::Source;

fn json(text: &str) -> String {
    shown(Source::Json(text), "{}")
}

#[test]
fn an_array_of_objects() {
    assert_eq!(
        json(
            r#"[{"id": 1, "Zip": "01067", "on": "2024-01-31", "tags": ["a"]}, {"id": 2.5, "ok": true, "tags": null}]"#
        ),
        "id numeric\nzip text\non_ date\ntags jsonb\nok boolean\n\
         1: \"1\" \"01067\" \"2024-01-31\" \"[\\\"a\\\"]\" NULL\n\
         1: \"2.5\" NULL NULL NULL \"true\""
    );
}

#[test]
fn one_object_a_line() {
    assert_eq!(
        json("{\"a\": 12345678901234567890}\n\n{\"a\": 1}\n"),
        "a numeric\n1: \"12345678901234567890\"\n3: \"1\""
    );
}

#[test]
fn a_text_of_digits_is_a_text() {
    assert_eq!(
        json(r#"[{"a": "12"}, {"a": "13"}]"#),
        "a text\n1: \"12\"\n1: \"13\""
    );
    assert_eq!(json(r#"[{"a": ""}]"#), "a text\n1: \"\"");
}

#[test]
fn what_is_no_table_is_said() {
    assert!(json("[1]").starts_with("error: line 1: not a JSON object"));
    assert_eq!(
        json("[{\"a\": 1},\n{\"a\": }]"),
        "error: line 2, character 7: expected value"
    );
    assert_eq!(
        json("{\"a\": 1}\n{\"a\": 2"),
        "error: line 2, character 7: EOF while parsing an object"
    );
    assert_eq!(
        json("{\"a\": 1, \"a\": 2}"),
        "error: line 1: the key \"a\" occurs twice in one object"
    );
    assert_eq!(
        json("{\"a\": 1}\n{\"a\": {\"b\": [{\"c\": 1, \"c\": 2}]}}"),
        "error: line 2: the key \"c\" occurs twice in one object"
    );
    assert_eq!(
        json("{\"a\": \"x\"}\n{\"a\": \"\\ud83d\"}"),
        "error: line 2: unexpected end of hex escape"
    );
    assert_eq!(json(""), "error: the file has no columns");
}
