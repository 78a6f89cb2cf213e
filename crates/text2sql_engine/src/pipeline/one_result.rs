//! What a caller with room for one result gets for a question that consists of several.

use super::attempt::Unsolved;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::language::Language;
use text2sql_language::understanding::Understanding;

/// What there is instead of SQL, for a caller with room for one result.
pub(super) fn answer_of(unsolved: Unsolved) -> Box<Answer> {
    match unsolved {
        Unsolved::Answered(answer) => answer,
        Unsolved::Several(parts) => Box::new(one_at_a_time(parts)),
    }
}

/// The answer to a question that consists of several, for a caller with room for one result.
pub(super) fn one_at_a_time(parts: Vec<String>) -> Answer {
    let language = parts.first().map(|part| language_of(part));
    let (number, quoted) = (parts.len(), quoted(&parts));
    let (sentence, hint) = match language.unwrap_or_default() {
        Language::English => (
            format!("these are {number} questions, and there is room for one result"),
            format!("Ask {quoted}, or all of them with text2sql.ask()."),
        ),
        Language::German => (
            format!("das sind {number} Fragen, und hier ist Platz für ein Ergebnis"),
            format!("Fragen Sie {quoted}, oder alles mit text2sql.ask()."),
        ),
    };
    Answer {
        readings: parts,
        hint: Some(hint),
        ..Answer::without_rows(Status::Ambiguous, sentence)
    }
}

/// The answer to a question that consists of several, for a role whose queries may have to wait for approval.
pub(super) fn one_approval_each(parts: Vec<String>) -> Answer {
    let language = parts.first().map(|part| language_of(part));
    let (number, quoted) = (parts.len(), quoted(&parts));
    let (sentence, hint) = match language.unwrap_or_default() {
        Language::English => (
            format!(
                "these are {number} questions, and a query that waits for approval answers one"
            ),
            format!("Ask them one by one: {quoted}."),
        ),
        Language::German => (
            format!(
                "das sind {number} Fragen, und eine Abfrage, die auf eine Freigabe wartet, beantwortet eine"
            ),
            format!("Stellen Sie sie einzeln: {quoted}."),
        ),
    };
    Answer {
        readings: parts,
        hint: Some(hint),
        ..Answer::without_rows(Status::Ambiguous, sentence)
    }
}

fn quoted(parts: &[String]) -> String {
    let quoted: Vec<String> = parts.iter().map(|part| format!("\"{part}\"")).collect();
    quoted.join(", ")
}

pub(super) fn language_of(question: &str) -> Language {
    // It does not depend on the day.
    Understanding::of(question, "2000-01-01").language()
}
