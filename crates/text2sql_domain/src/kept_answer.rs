//! What is kept of an answer, so that its role can read it again: the sentence and the first rows.

use serde_json::Value;

use crate::answer::{Answer, AnsweredPart};
use crate::json_rows::{columns_json, rows_json};
use crate::sql_result::{Cell, Execution};

/// Maximum size of the rows of one answer, in bytes of JSON. A role has up to 10,000 turns.
const MAX_BYTES: usize = 262_144;

/// The part of an answer that is kept. Columns, rows and results are JSON as text, because the numbers of rows keep
/// their digits only as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The queries from whose rows it is made.
    pub queries: Vec<String>,
    /// The sentence.
    pub answer: Option<String>,
    /// The columns of the result.
    pub result_columns: Option<String>,
    /// Its first rows.
    pub result_rows: Option<String>,
    /// Number of rows that the answer had.
    pub row_count: Option<usize>,
    /// Whether the result had more rows than are kept.
    pub is_truncated: Option<bool>,
    /// The results of a question with several parts.
    pub results: Option<String>,
    /// What can be changed and asked next, or was not understood, as JSON.
    pub clarification: Option<String>,
}

/// The first rows of a result.
struct First<'a> {
    execution: &'a Execution,
    rows: &'a [Vec<Cell>],
}

impl<'a> First<'a> {
    fn of(execution: &'a Execution, max_rows: usize, bytes: &mut usize) -> Self {
        let mut count = 0;
        for row in execution.rows.iter().take(max_rows) {
            let size: usize = row.iter().map(|cell| cell.json.get().len()).sum();
            let Some(left) = bytes.checked_sub(size) else {
                break;
            };
            *bytes = left;
            count += 1;
        }
        Self {
            execution,
            rows: execution.rows.get(..count).unwrap_or_default(),
        }
    }

    fn columns(&self) -> String {
        columns_json(&self.execution.columns)
    }

    fn rows(&self) -> String {
        rows_json(&self.execution.columns, self.rows)
    }

    fn is_truncated(&self) -> bool {
        self.execution.is_truncated || self.rows.len() < self.execution.rows.len()
    }
}

impl KeptAnswer {
    /// What is kept of an answer, with at most `max_rows` rows of each result.
    pub fn of(answer: &Answer, max_rows: usize) -> Self {
        let mut bytes = MAX_BYTES;
        let main = answer.main();
        let execution = main.execution.as_ref();
        let first = execution.map(|execution| First::of(execution, max_rows, &mut bytes));
        let parts = answer.parts.iter();
        let parts: Vec<String> = parts
            .map(|part| of_part(part, max_rows, &mut bytes))
            .collect();
        let answers = std::iter::once(answer).chain(answer.parts.iter().map(|part| &part.answer));
        Self {
            queries: answers.filter_map(query_behind).collect(),
            // What texts say is not kept: whether the role may still read them is not known later.
            answer: answer
                .sentence
                .clone()
                .filter(|_| answer.citations.is_empty()),
            result_columns: first.as_ref().map(First::columns),
            result_rows: first.as_ref().map(First::rows),
            row_count: execution.map(|execution| execution.rows.len()),
            is_truncated: first.as_ref().map(First::is_truncated),
            results: (!parts.is_empty()).then(|| format!("[{}]", parts.join(",\n "))),
            clarification: answer.clarification(),
        }
    }
}

/// The query whose rows, or whose error at one of them, the answer states.
fn query_behind(answer: &Answer) -> Option<String> {
    // An error about names holds no value.
    let is_of_rows = |error: &str| !error.starts_with("42");
    let states_values = answer.execution.is_some()
        || answer
            .error
            .as_ref()
            .is_some_and(|error| is_of_rows(&error.sqlstate));
    answer.sql.clone().filter(|_| states_values)
}

