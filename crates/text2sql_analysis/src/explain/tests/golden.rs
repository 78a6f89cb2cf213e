//! Queries from simple to hard with what is said of them: steps, and what may be wrong.
//!
//! `golden.txt` holds them, read by a person. `UPDATE_EXPECT=1` writes it anew: read the difference.

use std::fmt::Write as _;

use crate::explain::explain;
use crate::findings::find;
use text2sql_domain::schema_fixture::shop;

const GOLDEN: &str = include_str!("golden.txt");

fn explained(sql: &str) -> String {
    let mut text = String::new();
    match explain(sql, &shop()) {
        Ok(steps) => {
            for step in steps {
                let _ = writeln!(text, "  {}: {}", step.clause, step.explanation);
            }
        }
        Err(error) => {
            let _ = writeln!(text, "  error: {error}");
        }
    }
    for finding in find(sql, &shop()).ok().flatten().into_iter().flatten() {
        if !finding.is_question() {
            let _ = writeln!(
                text,
                "  ! {} {}: {}",
                finding.severity,
                finding.check.as_str(),
                finding.evidence
            );
        }
    }
    text
}

#[test]
fn says_of_each_query_what_a_person_read_and_agreed_to() {
    let queries: Vec<&str> = GOLDEN
        .lines()
        .filter_map(|line| line.strip_prefix("> "))
        .collect();
    assert!(queries.len() >= 120, "{} queries", queries.len());
    let now: String = queries
        .iter()
        .map(|sql| format!("> {sql}\n{}\n", explained(sql)))
        .collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/explain/tests/golden.txt");
        std::fs::write(file, now).unwrap();
        return;
    }
    for (expected, now) in GOLDEN.split("\n\n").zip(now.split("\n\n")) {
        assert_eq!(expected, now);
    }
    assert_eq!(GOLDEN, now);
}
