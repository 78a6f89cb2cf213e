//! Tables and comparisons of evaluations whose figures are known.

use super::*;
use crate::evaluation_data::{AttemptRow, Components, EvaluationData, EvaluationFacts};

/// A case whose level and style are known, right or not, with the share of its elements that are right.
fn attempt(key: usize, run: i64, level: &str, style: &str, is_right: bool) -> AttemptRow {
    let em = Components {
        tables: Some(1.0),
        columns: Some(if is_right { 1.0 } else { 0.5 }),
        operations: Some(1.0),
        dates: Some(if is_right { 1.0 } else { 0.0 }),
        sort: Some(1.0),
        limit: Some(1.0),
        is_equal: is_right,
    };
    AttemptRow {
        key: format!("{key:02}"),
        attempt: run,
        state: "done".into(),
        level: Some(level.into()),
        style: Some(style.into()),
        tags: vec![
            "all".into(),
            if key < 4 { "few".into() } else { "many".into() },
        ],
        status: Some("ok".into()),
        verdict: Some(if is_right { "right" } else { "wrong" }.into()),
        ex: Some(is_right),
        valid: Some(true),
        ea_share: Some(if is_right { 1.0 } else { 0.25 }),
        em_share: Some(if is_right { 1.0 } else { 0.75 }),
        em: Some(em),
        sql: Some(format!("SELECT {key}")),
        fingerprint: Some(key.to_string()),
        ..AttemptRow::default()
    }
}

/// Ten cases in two runs: the first `right` of each run are right.
fn evaluation(variant: &str, right: [usize; 2]) -> Named {
    let mut results = Vec::new();
    for (run, right) in (1..).zip(right) {
        for key in 0..10 {
            let level = if key % 2 == 0 { "easy" } else { "hard" };
            let style = if key < 5 { "plain" } else { "colloquial" };
            results.push(attempt(key, run, level, style, key < right));
        }
    }
    Named {
        variant: variant.to_owned(),
        data: EvaluationData {
            evaluation: EvaluationFacts {
                suite: "s".into(),
                configured: serde_json::json!({"settings": {"text2sql.model": "m"}}),
                ..EvaluationFacts::default()
            },
            results,
        },
    }
}

fn cell<'a>(cells: &'a [Cell], measure: &str) -> &'a Cell {
    cells.iter().find(|cell| cell.measure == measure).unwrap()
}

#[test]
fn means_with_the_best_and_the_worst_run() {
    let cells = table(&[evaluation("a", [8, 6])], &[], &Filter::default());
    let accuracy = cell(&cells, "accuracy");
    assert_eq!((accuracy.cases, accuracy.runs), (10, 2));
    assert_eq!(
        (accuracy.mean, accuracy.minimum, accuracy.maximum),
        (0.7, Some(0.6), Some(0.8))
    );
    // Wilson's interval of 7 of 10.
    let rounded = |value: Option<f64>| (value.unwrap() * 1e4).round() / 1e4;
    assert_eq!(
        (rounded(accuracy.low), rounded(accuracy.high)),
        (0.3968, 0.8922)
    );
    let elements = cell(&cells, "em_dates");
    assert_eq!((elements.mean, elements.maximum), (0.7, Some(0.8)));
    assert!((cell(&cells, "ea_share").mean - 0.775).abs() < 1e-12);
    // Both runs of each case gave the same statement.
    let reliability = cell(&cells, "reliability");
    assert_eq!((reliability.mean, reliability.maximum), (1.0, None));
    assert!(
        !cells.iter().any(|cell| cell.measure == "tokens"),
        "applies nowhere"
    );
}

#[test]
fn groups_and_filters() {
    let evaluations = [evaluation("a", [10, 10]), evaluation("b", [5, 5])];
    let by = [Dimension::Variant, Dimension::Level, Dimension::Style];
    let cells = table(&evaluations, &by, &Filter::default());
    let found: Vec<(String, f64, usize)> = cells
        .iter()
        .filter(|cell| cell.measure == "accuracy")
        .map(|cell| {
            let group = &cell.group;
            let names = [&group.variant, &group.level, &group.style];
            let names: Vec<&str> = names.iter().filter_map(|name| name.as_deref()).collect();
            (names.join(" "), cell.mean, cell.cases)
        })
        .collect();
    let expected = [
        ("a easy colloquial", 1.0, 2),
        ("a easy plain", 1.0, 3),
        ("a hard colloquial", 1.0, 3),
        ("a hard plain", 1.0, 2),
        ("b easy colloquial", 0.0, 2),
        ("b easy plain", 1.0, 3),
        ("b hard colloquial", 0.0, 3),
        ("b hard plain", 1.0, 2),
    ];
    let expected = expected.map(|(name, mean, cases)| (name.to_owned(), mean, cases));
    assert_eq!(found, expected);
    let filter = Filter {
        levels: vec!["easy".into()],
        tags: vec!["few".into(), "none".into()],
        ..Filter::default()
    };
    let cells = table(&evaluations, &[Dimension::Model], &filter);
    let accuracy = cell(&cells, "accuracy");
    // Cases 0 and 2 of two evaluations with two runs each.
    assert_eq!((accuracy.cases, accuracy.runs, accuracy.mean), (4, 4, 1.0));
    assert_eq!(accuracy.group.model.as_deref(), Some("m"));
    let cells = table(&evaluations[..1], &[Dimension::Tag], &Filter::default());
    let tags: Vec<&str> = cells
        .iter()
        .filter(|cell| cell.measure == "ex")
        .filter_map(|cell| cell.group.tag.as_deref())
        .collect();
    assert_eq!(tags, ["all", "few", "many"]);
    assert_eq!(
        Dimension::named("colour"),
        Err("level, style, tag, kind, model, variant, suite".to_owned())
    );
}

