//! Questions answered in several queries: the instructions, and the results of the earlier steps.

use super::replaceable::{NEXT_STEP, STEPS};
use super::result_rows::{MAX_ROWS_SHOWN, shown_row};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::sql_result::{Execution, ResultColumn};

/// The result of an earlier step.
#[derive(Debug)]
pub struct StepResult<'a> {
    /// What it was to find out.
    pub question: &'a str,
    /// Its columns.
    pub columns: &'a [ResultColumn],
    /// Its rows, where the model may see them.
    pub rows: Option<&'a Execution>,
}

/// The instructions that allow at most `max_steps` steps.
pub fn steps_instructions(own: &OwnPrompts, max_steps: usize) -> String {
    STEPS.fill(own, &[("max_steps", &max_steps.to_string())])
}

/// Renders the user's turn that asks for the query of step `number`; gives the number of rows in it, too.
pub fn render_next_step(
    own: &OwnPrompts,
    number: usize,
    question: &str,
    earlier: &[StepResult<'_>],
) -> (String, usize) {
    let mut shown_rows = 0;
    let mut lines = Vec::new();
    for (n, step) in earlier.iter().enumerate() {
        let columns: Vec<String> = step
            .columns
            .iter()
            .map(|column| without_disguise(&format!("{} {}", column.name, column.type_name)))
            .collect();
        lines.push(format!(
            "step_{} ({}): columns {}",
            n + 1,
            without_disguise(step.question),
            columns.join(", ")
        ));
        if let Some(execution) = step.rows {
            let rows = execution.rows.iter().take(MAX_ROWS_SHOWN);
            let before = lines.len();
            lines.extend(rows.map(|row| shown_row(row, &execution.columns)));
            let shown = lines.len() - before;
            shown_rows += shown;
            let all = execution.rows.len();
            lines.push(match shown < all || execution.is_truncated {
                true => format!("(the first {shown} rows)"),
                false => format!("({all} rows, all there are)"),
            });
        }
    }
    let (question, results) = (without_disguise(question), lines.join("\n"));
    let fence = fence_for(&[&question, &results]);
    let number = number.to_string();
    let text = NEXT_STEP.fill(
        own,
        &[
            ("fence", &fence),
            ("number", &number),
            ("question", &question),
            ("results", &results),
        ],
    );
    (text, shown_rows)
}
