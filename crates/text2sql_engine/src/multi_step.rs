//! A model's plan of dependent steps, and how the statement of a step is composed.
//!
//! Earlier results are joined in the server: the query of each earlier step becomes a common table
//! expression of the later statement, so no row has to leave the server.

use serde::Deserialize;
use serde_json::{Value, json};
use text2sql_domain::words;

use text2sql_language::understanding::Understanding;
use text2sql_models::reply::{add_member, json_schema, object_with, tidied};

/// Maximum length of the description of a step, in characters.
const MAX_QUESTION_CHARS: usize = 300;

/// Words for what comes after something else, or points back to it, in the languages of
/// [`text2sql_language::plain_words`]. A question that asks for something about the result of another query uses one.
const BACK: &[&str] = words!(
    "then, afterwards, that, those, these, them, same, dann, danach, anschliessend, diese, \
     diesem, diesen, dieser, dieses, denen, puis, ensuite, cette, ces, celui, ceux, luego, \
     despues, ese, esa, esos, esas, poi, quindi, quel, quella, quelli, depois, entao, esse, essa, \
     esses, daarna, vervolgens, deze, dit, die"
);

/// A question with fewer words is about one thing; one with more may be about several without such a word.
const FEWEST_WORDS: usize = 10;
const MANY_WORDS: usize = 25;

/// Whether a question may need more than one statement: it has several sentences, points back to what it asked
/// for, or is long. One statement answers most of these, too.
pub fn may_be_needed(understanding: &Understanding) -> bool {
    let words = understanding.parts();
    let points_back = words.iter().any(|word| BACK.contains(&word.as_str()));
    has_sentences(understanding.text())
        || words.len() >= MANY_WORDS
        || (points_back && words.len() >= FEWEST_WORDS)
}

/// Words of the shortest sentence that says something by itself: "Which ones?" and "Many thanks" do not.
const FEWEST_OF_SENTENCE: usize = 3;

/// Whether a text has several sentences that each say something. The period of "vs." and "i.e." ends none: a small letter
/// follows.
fn has_sentences(text: &str) -> bool {
    let mut count = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let ends = |at: usize, c: char| {
            let after = rest.get(at + c.len_utf8()..).unwrap_or_default();
            matches!(c, '?' | '!' | ';' | '\n')
                || (c == '.'
                    && after.starts_with(char::is_whitespace)
                    && !after.trim_start().starts_with(char::is_lowercase))
        };
        let mut places = rest.char_indices();
        let end = places.find(|(at, c)| ends(*at, *c));
        let end = end.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at(end);
        let words = sentence.split_whitespace();
        let words = words.filter(|word| word.contains(char::is_alphanumeric));
        count += usize::from(words.count() >= FEWEST_OF_SENTENCE);
        rest = after;
    }
    count > 1
}

/// A plan as written by the model, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanProposal {
    /// The steps, in order.
    pub steps: Vec<PlannedStep>,
    /// A sentence with placeholders for the rows of the last step.
    pub sentence: Option<String>,
    /// Assumptions for the user.
    pub notes: Vec<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedStep {
    /// The question that it answers.
    pub question: String,
    /// Its query; `None` if it is written after the earlier results are known.
    pub sql: Option<String>,
}

#[derive(Deserialize)]
struct PlanObject {
    status: Option<String>,
    #[serde(alias = "query")]
    sql: Option<String>,
    #[serde(default)]
    steps: Option<Vec<StepObject>>,
    sentence: Option<String>,
    #[serde(default)]
    assumptions: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct StepObject {
    question: Option<String>,
    #[serde(alias = "query")]
    sql: Option<String>,
}

/// The JSON Schema of a reply that may be a plan of steps.
pub fn json_schema_with_steps(has_plan: bool) -> Value {
    let mut schema = json_schema(has_plan);
    let step = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["question", "sql"],
        "properties": {"question": {"type": "string"}, "sql": {"type": ["string", "null"]}}
    });
    add_member(
        &mut schema,
        "steps",
        json!({"type": "array", "items": step}),
    );
    schema
}

/// Reads a plan of several steps; `None` if the reply is not a plan, or has only one step.
pub fn read(text: &str) -> Option<PlanProposal> {
    let object: PlanObject = serde_json::from_value(object_with(text, &["steps"])?).ok()?;
    let has_sql = object.sql.is_some_and(|sql| !sql.trim().is_empty());
    let is_ok = matches!(object.status.as_deref(), None | Some("ok"));
    let steps: Vec<PlannedStep> = object
        .steps
        .unwrap_or_default()
        .into_iter()
        .map(|step| PlannedStep {
            question: shortened(step.question.as_deref().unwrap_or_default()),
            sql: step
                .sql
                .as_deref()
                .map(tidied)
                .filter(|sql| !sql.is_empty()),
        })
        .collect();
    let notes = object.assumptions.unwrap_or_default();
    (is_ok && !has_sql && steps.len() > 1).then(|| PlanProposal {
        steps,
        sentence: object
            .sentence
            .filter(|sentence| !sentence.trim().is_empty()),
        notes: notes
            .iter()
            .filter_map(Value::as_str)
            .map(shortened)
            .collect(),
    })
}

