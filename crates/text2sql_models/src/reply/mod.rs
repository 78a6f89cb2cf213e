//! Reads the reply of a model: the JSON object that was requested or, tolerantly, SQL in prose and code
//! fences. Nothing here is trusted: the guard checks every statement.

mod near_json;
mod reasoning;
mod statements;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::near_json::last_object;
use self::reasoning::without_reasoning;
use text2sql_domain::proposal::{Proposal, SqlProposal};

/// Maximum number of notes in a reply, and of characters of each.
const MAX_NOTES: usize = 8;
const MAX_NOTE_CHARS: usize = 300;

/// Maximum number of lines of a plan, and of characters of all of them.
const MAX_PLAN_LINES: usize = 30;
const MAX_PLAN_CHARS: usize = 2_000;

/// The status of a reply that asks for tables.
const SHOW_TABLES: &str = "show_tables";

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
        put_first(&mut schema, "plan", json!({"type": "string"}));
    }
    schema
}

/// Adds a required member before all others: an endpoint writes the members in their order, and what a model thinks helps
/// only what it writes afterwards.
fn put_first(schema: &mut Value, name: &str, member: Value) {
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.insert(0, name.into());
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let others = std::mem::take(properties);
        properties.insert(name.to_owned(), member);
        properties.extend(others);
    }
}

/// Adds the status of a reply that asks for tables to the JSON Schema.
pub fn add_tables_status(schema: &mut Value) {
    let status = schema.pointer_mut("/properties/status/enum");
    if let Some(status) = status.and_then(Value::as_array_mut) {
        status.push(SHOW_TABLES.into());
    }
}

/// What the schema lacks, as a reason; `None` for nothing in particular.
pub fn lacking(missing: &[String]) -> Option<String> {
    let missing: Vec<&str> = missing.iter().map(|text| without_claim(text)).collect();
    let all = missing.join(", ");
    (!missing.is_empty()).then(|| format!("the schema does not hold {all}"))
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

/// The members of a reply. All are optional, because models omit some, and of any type: what is not understood of one must
/// not lose the others.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReplyObject {
    status: Value,
    #[serde(alias = "query")]
    sql: Value,
    sentence: Value,
    assumptions: Value,
    clarification: Value,
    readings: Value,
    missing: Value,
    /// Nobody asked for it: some models say there what the schema lacks.
    #[serde(alias = "explanation", alias = "message")]
    reason: Value,
}

/// Reads a reply. `None` when there is neither SQL in it nor a status that explains its absence.
pub fn read(text: &str) -> Option<Proposal> {
    let text = &without_reasoning(text);
    if let Some(object) = last_object(text, &["sql", "query", "status"]) {
        return from_object(serde_json::from_value(object).ok()?);
    }
    let sql = statements::in_fence(text).or_else(|| statements::bare(text))?;
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
    parts: Value,
}

/// Adds the member for such questions to the JSON Schema of a reply.
pub fn add_parts(schema: &mut Value) {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    add_member(schema, "parts", texts);
}

