//! What the server worked out about a question before the model reads it: facts, and what was asked
//! before it. Both hold words of the person who asks: data, between the markers.

use super::without_disguise;
use text2sql_domain::question::Earlier;
use text2sql_language::interpretation::Facts;

/// The facts, a line for each. Terms have a section of their own.
pub(super) fn facts(facts: &Facts) -> String {
    let periods = facts.periods.iter().map(|period| period.statement());
    let lines: Vec<String> = periods
        .chain(facts.names.iter().cloned())
        .map(|line| without_disguise(&line))
        .collect();
    lines.join("\n")
}

/// The part of the prompt that holds the facts; nothing when there are none.
pub(super) fn facts_section(facts: &str, fence: &str) -> String {
    if facts.is_empty() {
        return String::new();
    }
    format!(
        "\nWhat words of the question stand for, worked out by the server. Days are those of the session's time zone.\n<data-{fence}>\n{facts}\n</data-{fence}>\n"
    )
}

/// The questions asked before, oldest first, each with its SQL.
pub(super) fn earlier(turns: &[Earlier]) -> String {
    let shown = turns.iter().map(|turn| {
        let question = without_disguise(&turn.question);
        match &turn.sql {
            Some(sql) => format!("Question: {question}\nSQL: {}", without_disguise(sql)),
            None => format!("Question: {question}\n(It had several readings.)"),
        }
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

/// The part of the prompt that holds them; nothing at the beginning of a conversation.
pub(super) fn earlier_section(earlier: &str, fence: &str) -> String {
    if earlier.is_empty() {
        return String::new();
    }
    format!(
        "\nAsked before in this conversation, oldest first; '…' is a value that is not shown. The question may go on from there (\"and by month?\"), correct it, mean its rows (\"those customers\": use that SQL in a WITH), or be about something else.\n<data-{fence}>\n{earlier}\n</data-{fence}>\n"
    )
}
