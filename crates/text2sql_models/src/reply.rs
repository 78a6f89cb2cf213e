//! Reads the reply of a model: the JSON object that was requested or, tolerantly, SQL in prose and code
//! fences. Nothing here is trusted: the guard checks every statement.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use text2sql_domain::proposal::{Proposal, SqlProposal};

/// Maximum number of notes in a reply, and of characters of each.
const MAX_NOTES: usize = 8;
const MAX_NOTE_CHARS: usize = 300;

/// Maximum number of lines of a plan, and of characters of all of them.
const MAX_PLAN_LINES: usize = 30;
const MAX_PLAN_CHARS: usize = 2_000;

/// The JSON Schema of a reply, for endpoints with structured output; with `has_plan`, the model
/// writes a plan first.
///
/// Every member is required and nullable, as the strict mode of OpenAI-compatible endpoints requires.
pub fn json_schema(has_plan: bool) -> Value {
    let text_or_null = json!({"type": ["string", "null"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let mut schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": [
            "status", "sql", "sentence", "assumptions", "clarification", "readings", "missing"
        ],
        "properties": {
            "status": {"type": "string", "enum": ["ok", "ambiguous", "unanswerable"]},
            "sql": text_or_null,
            "sentence": text_or_null,
            "assumptions": texts,
            "clarification": text_or_null,
            "readings": texts,
            "missing": texts
        }
    });
    if has_plan {
        add_member(&mut schema, "plan", json!({"type": "string"}));
    }
    schema
}

/// Adds a required member to the JSON Schema of an object.
pub fn add_member(schema: &mut Value, name: &str, member: Value) {
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.push(name.into());
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), member);
    }
}

