//! The failed cases: gold and candidate side by side.

use std::fmt::Write;

use super::html::{escape, sql};
use crate::evaluation_data::{AttemptRow, EvaluationData};

/// Maximum number of cases shown with their statements, to keep the page usable.
const MAX_CASES: usize = 400;

/// The failures of an evaluation, wrong answers first.
pub(super) fn failures(data: &EvaluationData) -> String {
    let order = |row: &AttemptRow| match (row.state.as_str(), row.verdict.as_deref()) {
        ("broken", _) => 4,
        (_, Some("wrong")) => 0,
        (_, Some("right")) => 1,
        (_, Some("failed")) => 2,
        _ => 3,
    };
    let mut rows: Vec<&AttemptRow> = data
        .results
        .iter()
        .filter(|row| row.attempt <= 1 || row.verdict.as_deref() == Some("wrong"))
        .filter(|row| {
            row.state == "broken"
                || (row.state == "done" && (!row.is_right() || row.robust == Some(false)))
        })
        .collect();
    rows.sort_by_key(|row| order(row));
    if rows.is_empty() {
        return String::new();
    }
    let mut html = format!(
        "<h2>What is not right</h2><p class=\"note\">{} attempts: wrong answers first, then answers that are right by luck, then failures and refusals. Open one to see the gold beside what was written.</p>",
        rows.len()
    );
    for row in rows.iter().take(MAX_CASES) {
        html.push_str(&failure(row));
    }
    if rows.len() > MAX_CASES {
        let _ = write!(
            html,
            "<p class=\"note\">and {} more: SELECT * FROM text2sql_eval.results WHERE is_failure</p>",
            rows.len() - MAX_CASES
        );
    }
    html
}

fn failure(row: &AttemptRow) -> String {
    let (class, label) = match (row.state.as_str(), row.verdict.as_deref()) {
        ("broken", _) => ("failed", "broken gold"),
        (_, Some("right")) => ("failed", "by luck"),
        (_, Some("wrong")) => ("wrong", "wrong"),
        (_, Some("failed")) => ("failed", "failed"),
        _ => ("declined", "declined"),
    };
    let why = match row.state.as_str() {
        "broken" => row.message.clone().unwrap_or_default(),
        _ if row.is_right() => "other rows on a perturbed copy".to_owned(),
        _ => row.reasons.clone().unwrap_or_default().join("; "),
    };
    let statement = |title: String, text: Option<&str>| match text {
        Some(text) => format!(
            "<div><h3>{}</h3><pre>{}</pre></div>",
            escape(&title),
            sql(text)
        ),
        None => format!("<div><h3>{}</h3><pre>none</pre></div>", escape(&title)),
    };
    let rows_of = |count: Option<i64>| match count {
        Some(1) => ", 1 row".to_owned(),
        Some(count) => format!(", {count} rows"),
        None => String::new(),
    };
    let gold = match row.gold.as_slice() {
        [] => None,
        gold => Some(gold.join("\n\n-- or\n\n")),
    };
    let mut question = escape(&row.question);
    if !row.previous.is_empty() {
        question = format!(
            "<span class=\"why\">{} →</span> {question}",
            escape(&row.previous.join(" → "))
        );
    }
    let gold_title = match row.expected_status.as_str() {
        "ok" => format!("gold{}", rows_of(row.gold_row_count)),
        status => format!("expected: {status}"),
    };
    let status = row.status.as_deref().unwrap_or("not asked");
    let mut html = format!(
        "<details class=\"case\"><summary><span class=\"tag {class}\">{label}</span><span class=\"question\">{question}</span><span class=\"why\">{}</span></summary><div class=\"sides\">{}{}</div>",
        escape(&why),
        statement(gold_title, gold.as_deref()),
        statement(
            format!("candidate: {status}{}", rows_of(row.row_count)),
            row.sql.as_deref()
        )
    );
    if let Some(message) = row.message.as_ref().filter(|_| row.state == "done") {
        let _ = write!(html, "<p class=\"message\">{}</p>", escape(message));
    }
    if let Some(opinion) = &row.opinion {
        let _ = write!(
            html,
            "<p class=\"message\">A model's opinion: {}</p>",
            escape(opinion)
        );
    }
    html.push_str("</details>");
    html
}
