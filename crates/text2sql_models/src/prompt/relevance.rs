//! Asks a model how well a result answers the question: question, query and columns, and rows only where
//! they may leave the server.

use super::prompt_text::Prompt;
use super::replaceable::{RELEVANCE, RELEVANCE_CASE};
use super::result_rows::first_rows;
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::sql_result::Execution;
use text2sql_language::understanding::Understanding;

/// Maximum number of rows shown: enough to see what kind of result it is.
const MAX_ROWS: usize = 5;

/// Renders the prompt.
pub fn render_relevance(
    own: &OwnPrompts,
    understanding: &Understanding,
    sql: &str,
    execution: &Execution,
    shows_rows: bool,
) -> Prompt {
    let mut sample = execution.clone();
    sample.rows.truncate(if shows_rows { MAX_ROWS } else { 0 });
    let columns: Vec<String> = execution
        .columns
        .iter()
        .map(|column| format!("{} {}", column.name, column.type_name))
        .collect();
    let [text, sql, columns] =
        [understanding.text(), sql, &columns.join(", ")].map(without_disguise);
    let rows = first_rows(&sample);
    let fence = fence_for(&[&text, &sql, &columns, &rows]);
    let count = match execution.is_truncated {
        true => format!("more than {}", execution.rows.len()),
        false => execution.rows.len().to_string(),
    };
    let rows = if rows.is_empty() {
        String::new()
    } else {
        format!("\nThe first rows:\n<data-{fence}>\n{rows}\n</data-{fence}>")
    };
    Prompt {
        system: RELEVANCE.fill(own, &[]),
        user: RELEVANCE_CASE.fill(
            own,
            &[
                ("fence", &fence),
                ("question", &text),
                ("sql", &sql),
                ("columns", &columns),
                ("count", &count),
                ("rows", &rows),
            ],
        ),
        disclosed: Disclosed {
            tables: execution.relations.clone(),
            result_rows: sample.rows.len(),
            ..Disclosed::default()
        },
        ..Prompt::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use text2sql_domain::sql_result::{Cell, ResultColumn};

    #[test]
    fn rows_go_out_only_where_they_may() {
        let execution = Execution {
            columns: vec![ResultColumn {
                name: "country".to_owned(),
                type_name: "text".to_owned(),
            }],
            rows: vec![vec![Cell {
                text: Some("Germany".to_owned()),
                json: RawValue::from_string("\"Germany\"".to_owned()).expect("JSON"),
            }]],
            ..Execution::default()
        };
        let question = Understanding::of("Which country?", "2026-11-21");
        let prompt = |shows| {
            render_relevance(
                &OwnPrompts::default(),
                &question,
                "SELECT country FROM x",
                &execution,
                shows,
            )
        };
        let (with, without) = (prompt(true), prompt(false));
        assert!(with.user.contains("Germany") && with.disclosed.result_rows == 1);
        assert!(!without.user.contains("Germany") && without.disclosed.result_rows == 0);
        for prompt in [with, without] {
            assert!(prompt.user.contains("SELECT country FROM x"));
            assert!(prompt.user.contains("country text") && prompt.user.contains("1 rows"));
            assert!(!prompt.system.contains("country"));
        }
    }
}
