//! Turns the reason why a question has no answer into a proposal.

use std::sync::Arc;

use crate::linking::similar_names;
use crate::no_answer::Stop;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind, reading};
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
        Stop::Unplaced(at) => {
            let at = word_at_or_before(tokens, at);
            let word = tokens.get(at).map(|token| token.surface.clone());
            let missing: Vec<String> = word
                .iter()
                .filter(|word| word.chars().any(char::is_alphanumeric))
                .cloned()
                .collect();
            Proposal::Unanswerable {
                reason: match phrase_at(tokens, at) {
                    Some(phrase) => format!(
                        "the built-in engine does not understand the question at \"{phrase}\""
                    ),
                    None => {
                        "the built-in engine does not understand the end of the question".to_owned()
                    }
                },
                nearest: similar_names::nearest_names(&missing, tables),
                missing,
            }
        }
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

/// The position of the word that a stop is about: punctuation is never what is not understood.
fn word_at_or_before(tokens: &[Token], at: usize) -> usize {
    let is_word =
        |token: &Token| is_said(token) && !matches!(token.kind, TokenKind::Stop | TokenKind::Comma);
    if tokens.get(at).is_none_or(is_word) {
        return at;
    }
    let after = tokens.iter().skip(at).position(is_word);
    let before = tokens.iter().take(at).rposition(is_word);
    let is_comma = tokens
        .get(at)
        .is_some_and(|token| token.kind == TokenKind::Comma);
    match after.map(|offset| at + offset).filter(|_| is_comma) {
        Some(after) => after,
        None => before.unwrap_or(at),
    }
}

fn is_said(token: &Token) -> bool {
    token.kind == TokenKind::Quoted || token.surface.chars().any(char::is_alphanumeric)
}

/// The word at that position; if it is a function word, with the following ones up to a content word.
fn phrase_at(tokens: &[Token], at: usize) -> Option<String> {
    const MAX_WORDS: usize = 4;
    let mut words: Vec<&str> = Vec::new();
    for token in tokens.get(at..)?.iter().take(MAX_WORDS) {
        if token.kind == TokenKind::Stop {
            break;
        }
        words.push(&token.surface);
        if token.kind != TokenKind::Word || !lexicon::is_known(&token.lower) {
            break;
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
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
