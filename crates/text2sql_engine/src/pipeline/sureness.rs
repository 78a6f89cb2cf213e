//! Whether an answer without rows is the last word, or another engine may have a better one.

use super::attempt::Basis;
use super::prepare::Prepared;
use text2sql_builtin as builtin;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::pipeline_run::Run;

/// What the answer of the engine of this run rests on.
pub(super) fn basis(cx: &Run<'_>, answer: &Answer, prepared: &Prepared) -> Basis {
    let is_builtin = matches!(cx.config.model, ModelConfig::Builtin);
    let is_unsure = match answer.status {
        // The built-in engine asks back where its grammar has two readings, too. A model asks back where it has
        // understood the question.
        Status::Ambiguous => is_builtin && !is_proved(prepared),
        status => may_be_improved(status),
    };
    match is_unsure {
        true => Basis::UnsureEngine,
        false => Basis::SureEngine,
    }
}

/// Whether another engine may do better. Privileges are the same for all of them.
pub(super) fn may_be_improved(status: Status) -> bool {
    match status {
        Status::Unanswerable | Status::Blocked | Status::Failed => true,
        Status::Ok | Status::Ambiguous | Status::NotPermitted | Status::Waiting => false,
    }
}

/// Whether names and values alone prove that the question has several readings, which no engine can change. A doubt
/// that the rest of the question may settle is left to an engine that can reason. In a follow-up, names may refer to
/// earlier turns.
fn is_proved(prepared: &Prepared) -> bool {
    let context = &prepared.context;
    let doubt = || {
        builtin::ambiguity(
            &prepared.understanding,
            &context.tables,
            &context.definitions,
        )
    };
    prepared.turns.is_empty() && doubt().is_some_and(|doubt| !doubt.may_be_settled)
}
