//! Spaces and objectives as they are declared, and what is wrong with them.

use serde_json::{Map, Value, json};

use super::super::*;

fn read(declared: &Value) -> Result<Space, Problem> {
    let mut current = Map::new();
    current.insert("a".to_owned(), json!("2"));
    Space::read(declared, &current)
}

fn values(declared: &Value) -> Vec<Value> {
    let space = read(&json!({"a": declared})).unwrap();
    space.dimensions[0].values[1..].to_vec()
}

#[test]
fn lists_and_ranges() {
    assert_eq!(
        values(&json!([0, 1, 2, "2", 1])),
        [json!(0), json!(1)],
        "2 is set now"
    );
    assert_eq!(
        values(&json!(["on", true, false])),
        [json!("on"), json!(false)]
    );
    assert_eq!(
        values(&json!({"min": 0, "max": 1})),
        [json!(0), json!(0.25), json!(0.5), json!(0.75), json!(1)]
    );
    assert_eq!(
        values(&json!({"min": 1000, "max": 100000, "steps": 3, "log": true, "integer": true})),
        [json!(1000), json!(10000), json!(100000)]
    );
    assert_eq!(
        values(&json!({"min": 1, "max": 3, "steps": 9, "integer": true})),
        [json!(1), json!(3)],
        "rounded, once each, without the 2 that is set"
    );
    assert_eq!(
        values(&json!({"min": 0.1, "max": 0.4, "steps": 2, "log": true})),
        [json!(0.1), json!(0.4)]
    );
}

#[test]
fn what_is_wrong_is_named_with_its_setting() {
    for (declared, what) in [
        (json!(3), "is neither a list of values nor a range"),
        (json!([]), "has no value"),
        (
            json!({"min": 1}),
            "is a range whose \"max\" is not a number",
        ),
        (
            json!({"min": 3, "max": 3}),
            "is a range from 3 to 3: \"min\" must be less than \"max\"",
        ),
        (
            json!({"min": 0, "max": 3, "log": true}),
            "is a logarithmic range from 0: \"min\" must be above 0",
        ),
        (
            json!({"min": 0, "max": 3, "steps": 1}),
            "is a range whose \"steps\" is not a whole number from 2 to 50",
        ),
        (
            json!({"min": 0, "max": 3, "log": 1}),
            "is a range whose \"log\" is not true or false",
        ),
        (
            json!({"min": 0, "max": 3, "by": 1}),
            "is a range with the unknown key \"by\"; the keys are min, max, steps, log, integer",
        ),
        (
            json!((0..51).collect::<Vec<_>>()),
            "has 51 values; at most 50 are tried",
        ),
    ] {
        let problem = read(&json!({"a": declared})).unwrap_err();
        assert_eq!(
            (problem.dimension.as_deref(), problem.what.as_str()),
            (Some("a"), what)
        );
        assert!(problem.hint.contains("space => '{"));
    }
    assert_eq!(read(&json!([])).unwrap_err().dimension, None);
    assert_eq!(read(&json!({})).unwrap_err().dimension, None);
}

#[test]
fn settings_name_what_is_changed_and_are_found_again() {
    let space = read(&json!({"a": [1, 2, 3], "b": ["x"]})).unwrap();
    assert_eq!(space.size(), 3 * 2);
    let all: Vec<Choice> = (0..space.size()).map(|n| space.nth(n)).collect();
    for choice in &all {
        assert_eq!(space.choice(&space.settings(choice)).as_ref(), Some(choice));
    }
    assert_eq!(Value::Object(space.settings(&[0, 0])), json!({}));
    assert_eq!(
        Value::Object(space.settings(&[2, 1])),
        json!({"a": 3, "b": "x"})
    );
    let mut other = Map::new();
    other.insert("a".to_owned(), json!(7));
    assert_eq!(space.choice(&other), None);
}

#[test]
fn neighbours_of_a_number_are_the_next_ones() {
    let space = read(&json!({"a": [10, 1, 5], "b": ["x", "y", "z"]})).unwrap();
    // The values are 2 (now), 10, 1, 5.
    assert_eq!(space.dimensions[0].near(0), [2, 3]);
    assert_eq!(space.dimensions[0].near(1), [3]);
    assert_eq!(space.dimensions[1].near(1), [0, 2, 3]);
}

#[test]
fn objectives_are_read() {
    assert_eq!(
        Objectives::read(&json!({"accuracy": 1})),
        Ok(Objectives::Sum([1.0, 0.0, 0.0]))
    );
    assert_eq!(
        Objectives::read(&json!({"pareto": ["latency", "accuracy"]})),
        Ok(Objectives::Pareto(vec![0, 2]))
    );
    for (given, what) in [
        (json!([]), "must be a JSON object"),
        (
            json!({"speed": 1}),
            "has no \"speed\": they are accuracy, cost, latency",
        ),
        (
            json!({"cost": -1}),
            "must give \"cost\" a number from 0 to 1000",
        ),
        (json!({"cost": 0}), "must have a weight above 0"),
        (
            json!({"pareto": ["cost"]}),
            "must name at least two objectives in \"pareto\"",
        ),
        (
            json!({"pareto": ["cost", "latency"], "cost": 1}),
            "must have \"pareto\" alone, with a list of names",
        ),
    ] {
        assert_eq!(Objectives::read(&given), Err(what.to_owned()));
    }
}
