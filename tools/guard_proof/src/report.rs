//! The figures in words.

use std::fmt::Write;

use crate::catalog::reviewed_signatures;
use crate::trial::Tally;

/// How many of the functions that a statement may name were reached, and how many there are.
pub fn reviewed_reached(tally: &Tally) -> (usize, usize) {
    let reviewed = reviewed_signatures(tally.major);
    let is_reviewed = |name: &&String| {
        let name = name.trim_start_matches("pg_catalog.").replace('"', "");
        reviewed.contains(&name)
    };
    let reached = tally.functions.iter().filter(is_reviewed).count();
    (reached, reviewed.len())
}

/// What to print of a tally.
pub fn text(title: &str, tally: &Tally) -> String {
    let mut text = format!(
        "{title}: {} statements, {} allowed and executed, {} of them to their end\n",
        tally.statements, tally.allowed, tally.completed
    );
    let (reached, reviewed) = reviewed_reached(tally);
    let _ = writeln!(
        text,
        "  distinct functions in statements that ran to their end: {}; {reached} of PostgreSQL's own, {:.0} % of the {reviewed} that may be named",
        tally.functions.len(),
        100.0 * reached as f64 / reviewed.max(1) as f64
    );
    let list = |counts: &std::collections::BTreeMap<String, usize>| {
        let words = counts.iter().map(|(name, count)| format!("{name} {count}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(text, "  refused: {}", list(&tally.refused));
    let _ = writeln!(text, "  ended with an error: {}", list(&tally.failed));
    let _ = writeln!(
        text,
        "  slowest: {} ms; {} things compared before and after; internal errors that PostgreSQL raises alike when typed: {}; findings: {}",
        tally.slowest_ms,
        tally.compared,
        tally.internal,
        tally.findings.len()
    );
    for finding in tally.findings.iter().take(40) {
        let _ = writeln!(text, "  FINDING {finding}");
    }
    text
}
