//! Positive and negative cases for every check.

use super::{Check, Finding, Severity, find};
use text2sql_domain::schema_fixture::shop;

mod asked;
mod carried;
mod filters;
mod joins;
mod measured;
mod numbers;
mod periods;
mod refutation;
mod storage;
mod subjects;
mod suspicions;

fn found(check: Check, sql: &str) -> Vec<Finding> {
    let findings = find(sql, &shop()).unwrap().expect(sql);
    findings
        .into_iter()
        .filter(|finding| finding.check == check && !finding.is_question())
        .collect()
}

/// Each query has a finding of this check with at least this severity.
fn has_finding(check: Check, least: Severity, queries: &[&str]) {
    assert!(queries.len() >= 5, "five cases at least");
    for sql in queries {
        let worst = found(check, sql)
            .iter()
            .map(|finding| finding.severity)
            .max();
        assert!(worst >= Some(least), "{check:?} says {worst:?} of {sql}");
    }
}

/// No query has a finding of this check with this severity or worse.
fn has_no_finding(check: Check, least: Severity, queries: &[&str]) {
    assert!(queries.len() >= 5, "five cases at least");
    for sql in queries {
        let findings = found(check, sql);
        assert!(
            findings.iter().all(|finding| finding.severity < least),
            "{sql}: {findings:#?}"
        );
    }
}
