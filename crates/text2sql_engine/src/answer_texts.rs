//! Builds answers: status, sentence and rows.

use crate::query_judge::Finding;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::missing_privilege;
use text2sql_domain::ports::ModelAdvice;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::quote_literal;
use text2sql_domain::sql_result::Execution;
use text2sql_domain::trace::Trace;
use text2sql_language::sentences;
use text2sql_language::sentences::claims::singles_out_an_equal;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::{Language, say_in};

/// The proposal's own sentence, filled from the rows. Usable if its placeholders name existing cells and
/// it contains no number of its own.
pub fn filled_sentence(
    understanding: &Understanding,
    proposal: &SqlProposal,
    execution: &Execution,
) -> Option<String> {
    let template = sentences::strip_markup(proposal.sentence.as_deref()?);
    if !sentences::is_grounded(&template, understanding) {
        return None;
    }
    let (columns, rows) = (&execution.columns, &execution.rows);
    if singles_out_an_equal(&template, columns, rows) {
        return None;
    }
    sentences::fill(&template, columns, rows, execution.is_truncated)
}

/// Adds to the sentence that the result is truncated, unless it already says so: the missing rows may
/// make it wrong.
pub fn with_extent(sentence: String, execution: &Execution) -> String {
    let rows = execution.rows.len();
    let says_it = sentence.contains(&format!("at least {rows}"));
    match (execution.is_truncated && !says_it, rows) {
        (false, _) => sentence,
        (true, 1) => format!("{sentence} (of the first row; there are more)"),
        (true, rows) => format!("{sentence} (of the first {rows} rows; there are more)"),
    }
}

/// Whether the proposal's sentence names a cell.
pub fn states_a_value(proposal: &SqlProposal) -> bool {
    let sentence = proposal.sentence.as_deref();
    sentence.is_some_and(|sentence| sentence.contains("{rows["))
}

/// The answer with rows.
pub fn answer(proposal: SqlProposal, execution: Execution, sentence: Option<String>) -> Answer {
    let mut warnings = proposal.notes;
    if execution.is_truncated {
        warnings.push(format!(
            "the result is cut: only the first {} rows are shown (text2sql.max_result_rows, text2sql.max_result_size)",
            execution.rows.len()
        ));
    }
    Answer {
        status: Status::Ok,
        sentence,
        hint: None,
        sql: Some(proposal.sql),
        execution: Some(execution),
        warnings,
        withheld: Vec::new(),
        links: proposal.links,
        readings: Vec::new(),
        missing: Vec::new(),
        introduction: None,
        verified_by: proposal.verified_by,
        plan: proposal.plan,
        parts: Vec::new(),
        citations: Vec::new(),
        score: proposal.score,
        confidence: None,
        error: None,
        held: None,
        trace: Trace::default(),
    }
}

/// The answer if no query could be used.
pub fn refuse(finding: Finding, sql: Option<String>, user: &str) -> Answer {
    let rejection = finding.rejection.as_ref();
    let hint = match finding.status {
        Status::NotPermitted => rejection
            .and_then(|rejection| rejection.remedy(user))
            .or_else(|| Some("Ask about tables on which you have SELECT.".to_owned())),
        Status::Blocked => {
            Some("Rephrase the question. Only SELECT queries over user tables are run.".to_owned())
        }
        _ => {
            let names = finding.names.join(", ");
            let nearest = (!names.is_empty()).then(|| format!("names that exist: {names}"));
            let error = finding.error.as_ref();
            nearest.or_else(|| error.and_then(|error| error.hint.clone()))
        }
    };
    Answer {
        hint,
        sql,
        error: finding.error,
        ..Answer::without_rows(finding.status, finding.message)
    }
}

/// The answer if the data cannot answer the question, or only data that the caller may not read. `advice` is what the
/// caller may do to have a model answer.
pub fn decline(
    user: &str,
    language: Language,
    reason: String,
    nearest: &[String],
    forbidden: &[String],
    advice: impl FnOnce() -> Option<ModelAdvice>,
) -> Answer {
    if !forbidden.is_empty() {
        let mut answer = Answer::without_rows(
            Status::NotPermitted,
            missing_privilege::required_message(forbidden),
        );
        let privilege = format!("SELECT ON {}", forbidden.join(", "));
        answer.hint = Some(missing_privilege::grant_hint(&privilege, user));
        return answer;
    }
    let mut answer = Answer::without_rows(Status::Unanswerable, reason);
    let mut hints = Vec::new();
    if !nearest.is_empty() {
        let exist = say_in!(language, "names that exist");
        hints.push(format!("{exist}: {}", nearest.join(", ")));
    }
    hints.extend(advice().map(|advice| model_hint(&advice, language)));
    answer.hint = (!hints.is_empty()).then(|| hints.join("; "));
    answer
}

/// What introduces questions near one without an answer.
pub fn introduction(language: Language) -> String {
    say_in!(language, "You can ask:")
}

/// How the caller gets a model.
pub fn model_hint(advice: &ModelAdvice, language: Language) -> String {
    match advice {
        ModelAdvice::Add => say_in!(
            language,
            "the built-in engine answers simple questions only; for more, configure a model: SELECT text2sql.add_model(…); SET text2sql.model = '…'"
        ),
        ModelAdvice::Set(model) => say_in!(
            language,
            "the built-in engine answers simple questions only; a model is configured: SET text2sql.model = {model}",
            model = quote_literal(model)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_about_a_truncated_result_mentions_it() {
        let execution = |rows: usize, is_truncated| Execution {
            rows: vec![Vec::new(); rows],
            is_truncated,
            ..Execution::default()
        };
        let said = |sentence: &str, rows, is_truncated| {
            with_extent(sentence.to_owned(), &execution(rows, is_truncated))
        };
        assert_eq!(said("Anna leads.", 3, false), "Anna leads.");
        assert_eq!(
            said("Anna leads.", 3, true),
            "Anna leads. (of the first 3 rows; there are more)"
        );
        assert_eq!(said("at least 3 orders.", 3, true), "at least 3 orders.");
    }
}
