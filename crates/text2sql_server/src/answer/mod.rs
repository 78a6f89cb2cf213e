//! The row of `text2sql.ask` for agents: as JSON that keeps every digit, and as text to read.

mod cell;
mod csv;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

pub use self::cell::Row;
use self::cell::{escape, exact, markdown, shortened};

/// Maximum number of rows in the text.
const READABLE_ROWS: usize = 20;

/// Size of structured rows, after which no further one begins, and the lengths between which a cell is cut for it: an agent
/// reads all of it, and pays for it.
const MOST_BYTES: usize = 200_000;
const LONGEST_CELL: usize = 10_000;
const SHORTEST_CELL: usize = 100;
/// The longest table in the text, in bytes: about 2,000 tokens.
const READABLE_BYTES: usize = 8_000;

/// A row of `text2sql.ask`, of `text2sql.answer`, or of `text2sql.run_json`, which has only the result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub status: Option<String>,
    pub answer: Option<String>,
    pub sql: Option<String>,
    pub result_columns: Option<Vec<Column>>,
    pub result_rows: Option<Vec<Row>>,
    pub row_count: Option<u64>,
    pub truncated: Option<bool>,
    pub confidence: Option<f64>,
    pub engine: Option<String>,
    pub warnings: Option<Vec<String>>,
    pub withheld: Option<Vec<String>>,
    pub clarification: Option<Clarification>,
    /// The passages that the sentence cites, as `text2sql.ask` returns them.
    pub citations: Option<Vec<Value>>,
    pub verified_by: Option<String>,
    pub trace_id: Option<String>,
    pub sqlstate: Option<String>,
}

/// A column of a result.
#[derive(Debug, Deserialize)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
}

/// What the question may mean.
#[derive(Debug, Deserialize)]
pub struct Clarification {
    #[serde(default)]
    pub question: Option<String>,
    #[serde(default)]
    pub readings: Vec<String>,
    /// What an answer of the built-in engine computes.
    #[serde(default)]
    pub meaning: Option<Value>,
    /// What may be asked next about it.
    #[serde(default)]
    pub follow_ups: Vec<String>,
}

impl Answer {
    pub fn read(raw: &RawValue) -> Result<Self, serde_json::Error> {
        serde_json::from_str(raw.get())
    }

    /// The readings of an ambiguous question; the asker chooses one.
    pub fn readings(&self) -> &[String] {
        match &self.clarification {
            Some(clarification) if self.status.as_deref() == Some("ambiguous") => {
                &clarification.readings
            }
            _ => &[],
        }
    }

    /// Whether the text leaves rows out.
    pub fn has_more_rows(&self) -> bool {
        self.result_rows
            .as_ref()
            .is_some_and(|rows| rows.len() > READABLE_ROWS)
    }

    /// What a link to the rows leads to: the database cuts long results, too.
    pub fn linked_rows(&self) -> String {
        match (self.truncated, &self.result_rows) {
            (Some(true), Some(rows)) => format!("the first {} rows", rows.len()),
            _ => "all rows".to_owned(),
        }
    }

