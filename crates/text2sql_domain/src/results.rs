//! The answers to several questions in one, for programs: one document, and one list of warnings.

use serde_json::{Value, json};

use crate::answer::{Answer, AnsweredPart};
use crate::json_rows::{columns_json, rows_json};

/// The results of an answer with several parts, as an array of objects; `None` for any other answer, whose only
/// result is the answer itself.
pub fn results_json(answer: &Answer) -> Option<String> {
    let parts: Vec<String> = answer.parts.iter().map(part_json).collect();
    (!parts.is_empty()).then(|| format!("[{}]", parts.join(",\n ")))
}

/// Written by hand, because the numbers of rows keep their digits only as text.
fn part_json(part: &AnsweredPart) -> String {
    let answer = &part.answer;
    let execution = answer.execution.as_ref();
    let text = |text: &Option<String>| Value::from(text.as_deref()).to_string();
    let members = [
        ("question", Value::from(part.question.as_str()).to_string()),
        ("status", Value::from(answer.status.as_str()).to_string()),
        ("answer", text(&answer.sentence)),
        ("sql", text(&answer.sql)),
        (
            "columns",
            execution.map_or("null".to_owned(), |ran| columns_json(&ran.columns)),
        ),
        (
            "rows",
            execution.map_or("null".to_owned(), |ran| rows_json(&ran.columns, &ran.rows)),
        ),
        (
            "truncated",
            Value::from(execution.map(|ran| ran.is_truncated)).to_string(),
        ),
        ("confidence", Value::from(answer.confidence).to_string()),
        (
            "score",
            Value::from(answer.score.as_ref().map(|score| score.document())).to_string(),
        ),
        ("plan", text(&answer.plan)),
        ("readings", json!(answer.readings).to_string()),
        ("warnings", json!(warnings(answer)).to_string()),
        ("withheld", json!(answer.withheld).to_string()),
        ("verified_by", text(&answer.verified_by)),
    ];
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("\"{name}\": {value}"))
        .collect();
    format!("{{{}}}", members.join(", "))
}

/// How the question was read, what to know about the answer, and what to do: of an answer with several parts,
/// that of each with its number.
pub fn all_warnings(answer: &Answer) -> Vec<String> {
    let mut all = warnings(answer);
    for (number, part) in (1..).zip(&answer.parts) {
        let of_part = warnings(&part.answer).into_iter();
        all.extend(of_part.map(|warning| format!("part {number}: {warning}")));
    }
    all
}

fn warnings(answer: &Answer) -> Vec<String> {
    let all = answer.links.iter().chain(&answer.warnings);
    all.chain(&answer.hint).cloned().collect()
}
