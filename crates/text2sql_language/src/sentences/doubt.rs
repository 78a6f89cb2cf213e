//! A sentence about rows that a check has proved wrong.

use text2sql_phrases::{Language, say_in};

/// The sentence with a warning in front of it, for clients that show nothing else.
pub fn probably_wrong(sentence: &str, language: Language) -> String {
    say_in!(language, "Probably wrong: {sentence}")
}