fn from_object(object: ReplyObject) -> Option<Proposal> {
    let sql = object.sql.as_str().map(tidied);
    let sql = sql.filter(|sql| !sql.is_empty());
    match (object.status.as_str(), sql) {
        (Some("ambiguous"), _) if texts(&object.readings).len() >= 2 => Some(Proposal::Ambiguous {
            question: text_of(&object.clarification)
                .map(note)
                .unwrap_or_else(|| "which of these do you mean?".to_owned()),
            readings: texts(&object.readings).into_iter().take(4).collect(),
        }),
        (Some("unanswerable"), _) => {
            let mut missing = texts(&object.missing);
            if missing.is_empty() {
                missing = texts(&object.reason);
                missing.retain(|text| without_claim(text) != text);
            }
            let reason = lacking(&missing);
            Some(Proposal::Unanswerable {
                reason: reason.unwrap_or_else(|| {
                    "the schema does not hold what the question needs".to_owned()
                }),
                missing,
                nearest: Vec::new(),
            })
        }
        (Some(SHOW_TABLES), None) => {
            let missing = texts(&object.missing);
            Some(Proposal::Unanswerable {
                reason: format!(
                    "the model wrote no query; it asked for more of {}",
                    match missing.is_empty() {
                        true => "the tables".to_owned(),
                        false => missing.join(", "),
                    }
                ),
                missing,
                nearest: Vec::new(),
            })
        }
        (None | Some("ok" | SHOW_TABLES), Some(sql)) => Some(Proposal::Sql(SqlProposal {
            sql,
            sentence: text_of(&object.sentence).map(str::to_owned),
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
    statements::in_fence(sql).unwrap_or_else(|| statements::tidy(sql))
}

fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

/// The texts of a list, or a single one.
fn texts(values: &Value) -> Vec<String> {
    let values = match values {
        Value::Array(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    values
        .iter()
        .filter_map(text_of)
        .map(note)
        .take(MAX_NOTES)
        .collect()
}

/// What is missing, without the words that say so.
fn without_claim(text: &str) -> &str {
    const CLAIMS: [&str; 9] = [
        "the schema lacks ",
        "the schema does not have ",
        "the schema does not hold ",
        "the schema has no ",
        "there is no ",
        "there are no ",
        "missing ",
        "lacks ",
        "no ",
    ];
    let lower = text.to_ascii_lowercase();
    let claim = CLAIMS.iter().find(|claim| lower.starts_with(**claim));
    let rest = claim.and_then(|claim| text.get(claim.len()..));
    rest.map_or(text, |rest| rest.trim_end_matches('.'))
}

fn note(text: &str) -> String {
    text2sql_language::sentences::strip_markup(text)
        .chars()
        .take(MAX_NOTE_CHARS)
        .collect()
}

/// The last JSON object in a reply with one of these members, whether or not it is inside other text.
pub fn object_with(text: &str, keys: &[&str]) -> Option<Value> {
    last_object(&without_reasoning(text), keys)
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
            let first = if has_plan { "plan" } else { "status" };
            assert_eq!(properties.keys().next().map(String::as_str), Some(first));
            assert_eq!(schema["required"][0], first);
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

    /// Replies that mean `SELECT 1 AS one` or the query beside them, one a line.
    #[test]
    fn replies_are_read_as_they_are_meant() {
        const ONE: &str = "SELECT 1 AS one";
        const OK: &str = r#"{"status":"ok","sql":"SELECT 1 AS one"}"#;
        let in_object = |around: &str| around.replace("OBJECT", OK);
        #[rustfmt::skip]
        let cases: Vec<(String, &str)> = vec![
            // Drafts are not the answer.
            (in_object("<thinking>\nDraft: {\"status\":\"ok\",\"sql\":\"SELECT 7 AS n\"}\n</thinking>\nOBJECT"), ONE),
            (in_object("<reasoning>{\"sql\":\"SELECT 7 AS n\"}</reasoning> OBJECT"), ONE),
            (in_object("<THINK>\nSELECT 7 AS n;\n</THINK>\nOBJECT"), ONE),
            (in_object("<seed:think depth=\"2\">SELECT 7 AS n;</seed:think>OBJECT"), ONE),
            (in_object("<notes>\n{\"sql\":\"SELECT 7 AS n\"}\n</notes>\nOBJECT"), ONE),
            (in_object("<think>a <think>b</think> {\"sql\":\"SELECT 7\"}</think>OBJECT"), ONE),
            (in_object("maybe {\"sql\":\"SELECT 7 AS n\"}\n</think>\nOBJECT"), ONE),
            (in_object("First {\"sql\":\"SELECT 7 AS n\"}, but better: OBJECT"), ONE),
            (in_object("OBJECT\n<think>is that all?"), ONE),
            ("<reasoning>\nSELECT 7 AS n;\n</reasoning>\nSELECT 1 AS one".into(), ONE),
            ("I first tried\nSELECT 7 AS n\n\nbut the right one is\nSELECT 1 AS one".into(), ONE),
            ("With this in mind:\nSELECT 1 AS one;\nIt selects one.".into(), ONE),
            ("SELECT 1 AS one\n\nThanks".into(), ONE),
            // The whole statement.
            ("-- count\nSELECT n\n\nFROM boats\nWHERE a = 1".into(), "SELECT n\n\nFROM boats\nWHERE a = 1"),
            ("SELECT n -- first;\nFROM boats".into(), "SELECT n -- first;\nFROM boats"),
            ("SELECT ';\n\nx' AS n;\n\nDone.".into(), "SELECT ';\n\nx' AS n"),
            ("WITH a AS (\n\nSELECT 1 AS b)\n\nSELECT b FROM a\n\nIt works.".into(), "WITH a AS (\n\nSELECT 1 AS b)\n\nSELECT b FROM a"),
            ("SELECT 1; DROP TABLE boats".into(), "SELECT 1; DROP TABLE boats"),
            ("SELECT 1 AS one; -- it\nDone.".into(), ONE),
            // Tags and fences in constants are text.
            ("SELECT '</think>' AS n".into(), "SELECT '</think>' AS n"),
            (r#"{"sql":"SELECT '</think>' AS n"}"#.into(), "SELECT '</think>' AS n"),
            (r#"{"sql":"SELECT '<think>' AS n"}"#.into(), "SELECT '<think>' AS n"),
            ("```sql\nSELECT '```' AS n\n```".into(), "SELECT '```' AS n"),
            ("```sql\nSELECT a\nFROM b WHERE c = '\n```x'\n```".into(), "SELECT a\nFROM b WHERE c = '\n```x'"),
            // Other fences.
            ("~~~sql\nSELECT 1 AS one\n~~~".into(), ONE),
            ("````\nSELECT 1 AS one\n````".into(), ONE),
            ("```sql SELECT 1 AS one```".into(), ONE),
            ("```SQL\n-- it\nSELECT 1 AS one;\n```".into(), "-- it\nSELECT 1 AS one"),
            ("<sql>SELECT 1 AS one</sql>".into(), ONE),
            ("<answer>\n```sql\nSELECT 1 AS one\n```\n</answer>".into(), ONE),
            ("```sql\nSELECT 1 AS one".into(), ONE),
            // Nearly JSON.
            (r#"{"status":"ok","sql":"SELECT 1 AS one",}"#.into(), ONE),
            ("{'status': 'ok', 'sql': 'SELECT 1 AS one'}".into(), ONE),
            ("{\"status\":\"ok\",\"sql\":\"SELECT 1\n AS one\"}".into(), "SELECT 1\n AS one"),
            (r#"{"sql":"SELECT a FROM b WHERE c ~ '\d'"}"#.into(), r"SELECT a FROM b WHERE c ~ '\d'"),
            ("{“status”: “ok”, “sql”: “SELECT 1 AS one”}".into(), ONE),
            ("{status: \"ok\", sql: \"SELECT 1 AS one\"}".into(), ONE),
            ("{\"status\": \"ok\", // fine\n \"sql\": \"SELECT 1 AS one\" /* yes */}".into(), ONE),
            ("{\"sql\": \"SELECT 1 AS one\", \"missing\": None, \"assumptions\": ['all', 'open',],}".into(), ONE),
            (r#"{"sql":"SELECT "user" FROM boats","status":"ok"}"#.into(), r#"SELECT "user" FROM boats"#),
            ("{'sql': 'SELECT n FROM boats WHERE kind = 'sail'', 'status': 'ok'}".into(), "SELECT n FROM boats WHERE kind = 'sail'"),
            (r#"{"answer":{"status":"ok","sql":"SELECT 1 AS one"}}"#.into(), ONE),
        ];
        for (reply, expected) in cases {
            assert_eq!(sql(&reply).as_deref(), Some(expected), "{reply}");
        }
        // Nothing but a draft.
        for reply in [
            "<think>\nSELECT 7 AS n\nFROM boats",
            "<Reasoning>{\"sql\":\"SELECT 7\"}",
            "<thinking>SELECT 7 AS n;</thinking> I cannot say.",
        ] {
            assert_eq!(read(reply), None, "{reply}");
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
        let reply =
            r#"{"status":"unanswerable","missing":["The schema lacks the table `storms`."]}"#;
        let Some(Proposal::Unanswerable { reason, .. }) = read(reply) else {
            panic!()
        };
        assert_eq!(reason, "the schema does not hold the table `storms`");
        let reply = r#"{"status":"ambiguous","clarification":"Best by what?","readings":["by revenue","by count"]}"#;
        let Some(Proposal::Ambiguous { question, readings }) = read(reply) else {
            panic!()
        };
        assert_eq!((question.as_str(), readings.len()), ("Best by what?", 2));
    }

    #[test]
    fn a_member_of_another_type_loses_no_other_one() {
        let missing = |reply: &str| match read(reply) {
            Some(Proposal::Unanswerable { missing, .. }) => missing,
            other => panic!("{reply}: {other:?}"),
        };
        for (reply, expected) in [
            (
                r#"{"status":"unanswerable","missing":"the table storms"}"#,
                "the table storms",
            ),
            (
                r#"{"status":"unanswerable","sql":false,"missing":[null,"storms",3]}"#,
                "storms",
            ),
            (
                r#"{"status":"unanswerable","reason":"The schema lacks the column depth."}"#,
                "The schema lacks the column depth.",
            ),
            (
                r#"{"status":"unanswerable","missing":[],"explanation":"There is no table of storms"}"#,
                "There is no table of storms",
            ),
        ] {
            assert_eq!(missing(reply), [expected], "{reply}");
        }
        let excuse = r#"{"status":"unanswerable","reason":"I would rather not say"}"#;
        assert_eq!(missing(excuse), [""; 0]);
        let reply = r#"{"sql":"SELECT 1 AS one","sentence":{"en":"one"},"assumptions":"all rows"}"#;
        let Some(Proposal::Sql(proposal)) = read(reply) else {
            panic!()
        };
        assert_eq!(proposal.sentence, None);
        assert_eq!(proposal.notes, ["all rows"]);
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
