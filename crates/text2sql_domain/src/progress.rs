//! What is reported while a question runs: the stage that begins, and what became known before it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::engines::GaveUp;
use crate::json_rows::{columns_json, rows_json};
use crate::sql_result::{Cell, Execution};

/// How many rows are reported, and how many bytes of them: who waits sees what comes.
const MAX_ROWS: usize = 20;
const MAX_BYTES: usize = 16_384;

/// A stage that begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress<'a> {
    /// Its name.
    pub stage: &'a str,
    /// What is known.
    pub news: News,
}

/// What is known when a stage begins. Engine and part are those at work; the rest is what became known since the
/// stage before, each fact once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct News {
    /// The engine that is asked, by the name in `text2sql.model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The part that is answered, where a question consists of several.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartAt>,
    /// The engine that did not answer, where another one takes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GaveUpNews>,
    /// The query that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// What it does, a line for each step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<String>>,
    /// Number of rows that it returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_rows: Option<FirstRows>,
    /// Its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The kind of problem for which a reply goes back to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<&'static str>,
}

/// The first rows of a result, before it is known whether they are the answer: in no log and in no record.
#[derive(Debug, Clone, Serialize)]
pub struct FirstRows {
    result_columns: Box<RawValue>,
    result_rows: Box<RawValue>,
}

impl FirstRows {
    /// Those of a result; `None` where the first one is too long.
    pub fn of(execution: &Execution) -> Option<Self> {
        let mut left = MAX_BYTES;
        let fits = |row: &&Vec<_>| {
            let cells = row.iter().map(|cell: &Cell| cell.json.get().len());
            let rest = left.checked_sub(cells.sum());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let count = execution
            .rows
            .iter()
            .take(MAX_ROWS)
            .take_while(fits)
            .count();
        let rows = execution
            .rows
            .get(..count)
            .filter(|rows| !rows.is_empty())?;
        Some(Self {
            result_columns: RawValue::from_string(columns_json(&execution.columns)).ok()?,
            result_rows: RawValue::from_string(rows_json(&execution.columns, rows)).ok()?,
        })
    }
}

impl PartialEq for FirstRows {
    fn eq(&self, other: &Self) -> bool {
        let texts = |rows: &Self| {
            (
                rows.result_columns.get().to_owned(),
                rows.result_rows.get().to_owned(),
            )
        };
        texts(self) == texts(other)
    }
}

/// A part of a question, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PartAt {
    /// Its number.
    pub part: usize,
    /// The number of all.
    pub parts: usize,
}

/// An engine that did not answer, without what only its answer may say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GaveUpNews {
    engine: String,
    cause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl News {
    /// What is to be reported now; engine and part stay known.
    pub fn take(&mut self) -> Self {
        let staying = Self {
            engine: self.engine.clone(),
            part: self.part,
            ..Self::default()
        };
        std::mem::replace(self, staying)
    }
}

impl From<&GaveUp> for GaveUpNews {
    fn from(gave_up: &GaveUp) -> Self {
        Self {
            engine: gave_up.engine.clone(),
            cause: gave_up.cause.as_str(),
            reason: gave_up.recorded_reason().map(str::to_owned),
        }
    }
}

impl Progress<'_> {
    /// The report as JSON: `elapsed` are the milliseconds since the question began, `trace_id` is its id in the
    /// history.
    pub fn to_json(&self, elapsed: f64, trace_id: Option<&str>) -> String {
        #[derive(Serialize)]
        struct Report<'a> {
            stage: &'a str,
            ms: f64,
            #[serde(skip_serializing_if = "Option::is_none")]
            trace_id: Option<&'a str>,
            #[serde(flatten)]
            news: &'a News,
        }
        let report = Report {
            stage: self.stage,
            ms: (elapsed * 1000.0).round() / 1000.0,
            trace_id,
            news: &self.news,
        };
        serde_json::to_string(&report).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Cause;
    use crate::sql_result::ResultColumn;

    #[test]
    fn a_stage_alone() {
        let progress = Progress {
            stage: "retrieve",
            news: News::default(),
        };
        assert_eq!(
            progress.to_json(0.123_456, None),
            r#"{"stage":"retrieve","ms":0.123}"#
        );
    }

    #[test]
    fn all_members_in_order() {
        let gave_up = GaveUp {
            engine: "gpt".into(),
            cause: Cause::Failed,
            reason: Some("the endpoint cannot be reached".into()),
        };
        let progress = Progress {
            stage: "hand_over",
            news: News {
                engine: Some("local".into()),
                part: Some(PartAt { part: 2, parts: 3 }),
                gave_up: Some(GaveUpNews::from(&gave_up)),
                sql: Some("SELECT 'ü'\n".into()),
                plan: Some(vec!["Read no table.".into()]),
                rows: Some(3),
                first_rows: FirstRows::of(&result(3, "1.10")),
                score: Some(0.75),
                repair: Some("generic"),
            },
        };
        assert_eq!(
            progress.to_json(12.0, Some("id")),
            "{\"stage\":\"hand_over\",\"ms\":12.0,\"trace_id\":\"id\",\"engine\":\"local\",\"part\":2,\"parts\":3,\
             \"gave_up\":{\"engine\":\"gpt\",\"cause\":\"failed\",\"reason\":\"the endpoint cannot be reached\"},\
             \"sql\":\"SELECT 'ü'\\n\",\"plan\":[\"Read no table.\"],\"rows\":3,\
             \"first_rows\":{\"result_columns\":[{\"name\":\"n\",\"type\":\"numeric\"}],\
             \"result_rows\":[{\"n\": 1.10},\n {\"n\": 1.10},\n {\"n\": 1.10}]},\"score\":0.75,\"repair\":\"generic\"}"
        );
    }

    fn result(rows: usize, value: &str) -> Execution {
        let cell = Cell {
            text: Some(value.to_owned()),
            json: RawValue::from_string(value.to_owned()).unwrap(),
        };
        Execution {
            columns: vec![ResultColumn {
                name: "n".into(),
                type_name: "numeric".into(),
            }],
            rows: vec![vec![cell]; rows],
            ..Execution::default()
        }
    }

    #[test]
    fn of_many_or_long_rows_the_first_are_told() {
        let told = |rows, value: &str| {
            let first = FirstRows::of(&result(rows, value));
            first.map(|first| first.result_rows.get().matches('{').count())
        };
        assert_eq!(told(1_000, "1"), Some(MAX_ROWS));
        assert_eq!(
            told(5, &format!("\"{}\"", "x".repeat(MAX_BYTES / 3))),
            Some(2)
        );
        assert_eq!(told(1, &format!("\"{}\"", "x".repeat(MAX_BYTES))), None);
        assert_eq!(told(0, "1"), None);
    }

    #[test]
    fn each_fact_is_told_once_and_what_is_at_work_stays() {
        let mut news = News {
            engine: Some("gpt".into()),
            sql: Some("SELECT 1".into()),
            ..News::default()
        };
        assert_eq!(news.take().sql.as_deref(), Some("SELECT 1"));
        assert_eq!((news.sql, news.engine.as_deref()), (None, Some("gpt")));
    }

    #[test]
    fn why_an_engine_declined_is_not_told() {
        let declined = GaveUp {
            engine: "gpt".into(),
            cause: Cause::Declined,
            reason: Some("there is no customer Ada".into()),
        };
        assert_eq!(GaveUpNews::from(&declined).reason, None);
    }
}
