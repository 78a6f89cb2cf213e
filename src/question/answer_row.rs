//! The columns of `ask()`.

use text2sql_domain::answer::Status;
use text2sql_domain::citations::citations_json;
use text2sql_domain::json_rows::{columns_json, rows_json};
use text2sql_domain::results::{all_warnings, results_json};

use super::converse::Conversed;
use crate::pg::server::sqlstate;

/// One answer, in the columns of `ask()`. Columns, rows and documents are JSON as text, because the numbers of rows keep
/// their digits only as text.
pub(crate) struct AnswerRow {
    pub(crate) status: &'static str,
    pub(crate) answer: Option<String>,
    pub(crate) sql: Option<String>,
    pub(crate) result_columns: Option<String>,
    pub(crate) result_rows: Option<String>,
    pub(crate) row_count: Option<i64>,
    pub(crate) truncated: Option<bool>,
    pub(crate) confidence: Option<f64>,
    pub(crate) score: Option<String>,
    pub(crate) plan: Option<String>,
    pub(crate) engine: Option<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) withheld: Vec<String>,
    pub(crate) clarification: Option<String>,
    pub(crate) results: Option<String>,
    pub(crate) citations: Option<String>,
    pub(crate) verified_by: Option<String>,
    pub(crate) trace_id: Option<pgrx::Uuid>,
    pub(crate) sqlstate: Option<String>,
}

impl AnswerRow {
    pub(crate) fn of(asked: &Conversed) -> Self {
        let answer = &asked.answer;
        let main = answer.main();
        let execution = main.execution.as_ref();
        Self {
            status: answer.status.as_str(),
            answer: answer.sentence.clone(),
            sql: main.sql.clone(),
            result_columns: execution.map(|execution| columns_json(&execution.columns)),
            result_rows: execution.map(|execution| rows_json(&execution.columns, &execution.rows)),
            row_count: execution.map(|execution| execution.rows.len() as i64),
            truncated: execution.map(|execution| execution.is_truncated),
            confidence: answer.confidence,
            score: answer
                .score
                .as_ref()
                .map(|score| score.document().to_string()),
            plan: answer.plan.clone(),
            engine: answer.engine().map(str::to_owned),
            warnings: all_warnings(answer),
            withheld: answer.withheld.clone(),
            clarification: answer.clarification(),
            results: results_json(answer),
            citations: citations_json(&answer.citations).map(|citations| citations.to_string()),
            verified_by: answer.verified_by.clone(),
            trace_id: asked.trace_id,
            sqlstate: (answer.status != Status::Ok).then(|| sqlstate::of_answer(answer).to_owned()),
        }
    }
}
