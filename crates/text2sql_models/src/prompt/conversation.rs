//! The earlier turns of a conversation. They hold words of the person who asks, and so are data between
//! the markers.

use super::untrusted_text::without_disguise;
use text2sql_domain::question::Earlier;

/// The questions asked before, oldest first, each with its SQL.
pub(super) fn earlier_turns(turns: &[Earlier]) -> String {
    let shown = turns.iter().map(|turn| {
        let question = without_disguise(&turn.question);
        match &turn.sql {
            Some(sql) => format!("Question: {question}\nSQL: {}", without_disguise(sql)),
            None => format!("Question: {question}\n(It had several readings.)"),
        }
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

/// The part of the prompt that holds the earlier turns; nothing at the beginning of a conversation.
pub(super) fn section(earlier: &str, fence: &str) -> String {
    if earlier.is_empty() {
        return String::new();
    }
    format!(
        "\nAsked before in this conversation, oldest first; '…' is a value that is not shown. The question may go on from there (\"and by month?\"), correct it, mean its rows (\"those customers\": use that SQL in a WITH), or be about something else.\n<data-{fence}>\n{earlier}\n</data-{fence}>\n"
    )
}