/// A part, with the members that it has in an answer.
fn of_part(part: &AnsweredPart, max_rows: usize, bytes: &mut usize) -> String {
    let answer = &part.answer;
    let first = answer
        .execution
        .as_ref()
        .map(|execution| First::of(execution, max_rows, bytes));
    let text = |text: Option<&str>| Value::from(text).to_string();
    let null = || "null".to_owned();
    format!(
        "{{\"question\": {}, \"status\": {}, \"answer\": {}, \"sql\": {}, \"columns\": {}, \"rows\": {}, \"truncated\": {}}}",
        text(Some(&part.question)),
        text(Some(answer.status.as_str())),
        text(answer.sentence.as_deref()),
        text(answer.sql.as_deref()),
        first.as_ref().map_or_else(null, First::columns),
        first.as_ref().map_or_else(null, First::rows),
        Value::from(first.as_ref().map(First::is_truncated)),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::answer::Status;
    use crate::sql_result::{DatabaseError, ResultColumn};

    fn answer(rows: &[&str]) -> Answer {
        let cell = |json: &&str| {
            vec![Cell {
                text: None,
                json: RawValue::from_string((*json).to_owned()).unwrap(),
            }]
        };
        Answer {
            sql: Some("SELECT n".to_owned()),
            execution: Some(Execution {
                columns: vec![ResultColumn {
                    name: "n".to_owned(),
                    type_name: "numeric".to_owned(),
                }],
                rows: rows.iter().map(cell).collect(),
                ..Execution::default()
            }),
            ..Answer::without_rows(Status::Ok, "There are some.")
        }
    }

    #[test]
    fn the_first_rows_with_all_their_digits() {
        let kept = KeptAnswer::of(&answer(&["1.10", "9007199254740993", "3"]), 2);
        assert_eq!(
            kept,
            KeptAnswer {
                queries: vec!["SELECT n".to_owned()],
                answer: Some("There are some.".to_owned()),
                result_columns: Some(r#"[{"name":"n","type":"numeric"}]"#.to_owned()),
                result_rows: Some("[{\"n\": 1.10},\n {\"n\": 9007199254740993}]".to_owned()),
                row_count: Some(3),
                is_truncated: Some(true),
                results: None,
                clarification: None,
            }
        );
        let all = KeptAnswer::of(&answer(&["1"]), 2);
        assert_eq!((all.row_count, all.is_truncated), (Some(1), Some(false)));
    }

    #[test]
    fn rows_that_are_too_large_are_left_out() {
        let large = format!("\"{}\"", "x".repeat(MAX_BYTES));
        let kept = KeptAnswer::of(&answer(&["1", &large, "2"]), 20);
        assert_eq!(kept.result_rows.as_deref(), Some("[{\"n\": 1}]"));
        assert_eq!((kept.row_count, kept.is_truncated), (Some(3), Some(true)));
    }

    #[test]
    fn each_part_has_its_query_and_rows() {
        let parts = ["1", "2"].map(|row| AnsweredPart {
            question: format!("How many {row}?"),
            answer: answer(&[row]),
        });
        let whole = Answer {
            parts: parts.to_vec(),
            ..Answer::without_rows(Status::Ok, "Both.")
        };
        let kept = KeptAnswer::of(&whole, 1);
        assert_eq!(kept.queries.len(), 2);
        assert_eq!(kept.result_rows.as_deref(), Some("[{\"n\": 1}]"));
        let results: Value = serde_json::from_str(&kept.results.unwrap()).unwrap();
        assert_eq!(results[1]["rows"][0]["n"], 2);
        assert_eq!(results[1]["question"], "How many 2?");
    }

    #[test]
    fn an_error_may_state_a_value_and_a_refusal_does_not() {
        let failed = |sqlstate: &str| Answer {
            sql: Some("SELECT 1/n".to_owned()),
            error: Some(DatabaseError {
                sqlstate: sqlstate.to_owned(),
                message: String::new(),
                detail: None,
                hint: None,
                position: None,
                is_private: false,
            }),
            ..Answer::without_rows(Status::Failed, "it failed")
        };
        assert_eq!(KeptAnswer::of(&failed("22012"), 1).queries.len(), 1);
        assert_eq!(KeptAnswer::of(&failed("42703"), 1).queries.len(), 0);
        let declined = Answer::without_rows(Status::Unanswerable, "no");
        assert_eq!(
            KeptAnswer::of(&declined, 1),
            KeptAnswer {
                answer: Some("no".to_owned()),
                ..KeptAnswer::default()
            }
        );
    }
}