#[derive(Serialize)]
struct WrittenReply<'a> {
    status: &'static str,
    sql: Option<&'a str>,
    sentence: Option<&'a str>,
    assumptions: [&'a str; 0],
    clarification: Option<&'a str>,
    readings: [&'a str; 0],
    missing: [&'a str; 0],
}

/// The reply with this query and nothing else, in the form that is asked for; without a query, the one that the question
/// cannot be answered.
pub fn write(sql: Option<&str>) -> Result<String, serde_json::Error> {
    let is_end = |c: char| c == ';' || c.is_whitespace();
    serde_json::to_string(&WrittenReply {
        status: match sql {
            Some(_) => "ok",
            None => "unanswerable",
        },
        sql: sql.map(|sql| sql.trim_end_matches(is_end)),
        sentence: None,
        assumptions: [],
        clarification: None,
        readings: [],
        missing: [],
    })
}

/// The members of a reply. All are optional, because models omit some.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReplyObject {
    status: Option<String>,
    #[serde(alias = "query")]
    sql: Option<String>,
    sentence: Option<String>,
    assumptions: Option<Vec<Value>>,
    clarification: Option<String>,
    readings: Option<Vec<Value>>,
    missing: Option<Vec<Value>>,
}

/// Reads a reply. `None` when there is neither SQL in it nor a status that explains its absence.
pub fn read(text: &str) -> Option<Proposal> {
    let text = without_thoughts(text);
    if let Some(object) = find_object(text) {
        return from_object(object);
    }
    let sql = sql_in_fence(text).or_else(|| bare_sql(text))?;
    Some(Proposal::Sql(SqlProposal {
        sql,
        ..SqlProposal::default()
    }))
}

/// The plan that the model wrote before the query, line by line; `None` if the reply has none. It is shown
/// to users and has no effect.
pub fn plan(text: &str) -> Option<String> {
    let object = object_with(text, &["plan"])?;
    let lines: Vec<&str> = match object.get("plan")? {
        Value::String(plan) => plan.lines().collect(),
        Value::Array(steps) => steps.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let lines: Vec<String> = lines
        .into_iter()
        .map(text2sql_language::sentences::strip_markup)
        .filter(|line| !line.is_empty())
        .take(MAX_PLAN_LINES)
        .collect();
    let plan: String = lines.join("\n").chars().take(MAX_PLAN_CHARS).collect();
    (!plan.is_empty()).then_some(plan)
}

/// The complete questions that a question consists of, if the model wrote them instead of a query: two or more,
/// without repetition.
pub fn parts(text: &str) -> Option<Vec<String>> {
    let object: PartsObject = serde_json::from_value(object_with(text, &["parts"])?).ok()?;
    let has_sql = object.sql.is_some_and(|sql| !sql.trim().is_empty());
    let is_ok = matches!(object.status.as_deref(), None | Some("ok"));
    let mut parts: Vec<String> = Vec::new();
    for part in texts(&object.parts) {
        let is_known = |known: &String| known.to_lowercase() == part.to_lowercase();
        if !part.is_empty() && !parts.iter().any(is_known) {
            parts.push(part);
        }
    }
    (is_ok && !has_sql && parts.len() > 1).then_some(parts)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PartsObject {
    status: Option<String>,
    #[serde(alias = "query")]
    sql: Option<String>,
    parts: Option<Vec<Value>>,
}

/// Adds the member for such questions to the JSON Schema of a reply.
pub fn add_parts(schema: &mut Value) {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    add_member(schema, "parts", texts);
}

fn from_object(object: ReplyObject) -> Option<Proposal> {
    let sql = object.sql.as_deref().map(tidied);
    let sql = sql.filter(|sql| !sql.is_empty());
    match (object.status.as_deref(), sql) {
        (Some("ambiguous"), _) if texts(&object.readings).len() >= 2 => Some(Proposal::Ambiguous {
            question: object
                .clarification
                .filter(|question| !question.trim().is_empty())
                .map(|question| note(&question))
                .unwrap_or_else(|| "which of these do you mean?".to_owned()),
            readings: texts(&object.readings).into_iter().take(4).collect(),
        }),
        (Some("unanswerable"), _) => {
            let missing = texts(&object.missing);
            let reason = if missing.is_empty() {
                "the schema does not hold what the question needs".to_owned()
            } else {
                format!("the schema does not hold {}", missing.join(", "))
            };
            Some(Proposal::Unanswerable {
                reason,
                missing,
                nearest: Vec::new(),
            })
        }
        (None | Some("ok"), Some(sql)) => Some(Proposal::Sql(SqlProposal {
            sql,
            sentence: object
                .sentence
                .filter(|sentence| !sentence.trim().is_empty()),
            notes: texts(&object.assumptions),
            missing: texts(&object.missing),
            ..SqlProposal::default()
        })),
        // "ambiguous" without readings, or an unknown status: the SQL would be a guess.
        _ => None,
    }
}

/// A statement in a reply, without code fence and trailing semicolons.
pub fn tidied(sql: &str) -> String {
    sql_in_fence(sql).unwrap_or_else(|| tidy_sql(sql))
}

fn texts(values: &Option<Vec<Value>>) -> Vec<String> {
    let values = values.as_deref().unwrap_or_default();
    let is_text = |value: &&Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    values
        .iter()
        .filter(is_text)
        .filter_map(Value::as_str)
        .map(note)
        .take(MAX_NOTES)
        .collect()
}

fn note(text: &str) -> String {
    text2sql_language::sentences::strip_markup(text)
        .chars()
        .take(MAX_NOTE_CHARS)
        .collect()
}

/// The text after the last closed block of reasoning, which some models write first.
fn without_thoughts(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, rest)| rest)
}

/// The first JSON object in the text with a known member.
fn find_object(text: &str) -> Option<ReplyObject> {
    let value = object_with(text, &["sql", "query", "status"])?;
    serde_json::from_value(value).ok()
}

/// The first JSON object in a reply with one of these members, whether or not it is inside other text.
pub fn object_with(text: &str, keys: &[&str]) -> Option<Value> {
    const MAX_STARTS: usize = 32;
    without_thoughts(text)
        .char_indices()
        .filter(|(_, c)| *c == '{')
        .take(MAX_STARTS)
        .find_map(|(start, _)| {
            let rest = without_thoughts(text).get(start..)?;
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let value = values.next()?.ok()?;
            keys.iter()
                .any(|key| value.get(key).is_some())
                .then_some(value)
        })
}

/// The last fenced block that begins like a query.
fn sql_in_fence(text: &str) -> Option<String> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks
        .map(|block| {
            let (tag, body) = block.split_once('\n').unwrap_or(("", block));
            if tag.trim().chars().all(char::is_alphanumeric) {
                body
            } else {
                block
            }
        })
        .filter(|block| starts_like_query(block))
        .map(tidy_sql)
        .filter(|sql| !sql.is_empty())
        .last()
}

