//! Turns the reason why a question has no answer into a proposal.

use std::sync::Arc;

use crate::linking::similar_names;
use crate::no_answer::Stop;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_language::words::{Token, reading};
use text2sql_phrases::{Language, retold, say_in};

pub(crate) fn decline(
    question: &str,
    tokens: &[Token],
    tables: &[Arc<Table>],
    stop: Stop,
) -> Proposal {
    match stop {
        Stop::Missing(missing) => Proposal::Unanswerable {
            reason: format!(
                "the built-in engine does not understand {}",
                missing
                    .iter()
                    .map(|word| format!("\"{word}\""))
                    .collect::<Vec<_>>()
                    .join(" or ")
            ),
            nearest: similar_names::nearest_names(&missing, tables),
            missing,
        },
        Stop::Unanswerable(reason) => Proposal::Unanswerable {
            reason,
            missing: Vec::new(),
            nearest: Vec::new(),
        },
        Stop::Ambiguous {
            question: back,
            start,
            end,
            replacements,
        } => {
            let readings: Vec<String> = replacements
                .iter()
                .map(|words| reading(question, tokens, start, end, words))
                .collect();
            if readings.len() < 2 {
                return Proposal::Unanswerable {
                    reason: back,
                    missing: Vec::new(),
                    nearest: Vec::new(),
                };
            }
            Proposal::Ambiguous {
                question: back,
                readings,
            }
        }
    }
}

/// The stop with its readings in the language of the question.
pub(crate) fn in_words_of(language: Language, stop: Stop) -> Stop {
    match stop {
        Stop::Ambiguous {
            question,
            start,
            end,
            replacements,
        } => Stop::Ambiguous {
            question,
            start,
            end,
            replacements: replacements
                .iter()
                .map(|words| retold(language, "reading", words))
                .collect(),
        },
        stop => stop,
    }
}

/// A refusal in the language of the question: its reason is made in English.
pub(crate) fn retold_in(language: Language, declined: Proposal) -> Proposal {
    match declined {
        Proposal::Ambiguous { question, readings } => Proposal::Ambiguous {
            question: retold(language, "reason", &question),
            readings,
        },
        Proposal::Unanswerable {
            reason,
            missing,
            nearest,
        } => {
            let or = say_in!(language, " or ");
            Proposal::Unanswerable {
                reason: retold(language, "reason", &reason).replace(" or ", &or),
                missing,
                nearest,
            }
        }
        answered @ Proposal::Sql(_) => answered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(language: Language, reason: &str) -> String {
        let declined = Proposal::Unanswerable {
            reason: reason.to_owned(),
            missing: Vec::new(),
            nearest: Vec::new(),
        };
        match retold_in(language, declined) {
            Proposal::Unanswerable { reason, .. } => reason,
            _ => String::new(),
        }
    }

    #[test]
    fn reasons_keep_their_names() {
        let german = Language::named("de").unwrap_or_default();
        for (english, told) in [
            (
                "no foreign keys connect stores and reviews",
                "keine Fremdschlüssel verbinden stores und reviews",
            ),
            ("'Berlin' is stores.city", "„Berlin“ ist stores.city"),
            (
                "the built-in engine does not understand \"a\" or \"b\"",
                "die eingebaute Engine versteht \"a\" oder \"b\" nicht",
            ),
            (
                "something that nobody translated",
                "something that nobody translated",
            ),
        ] {
            assert_eq!(reason(german, english), told);
            assert_eq!(reason(Language::ENGLISH, english), english);
        }
    }

    #[test]
    fn a_refusal_speaks_a_made_up_language() {
        let file = include_str!("../../text2sql_phrases/tests/made_up.po");
        let made_up = Language::of_file("xx", file);
        let told = reason(made_up, "no foreign keys connect stores and reviews");
        assert_eq!(told, "na kei stores ma reviews");
    }
}
