//! The file format of evaluation cases: one JSON object per line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use text2sql_domain::words;

use super::passages::{GoldText, KINDS};
use super::result_table::Comparison;
use text2sql_domain::error::{Error, failure};

/// One case of a suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Case {
    /// Identifies the case in its source.
    pub key: Option<String>,
    /// The database of the case, if a file has cases for several.
    pub database: Option<String>,
    /// The question.
    pub question: String,
    /// Accepted statements.
    pub gold: Vec<String>,
    /// Whether the order of rows counts; `None` derives it from the gold.
    pub ordered: Option<bool>,
    /// The expected status.
    pub expected_status: String,
    /// Knowledge beyond the schema that the question requires.
    pub evidence: Option<String>,
    /// Its difficulty.
    pub level: Option<String>,
    /// Its wording style.
    pub style: Option<String>,
    /// Further tags to group by.
    pub tags: Vec<String>,
    /// Earlier questions of the conversation, in order.
    pub previous: Vec<String>,
    /// How results are compared, if not by default.
    pub comparison: Option<Comparison>,
    /// Which kind of question it is, if it says so.
    pub kind: Option<String>,
    /// The texts that answer it.
    pub gold_texts: Vec<GoldText>,
}

/// A well-formed line: `{"question": …, "gold": …}` or `{"NL": …, "SQL": …}`.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "id", default)]
    key: Option<Value>,
    #[serde(alias = "db", alias = "db_id", default)]
    database: Option<String>,
    #[serde(alias = "NL", alias = "nl")]
    question: String,
    #[serde(
        alias = "gold_sql",
        alias = "SQL",
        alias = "sql",
        alias = "query",
        default
    )]
    gold: Option<OneOrMore>,
    #[serde(default)]
    ordered: Option<bool>,
    #[serde(alias = "expected_status", default)]
    status: Option<String>,
    #[serde(default)]
    evidence: Option<String>,
    #[serde(alias = "difficulty", alias = "hardness", default)]
    level: Option<String>,
    #[serde(default)]
    style: Option<String>,
    #[serde(default)]
    tags: Option<OneOrMore>,
    #[serde(alias = "turns", default)]
    previous: Option<OneOrMore>,
    #[serde(default)]
    comparison: Option<Comparison>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    gold_texts: Option<Vec<GoldText>>,
    #[serde(flatten)]
    _rest: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text or a list of texts, without null"
)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn list(given: Option<Self>) -> Vec<String> {
        match given {
            None => Vec::new(),
            Some(Self::One(text)) => vec![text],
            Some(Self::More(texts)) => texts,
        }
    }
}

/// The statuses that a case may expect.
pub const STATUSES: [&str; 5] = *words!("ok, ambiguous, unanswerable, not_permitted, blocked");

/// Reads cases; the error names the line.
pub fn read_cases(jsonl: &str) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (index, line) in jsonl.lines().enumerate() {
        if !line.trim().is_empty() {
            cases.push(read_case(line).map_err(|reason| {
                failure!(Setting, "line {} is not a case: {reason}", index + 1)
                    .with_hint(r#"a line is {"question": "How many orders are there?", "gold": "SELECT count(*) FROM orders"}; where no answer is right, {"question": "…", "status": "unanswerable"}"#)
            })?);
        }
    }
    Ok(cases)
}

fn read_case(line: &str) -> Result<Case, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| {
        // The parser always reports line 1; the caller adds the real line number.
        error.to_string().replace(" at line 1", "")
    })?;
    let gold: Vec<String> = OneOrMore::list(line.gold)
        .iter()
        .map(|sql| sql.trim().to_owned())
        .filter(|sql| !sql.is_empty())
        .collect();
    let expected_status = line.status.unwrap_or_else(|| "ok".to_owned());
    if line.question.trim().is_empty() {
        return Err("question must not be empty".to_owned());
    }
    if !STATUSES.contains(&expected_status.as_str()) {
        return Err(format!(
            "\"{expected_status}\" is not a status: {}",
            STATUSES.join(", ")
        ));
    }
    let gold_texts = line.gold_texts.unwrap_or_default();
    let has_gold = !gold.is_empty() || !gold_texts.is_empty();
    if has_gold != (expected_status == "ok") {
        return Err(match has_gold {
            false => "there is no gold statement, and no status that says why".to_owned(),
            true => format!("a case whose status is {expected_status} has no gold statement"),
        });
    }
    if let Some(problem) = gold_texts.iter().find_map(GoldText::problem) {
        return Err(problem.to_owned());
    }
    let kind = line.kind.or_else(|| kind_of(&gold, &gold_texts));
    if let Some(kind) = kind.as_ref().filter(|kind| !KINDS.contains(&kind.as_str())) {
        return Err(format!("\"{kind}\" is not a kind: {}", KINDS.join(", ")));
    }
    Ok(Case {
        key: line.key.map(|key| match key {
            Value::String(text) => text,
            other => other.to_string(),
        }),
        database: line.database,
        question: line.question.trim().to_owned(),
        gold,
        ordered: line.ordered,
        expected_status,
        evidence: line.evidence.filter(|text| !text.trim().is_empty()),
        level: line.level,
        style: line.style,
        tags: OneOrMore::list(line.tags),
        previous: OneOrMore::list(line.previous),
        comparison: line.comparison,
        kind,
        gold_texts,
    })
}