fn shortened(text: &str) -> String {
    text2sql_language::sentences::strip_markup(text)
        .chars()
        .take(MAX_QUESTION_CHARS)
        .collect()
}

/// The statement of a step, with the queries of the earlier steps as the common table expressions
/// `step_1`, `step_2`, ….
pub fn composed<T: AsRef<str>>(earlier: &[T], sql: &str) -> String {
    if earlier.is_empty() {
        return sql.to_owned();
    }
    let steps: Vec<String> = earlier
        .iter()
        .enumerate()
        .map(|(n, step)| format!("step_{} AS (\n{}\n)", n + 1, step.as_ref()))
        .collect();
    let steps = steps.join(", ");
    // A statement can have only one WITH, so the common table expressions of the step are appended to
    // ours.
    match after_word(sql, "with") {
        Some(rest) => match after_word(rest, "recursive") {
            Some(rest) => format!("WITH RECURSIVE {steps}, {rest}"),
            None => format!("WITH {steps}, {rest}"),
        },
        None => format!("WITH {steps}\n{sql}"),
    }
}

/// The text after the given first word.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let text = without_comments(text);
    let start = text.get(..word.len())?;
    let rest = text.get(word.len()..)?;
    let ends = rest
        .chars()
        .next()
        .is_some_and(|c| c.is_whitespace() || c == '/' || c == '-');
    (start.eq_ignore_ascii_case(word) && ends).then(|| without_comments(rest))
}

/// The text without leading white space and comments.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map(|(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map(|(_, after)| after)
        } else {
            return rest;
        };
        match after {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_offered_to_questions_that_may_need_them() {
        let may = |text: &str| may_be_needed(&Understanding::of(text, "2026-11-21"));
        assert!(may(
            "Which month had the highest revenue, and which customers bought most in that month?"
        ));
        assert!(may("Find the best store. Who works there?"));
        assert!(may(
            "Welcher Kunde hat am meisten bestellt, und was waren dessen Waren in diesem Monat?"
        ));
        assert!(!may("How many orders are there?"));
        assert!(!may("Show the names of customers that live in Berlin."));
        assert!(!may("Are there empty crates? Which ones?"));
        assert!(!may("Hi, can you tell me who runs it? Thanks"));
        assert!(!may(
            "average ride, members vs. casual customers, i.e. all others"
        ));
    }

    #[test]
    fn reads_only_plans() {
        let reply = r#"{"status": "ok", "sql": null, "steps": [
            {"question": "the best month", "sql": "SELECT 1 AS month;"},
            {"question": "who bought then", "sql": null}], "sentence": "", "assumptions": ["by revenue"]}"#;
        let plan = read(reply).expect("a plan");
        assert_eq!(plan.steps.len(), 2);
        assert_eq!(plan.steps[0].sql.as_deref(), Some("SELECT 1 AS month"));
        assert_eq!(plan.steps[1].sql, None);
        assert_eq!(
            (plan.sentence, plan.notes),
            (None, vec!["by revenue".to_owned()])
        );
        for other in [
            r#"{"status": "ok", "sql": "SELECT 1", "steps": [{"question": "a", "sql": "SELECT 1"}, {"question": "b", "sql": null}]}"#,
            r#"{"status": "ok", "sql": null, "steps": []}"#,
            r#"{"status": "ok", "sql": null, "steps": [{"question": "a", "sql": "SELECT 1"}]}"#,
            r#"{"status": "unanswerable", "steps": [{"question": "a"}, {"question": "b"}]}"#,
            r#"{"sql": "SELECT 1"}"#,
            "no JSON",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn earlier_steps_become_common_table_expressions() {
        for (sql, expected) in [
            (
                "SELECT * FROM step_1",
                "WITH step_1 AS (\nSELECT 1 AS a\n)\nSELECT * FROM step_1",
            ),
            (
                "with b as (select 2) select * from b, step_1",
                "WITH step_1 AS (\nSELECT 1 AS a\n), b as (select 2) select * from b, step_1",
            ),
            (
                "-- a comment\nWITH /* x */ RECURSIVE r AS (SELECT 1) TABLE r",
                "WITH RECURSIVE step_1 AS (\nSELECT 1 AS a\n), r AS (SELECT 1) TABLE r",
            ),
            (
                "without AS",
                "WITH step_1 AS (\nSELECT 1 AS a\n)\nwithout AS",
            ),
        ] {
            assert_eq!(composed(&["SELECT 1 AS a"], sql), expected);
        }
        assert_eq!(composed::<&str>(&[], "SELECT 1"), "SELECT 1");
        assert!(composed(&["a", "b"], "c").contains("), step_2 AS (\nb\n)"));
    }
}
