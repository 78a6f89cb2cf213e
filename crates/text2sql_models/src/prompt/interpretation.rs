//! What the server worked out about a question before the model reads it: periods and names. They hold
//! words of the question, and so are data between the markers.

use super::untrusted_text::without_disguise;
use text2sql_language::interpretation::Facts;

/// The facts, a line for each. Terms have a section of their own.
pub(super) fn facts(facts: &Facts) -> String {
    let periods = facts.periods.iter().map(|period| period.statement());
    let lines: Vec<String> = periods
        .chain(facts.names.iter().cloned())
        .chain(facts.undefined.iter().map(|(words, _)| {
            format!("'{words}' has no definition in this database: \"assumptions\" says which days you take it for")
        }))
        .map(|line| without_disguise(&line))
        .collect();
    lines.join("\n")
}

/// The part of the prompt that holds the facts; nothing when there are none.
pub(super) fn section(facts: &str, fence: &str) -> String {
    if facts.is_empty() {
        return String::new();
    }
    format!(
        "\nWhat words of the question stand for, worked out by the server. Days are those of the session's time zone.\n<data-{fence}>\n{facts}\n</data-{fence}>\n"
    )
}

/// The readings that the rest of the question may decide between, a line for each.
pub(super) fn readings(facts: &Facts) -> String {
    let lines = facts.readings.iter();
    let lines: Vec<String> = lines.map(|line| without_disguise(line)).collect();
    lines.join("\n")
}

/// The part of the prompt that holds the readings; nothing when there is only one.
pub(super) fn readings_section(readings: &str, fence: &str) -> String {
    if readings.is_empty() {
        return String::new();
    }
    format!(
        "\nA word of the question could mean each of these. Take the one that the rest of the question points to, or all where it means any of them, and say so in \"assumptions\"; ask back only if nothing decides.\n<data-{fence}>\n{readings}\n</data-{fence}>\n"
    )
}
