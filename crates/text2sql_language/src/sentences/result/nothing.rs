//! Results without a finding: no rows, only NULLs, or the number 0.

use super::facts::{Reason, Role};
use super::found::Found;
use super::kinds::{Nothing, NothingKind};
use text2sql_domain::sql_result::Execution;

/// Whether nothing was found: no rows, or a single row of NULLs.
pub fn is_empty(execution: &Execution) -> bool {
    match execution.rows.as_slice() {
        _ if execution.is_truncated => false,
        [] => true,
        [row] => !row.is_empty() && row.iter().all(|cell| cell.text.is_none()),
        _ => false,
    }
}

/// Whether the result is the number 0, which is right and may need an explanation.
pub fn is_zero(execution: &Execution) -> bool {
    let [row] = execution.rows.as_slice() else {
        return false;
    };
    matches!(row.as_slice(), [cell] if cell.text.as_deref() == Some("0"))
}

pub(super) fn of(found: &Found<'_>) -> Option<Nothing> {
    let execution = found.execution;
    let role = |at: usize| {
        found
            .facts
            .outputs
            .get(at)
            .map(|output| output.role)
            .unwrap_or_default()
    };
    let kind = if is_empty(execution) {
        let is_stored = !found.facts.outputs.is_empty()
            && (0..execution.columns.len()).all(|at| matches!(role(at), Role::Value | Role::Id));
        match (execution.rows.len(), is_stored) {
            (0, _) => NothingKind::NoRows,
            (_, true) => NothingKind::NotStored,
            (_, false) => NothingKind::NoValue,
        }
    } else if is_zero(execution) && matches!(role(0), Role::Count | Role::DistinctCount) {
        NothingKind::Zero
    } else {
        return None;
    };
    let says_more =
        |reason: &&Reason| kind != NothingKind::NotStored || **reason != Reason::NoValues;
    let reasons = found.reasons.iter().filter(says_more).cloned().collect();
    Some(Nothing { kind, reasons })
}