/// A query in plain prose: from a line that begins like one to its semicolon or an empty line.
fn bare_sql(text: &str) -> Option<String> {
    let mut lines = text
        .lines()
        .skip_while(|line| !starts_like_query(line))
        .peekable();
    lines.peek()?;
    let mut sql = String::new();
    for line in lines {
        if line.trim().is_empty() {
            break;
        }
        sql.push_str(line);
        sql.push('\n');
        if line.trim_end().ends_with(';') {
            break;
        }
    }
    Some(tidy_sql(&sql)).filter(|sql| sql.split_whitespace().count() > 1)
}

fn starts_like_query(text: &str) -> bool {
    let start = text.trim_start().trim_start_matches('(').trim_start();
    let word: String = start
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    let followed_by_space = start
        .get(word.len()..)
        .and_then(|rest| rest.chars().next())
        .is_none_or(|c| !c.is_alphanumeric());
    followed_by_space
        && ["select", "with", "values", "table"].contains(&word.to_ascii_lowercase().as_str())
}

/// Strips outer white space and trailing semicolons.
fn tidy_sql(sql: &str) -> String {
    sql.trim()
        .trim_end_matches(|c: char| c == ';' || c.is_whitespace())
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(text: &str) -> Option<String> {
        match read(text) {
            Some(Proposal::Sql(proposal)) => Some(proposal.sql),
            _ => None,
        }
    }

    #[test]
    fn what_is_written_is_what_is_asked_for_and_read() {
        for given in [Some("SELECT 1;\n"), None] {
            let reply = write(given).unwrap();
            let object: serde_json::Map<String, Value> = serde_json::from_str(&reply).unwrap();
            let schema = json_schema(false);
            for name in schema["required"].as_array().unwrap() {
                assert!(object.contains_key(name.as_str().unwrap()), "{name}");
            }
            assert_eq!(
                object.len(),
                schema["properties"].as_object().unwrap().len()
            );
        }
        assert_eq!(
            sql(&write(Some("SELECT 1;\n")).unwrap()).as_deref(),
            Some("SELECT 1")
        );
        let none = read(&write(None).unwrap());
        assert!(
            matches!(none, Some(Proposal::Unanswerable { .. })),
            "{none:?}"
        );
    }

    #[test]
    fn reads_the_object_it_asked_for() {
        let reply = r#"{"plan":"count","status":"ok","sql":"SELECT count(*) AS n FROM t;",
            "sentence":"There are {rows[0].n}.","assumptions":["all rows"],"readings":[],"missing":[]}"#;
        let Some(Proposal::Sql(proposal)) = read(reply) else {
            panic!("no SQL")
        };
        assert_eq!(proposal.sql, "SELECT count(*) AS n FROM t");
        assert_eq!(proposal.sentence.as_deref(), Some("There are {rows[0].n}."));
        assert_eq!(proposal.notes, ["all rows"]);
    }

    #[test]
    fn keeps_the_plan_within_bounds() {
        for (reply, expected) in [
            (
                r#"{"plan":"count\n them ","sql":"SELECT 1"}"#,
                Some("count\nthem"),
            ),
            (
                r#"{"plan":["find it","count it"],"status":"unanswerable"}"#,
                Some("find it\ncount it"),
            ),
            (r#"{"plan":"","sql":"SELECT 1"}"#, None),
            (r#"{"plan":7,"sql":"SELECT 1"}"#, None),
            (r#"{"sql":"SELECT 1"}"#, None),
            ("SELECT 1", None),
        ] {
            assert_eq!(plan(reply).as_deref(), expected, "{reply}");
        }
        let long = "word ".repeat(20_000);
        let lines = vec![long.as_str(); 50];
        let kept = plan(&json!({"plan": lines}).to_string()).expect("a plan");
        assert!(kept.chars().count() <= MAX_PLAN_CHARS);
    }

    #[test]
    fn reads_the_questions_of_a_question() {
        let some = |parts: &[&str]| Some(parts.iter().map(|part| (*part).to_owned()).collect());
        for (reply, expected) in [
            (
                r#"{"status":"ok","sql":null,"parts":["How many orders?","Which store <b>leads</b>?"]}"#,
                some(&["How many orders?", "Which store leads?"]),
            ),
            (r#"{"parts":["a","A ","b",7,""]}"#, some(&["a", "b"])),
            (r#"{"parts":["a","a"]}"#, None),
            (r#"{"parts":["a"]}"#, None),
            (r#"{"parts":"a, b"}"#, None),
            (r#"{"parts":[]}"#, None),
            (r#"{"sql":"SELECT 1","parts":["a","b"]}"#, None),
            (r#"{"status":"unanswerable","parts":["a","b"]}"#, None),
            (r#"{"sql":"SELECT 1"}"#, None),
            ("no JSON", None),
        ] {
            assert_eq!(parts(reply), expected, "{reply}");
        }
    }

    #[test]
    fn asks_for_a_plan_only_where_one_is_wanted() {
        for has_plan in [true, false] {
            let schema = json_schema(has_plan);
            let properties = schema["properties"].as_object().expect("properties");
            assert_eq!(properties.contains_key("plan"), has_plan);
            assert_eq!(
                schema["required"].as_array().map(Vec::len),
                Some(properties.len())
            );
        }
    }

    #[test]
    fn finds_sql_wherever_models_put_it() {
        let expect = Some("SELECT 1 AS one".to_owned());
        for reply in [
            "Here is it:\n```sql\nSELECT 1 AS one;\n```\nHope it helps!",
            "```\nSELECT 1 AS one\n```",
            "```json\n{\"sql\": \"SELECT 1 AS one\"}\n```",
            "Sure. {\"query\": \"SELECT 1 AS one;\"} Done.",
            "{\"status\":\"ok\",\"sql\":\"```sql\\nSELECT 1 AS one\\n```\"}",
            "The query is:\n\nSELECT 1 AS one;\n\nIt selects one.",
            "<think>maybe SELECT 2\nSELECT 2;\n</think>\nSELECT 1 AS one",
            "First try:\n```sql\nSELECT 0\n```\nBetter:\n```sql\nSELECT 1 AS one\n```",
        ] {
            assert_eq!(sql(reply), expect, "{reply}");
        }
    }

    #[test]
    fn gives_nothing_where_there_is_no_query() {
        for reply in [
            "",
            "I cannot help with that.",
            "Selecting is fun.",
            "{\"a\": 1}",
            "```\nrm -rf\n```",
            "{\"status\": \"ok\", \"sql\": null}",
            "{{{{{",
            "with",
        ] {
            assert_eq!(read(reply), None, "{reply}");
        }
    }

    #[test]
    fn keeps_the_honest_statuses() {
        let reply = r#"{"status":"unanswerable","sql":"","missing":["weather data"]}"#;
        let Some(Proposal::Unanswerable {
            reason, missing, ..
        }) = read(reply)
        else {
            panic!()
        };
        assert_eq!(reason, "the schema does not hold weather data");
        assert_eq!(missing, ["weather data"]);
        let reply = r#"{"status":"ambiguous","clarification":"Best by what?","readings":["by revenue","by count"]}"#;
        let Some(Proposal::Ambiguous { question, readings }) = read(reply) else {
            panic!()
        };
        assert_eq!((question.as_str(), readings.len()), ("Best by what?", 2));
    }

    #[test]
    fn a_guess_beside_another_status_is_no_answer() {
        for status in ["ambiguous", "unknown"] {
            let reply = format!(r#"{{"status":"{status}","sql":"SELECT 1","readings":["one"]}}"#);
            assert_eq!(read(&reply), None, "{status}");
        }
    }

    #[test]
    fn null_stands_for_an_empty_list() {
        let reply = r#"{"status":"ok","sql":"SELECT 1 AS one","assumptions":null,"readings":null}"#;
        assert_eq!(sql(reply).as_deref(), Some("SELECT 1 AS one"));
    }

    #[test]
    fn never_panics_on_pieces_of_a_reply() {
        let reply = "Ünï {\"sql\": \"SELECT 'é' \\u00e9\"} ```sql\nWITH a AS (SELECT 1) SELECT * FROM a;\n``` é";
        for (start, _) in reply.char_indices() {
            for (end, _) in reply.char_indices().filter(|(end, _)| *end >= start) {
                let _ = read(&reply[start..end]);
            }
        }
    }
}
