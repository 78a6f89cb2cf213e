//! What a query does in a few short lines: the steps of its explanation without comments and aliases.

use std::sync::Arc;

use super::Step;
use super::narrator::Narrator;
use super::scope::Scope;
use text2sql_domain::schema::Table;
use text2sql_language::english::shorten;
use text2sql_sql::tree::parse::parse_query;

/// Maximum number of lines: a query with more clauses is read as SQL.
const MAX_LINES: usize = 12;

/// Maximum length of a line, in characters: three lines of a terminal.
const MAX_CHARS: usize = 240;

/// The steps of a query, one line each; none if the query cannot be parsed.
pub(super) fn outline(sql: &str, tables: &[Arc<Table>]) -> Vec<Step> {
    let Ok(Some(query)) = parse_query(sql) else {
        return Vec::new();
    };
    let mut narrator = Narrator::brief(tables);
    narrator.query(&Scope::default(), &query);
    let all = narrator.steps.len();
    let steps = narrator.steps.into_iter().take(MAX_LINES);
    let mut lines: Vec<Step> = steps
        .map(|step| Step {
            explanation: shorten(&step.explanation, MAX_CHARS),
            clause: step.clause,
        })
        .collect();
    if all > MAX_LINES {
        lines.push(Step {
            clause: "…".to_owned(),
            explanation: "…".to_owned(),
        });
    }
    lines
}
