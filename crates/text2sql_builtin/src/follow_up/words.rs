//! The words that make a question a follow-up, and those that add nothing to it.

use text2sql_domain::words;

/// Words that only introduce a follow-up; longest first.
pub(super) const OPENINGS: &[&str] = &[
    "no, i meant",
    "no, i mean",
    "sorry, i meant",
    "i meant",
    "i mean",
    "actually",
    "nein, ich meinte",
    "nein, ich meine",
    "ich meinte",
    "ich meine",
    "and what about",
    "and how about",
    "what about",
    "how about",
    "and the same for",
    "the same for",
    "same for",
    "and the same",
    "the same",
    "break it down",
    "break that down",
    "break this down",
    "break them down",
    "broken down",
    "split it",
    "split that",
    "split them",
    "split",
    "group it",
    "group that",
    "group them",
    "grouped",
    "show it",
    "show that",
    "show them",
    "list it",
    "list them",
    "and only",
    "but only",
    "only",
    "just",
    "and",
    "but",
    "also",
    "now",
    "then",
    "or",
    "instead",
    "und was ist mit",
    "was ist mit",
    "und wie ist es mit",
    "wie ist es mit",
    "und dasselbe für",
    "dasselbe für",
    "das gleiche für",
    "aufgeschlüsselt",
    "aufgeteilt",
    "gruppiert",
    "und nur",
    "aber nur",
    "nur",
    "und",
    "aber",
    "auch",
    "jetzt",
    "nun",
    "dann",
    "oder",
    "stattdessen",
];

/// Polite words before any question.
pub(super) const COURTESIES: &[&str] = &["please", "can you", "could you", "bitte", "kannst du"];

/// Words at the end that add no meaning.
pub(super) const CLOSINGS: &[&str] =
    words!("only, too, instead, as well, please, then, auch, stattdessen, bitte, nur");

/// First words of a fragment that continues the previous question.
pub(super) const CONTINUATIONS: &[&str] = &[
    "by", "per", "for", "in", "from", "since", "with", "without", "during", "sorted", "ordered",
    "nach", "je", "pro", "für", "aus", "seit", "mit", "ohne", "im", "sortiert", "vom", "von",
];

/// Words that refer back to the previous question or its answer.
pub(super) const BACK_REFERENCES: &[&str] = &[
    "why", "those", "these", "them", "they", "it", "warum", "wieso", "weshalb", "davon", "diese",
    "denen", "ihnen",
];

/// The follow-up without the words that only introduce it.
pub(super) fn core_of(follow_up: &str) -> String {
    let mut rest = follow_up
        .trim()
        .trim_end_matches(['?', '.', '!', ' '])
        .to_owned();
    loop {
        let lower = rest.to_lowercase();
        let opening = OPENINGS.iter().chain(COURTESIES).find(|opening| {
            lower
                .strip_prefix(**opening)
                .is_some_and(|behind| behind.starts_with([' ', ',']))
        });
        let closing = CLOSINGS
            .iter()
            .find(|closing| lower.ends_with(&format!(" {closing}")));
        let shorter = match (opening, closing) {
            (Some(opening), _) => rest.get(opening.len()..),
            (None, Some(closing)) => rest.get(..rest.len().saturating_sub(closing.len())),
            (None, None) => return rest,
        };
        let Some(shorter) = shorter else {
            return rest;
        };
        rest = shorter.trim_matches([' ', ',']).to_owned();
    }
}