    /// As JSON with at most this many rows, and not more of them than [`MOST_BYTES`] lets: long cells are cut, which their
    /// text says. Every field is present, so that one schema fits every answer.
    pub fn structured(&self, most_rows: usize) -> Value {
        let rows = self.result_rows.as_deref().unwrap_or_default();
        let mut bytes = 0;
        let mut shown: Vec<Value> = Vec::new();
        for Row(cells) in rows.iter().take(most_rows) {
            if bytes >= MOST_BYTES {
                break;
            }
            let most = (MOST_BYTES / cells.len().max(1)).clamp(SHORTEST_CELL, LONGEST_CELL);
            let cells = cells
                .iter()
                .map(|(name, value)| (name.clone(), shortened(exact(value), most)));
            let row = Value::Object(cells.collect::<Map<_, _>>());
            bytes += row.to_string().len();
            shown.push(row);
        }
        let columns: Vec<Value> = self
            .result_columns
            .iter()
            .flatten()
            .map(|column| json!({"name": column.name, "type": column.type_name}))
            .collect();
        let clarification = self.clarification.as_ref();
        let readings = clarification.map(|one| one.readings.as_slice());
        let follow_ups = clarification.map(|one| one.follow_ups.as_slice());
        json!({
            "status": self.status.as_deref().unwrap_or("ok"),
            "answer": self.answer,
            "sql": self.sql,
            "columns": columns,
            "rows_left_out": rows.len().saturating_sub(shown.len()),
            "rows": shown,
            "row_count": self.row_count,
            "truncated": self.truncated,
            "confidence": self.confidence,
            "engine": self.engine,
            "warnings": self.warnings.as_deref().unwrap_or_default(),
            "withheld": self.withheld.as_deref().unwrap_or_default(),
            "citations": self.citations.as_deref().unwrap_or_default(),
            "readings": readings.unwrap_or_default(),
            "meaning": clarification.and_then(|one| one.meaning.as_ref()),
            "follow_ups": follow_ups.unwrap_or_default(),
            "verified_by": self.verified_by,
            "trace_id": self.trace_id,
            "sqlstate": self.sqlstate,
        })
    }

