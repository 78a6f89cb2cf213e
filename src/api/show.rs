//! `text2sql.show(question, conversation, options)`: the answer as lines of text, for psql.

use pgrx::prelude::*;
use text2sql_charts::text_bars::add_bars;
use text2sql_charts::text_table::render_table;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::citations::Citation;
use text2sql_domain::engines::GaveUp;
use text2sql_domain::sql_result::ResultColumn;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::spi::encoding::for_client;
use crate::pg::server::sqlstate;
use crate::question::Request;
use crate::question::converse::converse;
use crate::question::options::QUESTION;

/// Maximum width of a displayed cell, in terminal columns; the rows of `ask` are never truncated.
const MAX_CELL_WIDTH: usize = 60;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.show(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_show';
"#,
    name = "show"
);
entry_point!(show);

/// Answers a question with lines to read: the rows, a sentence, the SQL.
fn show(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "show", 1, &QUESTION)?;
    let lines = lines(&converse(&request)?.answer);
    set.hand_over_rows(lines.iter().map(|line| [text_datum(&for_client(line))]))
}

fn lines(answer: &Answer) -> Vec<String> {
    if !answer.parts.is_empty() {
        return lines_of_parts(answer);
    }
    let mut lines = Vec::new();
    if answer.status != Status::Ok {
        lines.push(match answer.status {
            Status::Failed => format!("status: failed (SQLSTATE {})", sqlstate::of_answer(answer)),
            status => format!("status: {}", status.as_str()),
        });
    }
    if let Some(execution) = &answer.execution {
        let (columns, rows) = (headings(&execution.columns), &execution.rows);
        let mut table = render_table(&columns, rows, MAX_CELL_WIDTH);
        add_bars(&mut table, &columns, rows);
        lines.extend(table);
        lines.push(match (execution.rows.len(), execution.is_truncated) {
            (1, false) => "(1 row)".to_owned(),
            (rows, false) => format!("({rows} rows)"),
            (1, true) => "(truncated: the first row of more)".to_owned(),
            (rows, true) => format!("(truncated: the first {rows} rows of more)"),
        });
        lines.push(String::new());
    }
    lines.extend(answer.sentence.clone());
    lines.extend(answer.citations.iter().flat_map(citation_lines));
    lines.extend(answer.introduction.clone());
    lines.extend(
        answer
            .readings
            .iter()
            .map(|reading| format!("  - {reading}")),
    );
    lines.extend(
        answer
            .verified_by
            .iter()
            .map(|curator| format!("verified by {curator}")),
    );
    lines.extend(remarks(answer));
    lines.extend(
        answer
            .withheld
            .iter()
            .map(|withheld| format!("withheld: {withheld}")),
    );
    lines.extend(answer.confidence.map(confidence_line));
    let score = answer.score.as_ref();
    lines.extend(score.map(|score| score.line()));
    lines.extend(score.and_then(|score| score.relevance_line()));
    lines.extend(answer.plan.iter().flat_map(|plan| plan_lines(plan)));
    lines.extend(engine_line(answer));
    lines.extend(answer.hint.iter().map(|hint| format!("hint: {hint}")));
    if let Some(sql) = &answer.sql {
        lines.push(String::new());
        lines.extend(sql.lines().map(|line| format!("  {line}")));
    }
    lines
}

/// The columns under headings that people read: `net_sales` is "net sales". What is written as words stays.
fn headings(columns: &[ResultColumn]) -> Vec<ResultColumn> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    let heading = |column: &ResultColumn| match is_name(&column.name) {
        true => column.name.replace('_', " "),
        false => column.name.clone(),
    };
    let headed = columns.iter().map(|column| ResultColumn {
        name: heading(column),
        ..column.clone()
    });
    headed.collect()
}

/// Where a passage is, and its text below.
fn citation_lines(citation: &Citation) -> Vec<String> {
    let text = citation.passage.text.lines().map(str::trim);
    let text = text.filter(|line| !line.is_empty());
    let text = text.map(|line| format!("    {line}"));
    std::iter::once(citation.line()).chain(text).collect()
}

/// Which engine answered, and why those before it did not; nothing where only one is configured.
fn engine_line(answer: &Answer) -> Option<String> {
    let engine = answer.engine();
    let is_known = engine.is_some() || !answer.trace.gave_up.is_empty();
    if answer.trace.engines.len() < 2 || !is_known {
        return None;
    }
    let others = answer.trace.gave_up.iter();
    let others = others.filter(|other| Some(other.engine.as_str()) != engine);
    let others: Vec<String> = others.map(GaveUp::to_string).collect();
    let engine = engine.unwrap_or("none");
    Some(match others.as_slice() {
        [] => format!("engine: {engine}"),
        others => format!("engine: {engine} ({})", others.join("; ")),
    })
}

/// How words were understood, and what to know about the answer. What the line about the engine says is not repeated.
fn remarks(answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    if !answer.links.is_empty() {
        lines.push(format!("read: {}", answer.links.join("; ")));
    }
    let gave_up: Vec<String> = match engine_line(answer) {
        Some(_) => answer.trace.gave_up.iter().map(GaveUp::to_string).collect(),
        None => Vec::new(),
    };
    let notes = answer.warnings.iter();
    let notes = notes.filter(|warning| !gave_up.contains(warning));
    lines.extend(notes.map(|warning| format!("note: {warning}")));
    lines
}

/// The answers of several parts, each below its question; then what is about all of them.
fn lines_of_parts(answer: &Answer) -> Vec<String> {
    let mut all = Vec::new();
    for (number, part) in (1..).zip(&answer.parts) {
        all.push(format!("{number}. {}", part.question));
        all.push(String::new());
        all.extend(lines(&part.answer));
        all.push(String::new());
    }
    all.extend(remarks(answer));
    all.extend(answer.hint.iter().map(|hint| format!("hint: {hint}")));
    all
}

/// A step of the plan on each line, below each other.
fn plan_lines(plan: &str) -> impl Iterator<Item = String> {
    let mut steps = plan.lines();
    let first = steps.next().map(|step| format!("plan: {step}"));
    first
        .into_iter()
        .chain(steps.map(|step| format!("      {step}")))
}

/// Truncated to two digits, not rounded, so that it never exceeds the measured value.
fn confidence_line(confidence: f64) -> String {
    format!("confidence: {:.2}", (confidence * 100.0).floor() / 100.0)
}