#[test]
fn elements_that_are_wrong() {
    let found = element_errors(&[evaluation("a", [6, 6])], &Filter::default());
    let of = |element: &str| found.iter().find(|row| row.element == element).unwrap();
    let dates = of("dates");
    assert_eq!((dates.statements, dates.wrong), (20, 8));
    assert_eq!(dates.share_of_statements, 0.4);
    assert_eq!(dates.share_of_wrong_statements, Some(1.0));
    assert_eq!(of("tables").wrong, 0);
    assert_eq!(of("columns").share_of_wrong_results, Some(1.0));
    assert_eq!(found.len(), 6);
}

/// Eight right against two of ten: six cases differ, all in one direction. McNemar's mid-p of 0 against 6 is 1/64;
/// Wilcoxon's p of six equal differences in one direction is 2/64.
#[test]
fn significance_of_known_differences() {
    let baseline = evaluation("as it is", [8, 8]);
    let variants = [evaluation("worse", [2, 2]), evaluation("same", [8, 8])];
    let found = compare(&baseline, &variants, &Filter::default(), None);
    let of = |variant: &str, measure: &str| {
        found
            .iter()
            .find(|row| row.variant == variant && row.measure == measure)
            .unwrap()
    };
    let accuracy = of("worse", "accuracy");
    assert_eq!((accuracy.test, accuracy.cases), ("McNemar", 10));
    assert_eq!((accuracy.more, accuracy.less), (0, 6));
    assert!((accuracy.difference + 0.6).abs() < 1e-12);
    assert!((accuracy.p - 1.0 / 64.0).abs() < 1e-12, "{}", accuracy.p);
    // Holm: the smaller of two is doubled.
    assert!((accuracy.p_holm - 2.0 / 64.0).abs() < 1e-12);
    let share = of("worse", "ea_share");
    assert_eq!(share.test, "Wilcoxon");
    assert!((share.p - 2.0 / 64.0).abs() < 1e-12);
    assert!(share.low.unwrap() < -0.45 && share.high.unwrap() > -0.45);
    let same = of("same", "accuracy");
    assert_eq!((same.difference, same.p, same.p_holm), (0.0, 1.0, 1.0));
}

/// Five questions in each of two styles with the same gold: the first style is right in all, the other in none.
#[test]
fn phrasings_are_paired_by_their_gold() {
    let mut named = evaluation("a", [5, 5]);
    for row in &mut named.data.results {
        let key: usize = row.key.parse().unwrap();
        row.gold = vec![format!("SELECT {}", key % 5)];
    }
    // A second wording of the first question, which is wrong: half of it is right.
    let mut again = attempt(90, 1, "easy", "plain", false);
    again.gold = vec!["SELECT 0".into()];
    named.data.results.push(again);
    // Without gold, and asked after another question: no phrasings of anything.
    named
        .data
        .results
        .push(attempt(91, 1, "easy", "plain", true));
    let mut follow_up = attempt(92, 1, "easy", "colloquial", true);
    follow_up.gold = vec!["SELECT 0".into()];
    follow_up.previous = vec!["Before".into()];
    named.data.results.push(follow_up);
    let phrasings = Phrasings {
        baseline: "plain".into(),
        candidate: "colloquial".into(),
    };
    let same = [named.clone()];
    let found = compare(&named, &same, &Filter::default(), Some(&phrasings));
    let accuracy = found.iter().find(|row| row.measure == "accuracy").unwrap();
    assert_eq!((accuracy.cases, accuracy.more, accuracy.less), (5, 0, 5));
    let of_first = 2.0 / 3.0;
    assert!((accuracy.baseline - (4.0 + of_first) / 5.0).abs() < 1e-12);
    assert_eq!(accuracy.candidate, 0.0);
    let hard = Filter {
        levels: vec!["hard".into()],
        ..Filter::default()
    };
    let found = compare(&named, &same, &hard, Some(&phrasings));
    // Of levels that differ between the two nothing is left: keys 1, 3 and 5, 7, 9.
    assert_eq!(found.first().map(|row| row.cases), None);
}

#[test]
fn a_case_whose_gold_does_not_run_is_none() {
    let mut named = evaluation("a", [10, 10]);
    if let Some(row) = named.data.results.first_mut() {
        row.state = "broken".into();
    }
    let cells = table(&[named], &[], &Filter::default());
    assert_eq!(cell(&cells, "accuracy").cases, 9);
}