    /// As text: the sentence first, then rows, SQL and what must be known about them.
    pub fn readable(&self) -> String {
        let mut text = String::new();
        if let Some(answer) = &self.answer {
            text.push_str(answer);
            text.push('\n');
        }
        if let Some(status) = self.status.as_deref().filter(|status| *status != "ok") {
            text.push_str(&format!("status: {status}\n"));
        }
        if let Some(clarification) = &self.clarification {
            if let Some(question) = &clarification.question {
                text.push_str(&format!("\n{question}\n"));
            }
            for reading in &clarification.readings {
                text.push_str(&format!("- {reading}\n"));
            }
        }
        for citation in self.citations.iter().flatten() {
            let member = |name: &str| {
                citation
                    .get(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            };
            let n = citation
                .get("n")
                .and_then(Value::as_u64)
                .unwrap_or_default();
            text.push_str(&format!("[{n}] {}: {}\n", member("place"), member("text")));
        }
        self.table(&mut text);
        if let Some(sql) = &self.sql {
            text.push_str(&format!("\n```sql\n{sql}\n```\n"));
        }
        for warning in self.warnings.iter().flatten() {
            text.push_str(&format!("warning: {warning}\n"));
        }
        for withheld in self.withheld.iter().flatten() {
            text.push_str(&format!("withheld: {withheld}\n"));
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn table(&self, text: &mut String) {
        let (Some(columns), Some(rows)) = (&self.result_columns, &self.result_rows) else {
            return;
        };
        if rows.is_empty() {
            return;
        }
        let names: Vec<String> = columns.iter().map(|column| escape(&column.name)).collect();
        text.push_str(&format!(
            "\n| {} |\n|{}\n",
            names.join(" | "),
            "---|".repeat(names.len())
        ));
        let (mut shown, begin) = (0, text.len());
        for Row(cells) in rows.iter().take(READABLE_ROWS) {
            let line: Vec<String> = cells.iter().map(|(_, value)| markdown(value)).collect();
            let line = format!("| {} |\n", line.join(" | "));
            if shown > 0 && text.len() - begin + line.len() > READABLE_BYTES {
                break;
            }
            text.push_str(&line);
            shown += 1;
        }
        let of = if self.truncated == Some(true) {
            "more than "
        } else {
            ""
        };
        if shown < rows.len() || self.truncated == Some(true) {
            text.push_str(&format!("{shown} of {of}{} rows\n", rows.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(json: &str) -> Answer {
        Answer::read(&RawValue::from_string(json.to_owned()).unwrap()).unwrap()
    }

    #[test]
    fn an_answer_reads_well_and_is_complete() {
        let answer = answer(
            r#"{"status": "ok", "answer": "Two regions.", "sql": "SELECT 1",
                "result_columns": [{"name": "region", "type": "text"}, {"name": "revenue", "type": "numeric"}],
                "result_rows": [{"region": "North", "revenue": 1.10}, {"region": null, "revenue": 7}],
                "row_count": 2, "truncated": false, "confidence": null, "score": {"total": 0.9}, "trace_id": "x"}"#,
        );
        assert_eq!(
            answer.readable(),
            "Two regions.\n\n| region | revenue |\n|---|---|\n| North | 1.10 |\n| NULL | 7 |\n\n```sql\nSELECT 1\n```"
        );
        let structured = answer.structured(50);
        assert_eq!(
            structured["rows"],
            json!([{"region": "North", "revenue": "1.10"}, {"region": null, "revenue": 7}])
        );
        assert_eq!(structured["rows_left_out"], 0);
    }

    #[test]
    fn many_rows_are_capped_and_said() {
        let rows: Vec<String> = (0..60).map(|row| format!("{{\"n\": {row}}}")).collect();
        let answer = answer(&format!(
            r#"{{"result_columns": [{{"name": "n", "type": "integer"}}], "result_rows": [{}], "truncated": true}}"#,
            rows.join(",")
        ));
        assert!(answer.has_more_rows());
        assert!(
            answer
                .readable()
                .ends_with("| 19 |\n20 of more than 60 rows")
        );
        let structured = answer.structured(50);
        assert_eq!(structured["rows"].as_array().unwrap().len(), 50);
        assert_eq!(structured["rows_left_out"], 10);
        assert_eq!(answer.linked_rows(), "the first 60 rows");
    }

    #[test]
    fn long_cells_are_cut_visibly() {
        let text = "x".repeat(3_000_000);
        let numbers: Vec<String> = (0..300_000).map(|number| number.to_string()).collect();
        let answer = answer(&format!(
            r#"{{"result_columns": [{{"name": "a", "type": "text"}}, {{"name": "b", "type": "integer[]"}}],
                "result_rows": [{{"a": "{text}", "b": [{0}]}}, {{"a": "short", "b": [1]}}], "truncated": false}}"#,
            numbers.join(",")
        ));
        let structured = answer.structured(50);
        let (first, second) = (&structured["rows"][0], &structured["rows"][1]);
        let cut = first["a"].as_str().unwrap();
        assert!(
            cut.ends_with("x… (2990000 characters left out)"),
            "{}",
            cut.len()
        );
        assert!(first["b"].as_str().unwrap().starts_with("[0,1,2,"));
        assert_eq!(second, &json!({"a": "short", "b": "[1]"}));
        assert!(structured.to_string().len() < 30_000);
        assert!(answer.readable().len() < 3_000);
        assert_eq!(answer.linked_rows(), "all rows");
    }

    #[test]
    fn many_wide_rows_are_left_out_where_they_are_too_much() {
        let cell = "y".repeat(9_000);
        let rows: Vec<String> = (0..50).map(|_| format!("{{\"a\": \"{cell}\"}}")).collect();
        let answer = answer(&format!(
            r#"{{"result_columns": [{{"name": "a", "type": "text"}}], "result_rows": [{}], "truncated": false}}"#,
            rows.join(",")
        ));
        let structured = answer.structured(50);
        let shown = structured["rows"].as_array().unwrap().len();
        // Each has 9,009 bytes, and 200,000 are reached with the 23rd.
        assert_eq!((shown, &structured["rows_left_out"]), (23, &json!(27)));
    }

    #[test]
    fn readings_are_listed() {
        let answer = answer(
            r#"{"status": "ambiguous", "answer": "Which one?", "clarification": {"question": "Which?", "readings": ["a", "b"]}}"#,
        );
        assert_eq!(answer.readings(), ["a", "b"]);
        assert_eq!(
            answer.readable(),
            "Which one?\nstatus: ambiguous\n\nWhich?\n- a\n- b"
        );
    }
}
