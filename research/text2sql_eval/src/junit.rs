//! An evaluation as JUnit XML, which CI systems show: a test case for each attempt; what was declined is skipped,
//! because declining is not answering wrongly.

use std::fmt::Write;

use text2sql_metrics::evaluation_data::EvaluationData;

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML 1.0 has no place for these.
            c if c.is_control() && !matches!(c, '\n' | '\t') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Writes the evaluation.
pub(crate) fn junit(data: &EvaluationData) -> String {
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped, mut seconds) = (0, 0, 0, 0.0);
    for row in data.results.iter().filter(|row| row.state != "waiting") {
        tests += 1;
        let time = row.milliseconds.unwrap_or_default() / 1000.0;
        seconds += time;
        let class = row.database.as_deref().unwrap_or(&data.evaluation.suite);
        let _ = write!(
            cases,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{time:.3}\"",
            escape(class),
            escape(&row.question)
        );
        let reasons = row.reasons.clone().unwrap_or_default().join("; ");
        match (row.state.as_str(), row.verdict.as_deref()) {
            ("broken", _) => {
                skipped += 1;
                let _ = writeln!(
                    cases,
                    "><skipped message=\"the gold does not run: {}\"/></testcase>",
                    escape(row.message.as_deref().unwrap_or_default())
                );
            }
            (_, Some("right")) => cases.push_str("/>\n"),
            (_, Some("declined")) => {
                skipped += 1;
                let _ = writeln!(
                    cases,
                    "><skipped message=\"{}\"/></testcase>",
                    escape(&reasons)
                );
            }
            _ => {
                failures += 1;
                let _ = writeln!(
                    cases,
                    "><failure message=\"{}\">gold: {}\ncandidate: {}</failure></testcase>",
                    escape(&reasons),
                    escape(&row.gold.join("\n  or: ")),
                    escape(row.sql.as_deref().unwrap_or("none"))
                );
            }
        }
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">\n{cases}  </testsuite>\n</testsuites>\n",
        escape(&data.evaluation.suite)
    )
}

#[cfg(test)]
mod tests {
    use text2sql_metrics::evaluation_data::AttemptRow;

    use super::*;

    #[test]
    fn a_wrong_answer_fails_and_a_refusal_is_skipped() {
        let row = |verdict: &str| AttemptRow {
            state: "done".into(),
            question: "Which a & b?".into(),
            gold: vec!["SELECT 1 < 2".into()],
            verdict: Some(verdict.into()),
            reasons: Some(vec!["missing rows".into()]),
            ..AttemptRow::default()
        };
        let data = EvaluationData {
            results: vec![row("right"), row("wrong"), row("declined")],
            ..EvaluationData::default()
        };
        let xml = junit(&data);
        assert!(
            xml.contains("tests=\"3\" failures=\"1\" skipped=\"1\""),
            "{xml}"
        );
        assert!(
            xml.contains("<failure message=\"missing rows\">gold: SELECT 1 &lt; 2"),
            "{xml}"
        );
        assert!(xml.contains("Which a &amp; b?"), "{xml}");
    }
}