/// The kind of a question by its gold: with texts alone, or with both.
fn kind_of(gold: &[String], gold_texts: &[GoldText]) -> Option<String> {
    let kind = match (gold.is_empty(), gold_texts.is_empty()) {
        (_, true) => return None,
        (true, false) => "qualitative",
        (false, false) => "hybrid",
    };
    Some(kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_a_line_are_read() {
        let cases = read_cases(
            r#"{"NL": "How many?", "SQL": "SELECT count(*) FROM t"}

{"id": 7, "question": "Which?", "gold": ["SELECT a FROM t", "SELECT b FROM t"], "ordered": true, "level": "hard", "tags": ["dates"], "previous": ["How many?"], "rows": 3, "comparison": {"decimals": 1}}
{"question": "What is the weather?", "gold": null, "status": "unanswerable"}
{"question": "What does the handbook say?", "gold_texts": [{"document": "Returns", "quote": "30 days"}]}
{"question": "How many, and why?", "gold": "SELECT 1", "gold_texts": [{"table": "reviews", "key": 7}]}"#,
        )
        .unwrap();
        assert_eq!(cases.len(), 5);
        let kinds: Vec<Option<&str>> = cases.iter().map(|case| case.kind.as_deref()).collect();
        assert_eq!(
            kinds,
            [None, None, None, Some("qualitative"), Some("hybrid")]
        );
        assert_eq!(
            (cases[0].question.as_str(), cases[0].gold.len()),
            ("How many?", 1)
        );
        assert_eq!(
            (cases[1].key.as_deref(), cases[1].ordered),
            (Some("7"), Some(true))
        );
        assert_eq!(cases[1].comparison.as_ref().unwrap().decimals, Some(1));
        assert_eq!((cases[1].previous.len(), cases[1].tags.len()), (1, 1));
        assert_eq!(
            (cases[2].expected_status.as_str(), cases[2].gold.len()),
            ("unanswerable", 0)
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, message) in [
            (
                "{\"NL\": \"a\", \"SQL\": \"b\"}\n\n{\"NL\": }",
                "line 3 is not a case: expected value, column 8",
            ),
            (
                "{\"SQL\": \"SELECT 1\"}",
                "line 1 is not a case: missing field `question`, column 19",
            ),
            (
                "{\"question\": \"a\", \"gold\": \"SELECT 1\", \"tags\": [\"b\", null]}",
                "line 1 is not a case: expected a text or a list of texts, without null, column 58",
            ),
            (
                "{\"question\": \"a\"}",
                "line 1 is not a case: there is no gold statement, and no status that says why",
            ),
            (
                "{\"question\": \"a\", \"status\": \"maybe\"}",
                "line 1 is not a case: \"maybe\" is not a status: ok, ambiguous, unanswerable, not_permitted, blocked",
            ),
            (
                "{\"question\": \"a\", \"status\": \"ambiguous\", \"gold\": \"SELECT 1\"}",
                "line 1 is not a case: a case whose status is ambiguous has no gold statement",
            ),
            (
                "{\"question\": \"a\", \"gold_texts\": [{\"table\": \"t\"}]}",
                "line 1 is not a case: a gold text has either the title of a document or a table and the key of its row",
            ),
            (
                "{\"question\": \"a\", \"gold\": \"SELECT 1\", \"kind\": \"both\"}",
                "line 1 is not a case: \"both\" is not a kind: quantitative, qualitative, hybrid",
            ),
        ] {
            let error = read_cases(text).unwrap_err();
            assert_eq!(
                error
                    .message()
                    .replace(" column", ", column")
                    .replace(",,", ","),
                message
            );
        }
    }
}
