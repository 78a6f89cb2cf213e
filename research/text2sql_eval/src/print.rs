//! What is written to the terminal.

use std::fmt::Write;

use text2sql_metrics::summary::{Difference, Share, Summary, cost_in_words};

/// Writes a line to standard error.
pub(crate) fn say(text: &str) {
    eprintln!("{text}");
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn line(text: &mut String, name: &str, share: &Share) {
    let _ = writeln!(
        text,
        "  {name:<34} {:>8}   {:>5.0} of {:<5}  95 %: {} to {}",
        percent(share.value()),
        share.right,
        share.cases,
        percent(share.low),
        percent(share.high)
    );
}

/// The figures of an evaluation.
pub(crate) fn table(summary: &Summary) -> String {
    let mut text = String::new();
    line(&mut text, "right, of all cases", &summary.accuracy);
    line(&mut text, "right, of the answers given", &summary.precision);
    if let Some(answered) = summary.answered {
        let _ = writeln!(text, "  {:<34} {:>8}", "answered", percent(answered));
    }
    for (count, what) in [
        (summary.broken, "gold that no longer runs, not counted"),
        (summary.waiting, "attempts that wait"),
    ] {
        if count > 0 {
            let _ = writeln!(text, "  {what:<34} {count:>8}");
        }
    }
    text.push('\n');
    let more = [
        ("refusal precision", summary.refusals.precision),
        ("refusal recall", summary.refusals.recall),
        ("SQL agreement", summary.reliability.sql_agreement),
        ("result agreement", summary.reliability.result_agreement),
        ("mean cosine of repeats", summary.reliability.mean_cosine),
        (
            "calibration error",
            summary
                .calibration
                .as_ref()
                .map(|found| found.expected_error),
        ),
    ];
    let figures: Vec<(&str, f64)> = summary
        .means
        .iter()
        .copied()
        .chain(more)
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    for pair in figures.chunks(2) {
        for (name, value) in pair {
            let _ = write!(text, "  {name:<24} {value:>6.3}   ");
        }
        text = text.trim_end().to_owned();
        text.push('\n');
    }
    let mut last = "";
    for (kind, value, share) in &summary.groups {
        if *kind != last {
            let _ = writeln!(text, "\nby {kind}");
            last = kind;
        }
        line(&mut text, value, share);
    }
    if !summary.reasons.is_empty() {
        text.push_str("\nwhy not\n");
        for (reason, count) in summary.reasons.iter().take(12) {
            let _ = writeln!(text, "  {reason:<34} {count:>8}");
        }
    }
    if let Some(milliseconds) = summary.milliseconds {
        let _ = writeln!(
            text,
            "\ntime {milliseconds:.1} ms a question, {} model calls, {} tokens in, {} out{}",
            summary.model_calls,
            summary.tokens.0,
            summary.tokens.1,
            cost_in_words(summary.cost.as_ref())
        );
    }
    text
}

/// What changed since an earlier evaluation.
pub(crate) fn difference(found: &Difference) -> String {
    let mut text = format!(
        "since the earlier evaluation, over {} cases: {} before, {} now ({:+.1} points), mid-p {:.3}\n",
        found.cases,
        percent(found.before),
        percent(found.after),
        (found.after - found.before) * 100.0,
        found.p_mid
    );
    for (sign, cases) in [("+", &found.won), ("-", &found.lost)] {
        for (database, _, question) in cases.iter().take(20) {
            let _ = writeln!(
                text,
                "  {sign} {}{question}",
                if database.is_empty() {
                    String::new()
                } else {
                    format!("{database}: ")
                }
            );
        }
        if cases.len() > 20 {
            let _ = writeln!(text, "  {sign} and {} more", cases.len() - 20);
        }
    }
    text
}
