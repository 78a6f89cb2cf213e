//! A sentence about rows that a check has proved wrong.

use text2sql_domain::language::Language;

/// The sentence with a warning in front of it, for clients that show nothing else.
pub fn probably_wrong(sentence: &str, language: Language) -> String {
    match language {
        Language::English => format!("Probably wrong: {sentence}"),
        Language::German => format!("Vermutlich falsch: {sentence}"),
    }
}
