//! The outcome of a statement as one JSON document: what `text2sql._run_for_primary` returns.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use text2sql_domain::config::Limits;
use text2sql_domain::ports::Outcome;
use text2sql_domain::sql_result::{Cell, DatabaseError, Execution, ResultColumn};
use text2sql_domain::validate::{Rejection, Rule};

/// The limits that are sent along. Those of the other server apply as well.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentLimits {
    max_result_rows: usize,
    max_result_bytes: usize,
    max_cost: f64,
    query_timeout_ms: u64,
    memory_limit: usize,
}

impl SentLimits {
    /// The limits of the question.
    pub fn of(limits: &Limits) -> Self {
        Self {
            max_result_rows: limits.max_result_rows,
            max_result_bytes: limits.max_result_bytes,
            max_cost: limits.max_cost,
            query_timeout_ms: u64::try_from(limits.query_timeout.as_millis()).unwrap_or(u64::MAX),
            memory_limit: limits.memory_limit,
        }
    }

    /// The stricter ones of these and of the server's own. Zero is no limit where it means that.
    pub fn within(&self, own: &Limits) -> Limits {
        let cost = match (self.max_cost > 0.0, own.max_cost > 0.0) {
            (true, true) => self.max_cost.min(own.max_cost),
            (true, false) => self.max_cost,
            _ => own.max_cost,
        };
        let memory = match (self.memory_limit, own.memory_limit) {
            (0, other) | (other, 0) => other,
            (sent, own) => sent.min(own),
        };
        Limits {
            max_result_rows: self.max_result_rows.min(own.max_result_rows),
            max_result_bytes: self.max_result_bytes.min(own.max_result_bytes),
            max_cost: cost,
            query_timeout: own
                .query_timeout
                .min(std::time::Duration::from_millis(self.query_timeout_ms)),
            memory_limit: memory,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Document {
    Passed(Passed),
    Rejected(Rejected),
    Failed(Failed),
}

/// The text of a value and its JSON; `None` is NULL.
type Value = Option<(String, Box<RawValue>)>;

#[derive(Serialize, Deserialize)]
struct Passed {
    columns: Vec<(String, String)>,
    rows: Vec<Vec<Value>>,
    is_truncated: bool,
    plan_cost: f64,
    plan_rows: f64,
    relations: Vec<String>,
    is_private: bool,
}

#[derive(Serialize, Deserialize)]
struct Rejected {
    rule: String,
    reason: String,
    offender: Option<String>,
    position: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct Failed {
    sqlstate: String,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    position: Option<usize>,
    is_private: bool,
}

/// Writes the document of an outcome.
pub fn write(outcome: Outcome<Execution>) -> String {
    let document = match outcome {
        Outcome::Passed(execution) => Document::Passed(Passed {
            columns: execution
                .columns
                .into_iter()
                .map(|column| (column.name, column.type_name))
                .collect(),
            rows: execution
                .rows
                .into_iter()
                .map(|row| {
                    row.into_iter()
                        .map(|cell| cell.text.map(|text| (text, cell.json)))
                        .collect()
                })
                .collect(),
            is_truncated: execution.is_truncated,
            plan_cost: execution.plan_cost,
            plan_rows: execution.plan_rows,
            relations: execution.relations,
            is_private: execution.is_private,
        }),
        Outcome::Rejected(rejection) => Document::Rejected(Rejected {
            rule: rejection.rule.as_str().to_owned(),
            reason: rejection.reason,
            offender: rejection.offender,
            position: rejection.position,
        }),
        Outcome::Failed(error) => Document::Failed(Failed {
            sqlstate: error.sqlstate,
            message: error.message,
            detail: error.detail,
            hint: error.hint,
            position: error.position,
            is_private: error.is_private,
        }),
    };
    serde_json::to_string(&document).unwrap_or_default()
}

/// Reads the document of an outcome; `None` if it is none.
pub fn read(document: &str) -> Option<Outcome<Execution>> {
    Some(match serde_json::from_str(document).ok()? {
        Document::Passed(passed) => {
            let width = passed.columns.len();
            if passed.rows.iter().any(|row| row.len() != width) {
                return None;
            }
            Outcome::Passed(Execution {
                columns: passed
                    .columns
                    .into_iter()
                    .map(|(name, type_name)| ResultColumn { name, type_name })
                    .collect(),
                rows: passed
                    .rows
                    .into_iter()
                    .map(|row| row.into_iter().map(cell).collect())
                    .collect(),
                is_truncated: passed.is_truncated,
                plan_cost: passed.plan_cost,
                plan_rows: passed.plan_rows,
                relations: passed.relations,
                is_private: passed.is_private,
                notes: Vec::new(),
            })
        }
        Document::Rejected(rejected) => Outcome::Rejected(Rejection {
            rule: Rule::named(&rejected.rule)?,
            reason: rejected.reason,
            offender: rejected.offender,
            position: rejected.position,
        }),
        Document::Failed(failed) => Outcome::Failed(DatabaseError {
            sqlstate: failed.sqlstate,
            message: failed.message,
            detail: failed.detail,
            hint: failed.hint,
            position: failed.position,
            is_private: failed.is_private,
        }),
    })
}

fn cell(value: Value) -> Cell {
    match value {
        Some((text, json)) => Cell {
            text: Some(text),
            json,
        },
        None => Cell {
            text: None,
            json: RawValue::NULL.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let json = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let execution = Execution {
            columns: vec![
                ResultColumn {
                    name: "n".to_owned(),
                    type_name: "numeric(6,2)".to_owned(),
                },
                ResultColumn {
                    name: "n".to_owned(),
                    type_name: "text[]".to_owned(),
                },
            ],
            rows: vec![vec![
                Cell {
                    text: Some("1.50".to_owned()),
                    json: json("1.50"),
                },
                Cell {
                    text: None,
                    json: json("null"),
                },
            ]],
            is_truncated: true,
            is_private: true,
            ..Execution::default()
        };
        let document = write(Outcome::Passed(execution));
        let Some(Outcome::Passed(read)) = read(&document) else {
            panic!("{document}");
        };
        assert_eq!(read.columns[0].type_name, "numeric(6,2)");
        assert_eq!(read.rows[0][0].text.as_deref(), Some("1.50"));
        assert_eq!(read.rows[0][0].json.get(), "1.50");
        assert_eq!(read.rows[0][1].text, None);
        assert!(read.is_truncated && read.is_private);
    }

    #[test]
    fn refusals_and_errors_come_back_as_they_were() {
        let rejection = Rejection {
            rule: Rule::Permission,
            reason: "permission denied for table salaries".to_owned(),
            offender: Some("hr.salaries".to_owned()),
            position: Some(15),
        };
        let document = write(Outcome::Rejected(rejection.clone()));
        assert!(matches!(read(&document), Some(Outcome::Rejected(read)) if read == rejection));
        let error = DatabaseError {
            sqlstate: "22012".to_owned(),
            message: "division by zero".to_owned(),
            detail: None,
            hint: None,
            position: None,
            is_private: true,
        };
        let document = write(Outcome::Failed(error.clone()));
        assert!(matches!(read(&document), Some(Outcome::Failed(read)) if read == error));
    }

    #[test]
    fn what_is_no_document_is_none() {
        for text in [
            "",
            "null",
            "{}",
            r#"{"rejected": {"rule": "whim", "reason": "", "offender": null, "position": null}}"#,
            r#"{"passed": {"columns": [["a", "text"]], "rows": [[]], "is_truncated": false, "plan_cost": 0, "plan_rows": 0, "relations": [], "is_private": false}}"#,
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_stricter_limit_applies() {
        let own = Limits {
            max_cost: 0.0,
            query_timeout: Duration::from_secs(5),
            ..Limits::DEFAULT
        };
        let sent = SentLimits::of(&Limits {
            max_result_rows: 7,
            query_timeout: Duration::from_secs(9),
            memory_limit: 0,
            ..Limits::DEFAULT
        });
        let limits = sent.within(&own);
        assert_eq!(limits.max_result_rows, 7);
        assert_eq!(limits.query_timeout, Duration::from_secs(5));
        assert!((limits.max_cost - Limits::DEFAULT.max_cost).abs() < 1.0);
        assert_eq!(limits.memory_limit, Limits::DEFAULT.memory_limit);
    }
}
