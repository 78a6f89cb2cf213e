//! The question without the part that was not understood.

use text2sql_language::english::lexicon;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind, reading};

use super::understood::{CURRENCIES, Understood};

/// The question without its unknown words, where they stand beside a word that is understood: "staff memeber".
pub(super) fn without_unknown(question: &Understanding, understood: &Understood) -> Option<String> {
    const MOST: usize = 2;
    let tokens = question.tokens();
    let is_known = |at: usize| understood.is_known.get(at).copied().unwrap_or(true);
    let unknown: Vec<usize> = (0..tokens.len()).filter(|at| !is_known(*at)).collect();
    let stands_beside = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_money = tokens
            .get(at)
            .is_some_and(|token| CURRENCIES.contains(&token.lower.as_str()));
        // A number without its unit is another one, unless it is money.
        before.is_some_and(|before| {
            before.kind == TokenKind::Number && is_money
                || before.kind == TokenKind::Word && !lexicon::is_known(&before.lower)
        })
    };
    let may_go =
        !unknown.is_empty() && unknown.len() <= MOST && unknown.iter().all(|at| stands_beside(*at));
    if !may_go {
        return None;
    }
    let mut kept = tokens.to_vec();
    for at in &unknown {
        if let Some(token) = kept.get_mut(*at) {
            token.surface.clear();
        }
    }
    let length = kept.len();
    Some(
        reading(question.text(), &kept, length, length, "")
            .trim()
            .to_owned(),
    )
}

/// The question up to where a phrase begins, the longest first, if a table and more than that is left.
pub(super) fn beginnings(question: &Understanding, understood: &Understood) -> Vec<String> {
    let tokens = question.tokens();
    let end = tokens
        .iter()
        .rposition(|token| token.kind != TokenKind::Stop);
    let end = end.map_or(0, |last| last + 1);
    let begins_phrase = |token: &Token| {
        token.kind == TokenKind::Comma
            || lexicon::PREPOSITIONS.contains(&token.lower.as_str())
            || lexicon::RELATIVES.contains(&token.lower.as_str())
            || lexicon::CONJUNCTIONS.contains(&token.lower.as_str())
    };
    let first_unknown = understood.is_known.iter().position(|known| !known);
    let last_cut = first_unknown.unwrap_or(end).min(end);
    let mut beginnings = Vec::new();
    for cut in (2..=last_cut).rev() {
        let is_cut = tokens.get(cut).is_some_and(begins_phrase);
        let is_whole = cut
            .checked_sub(1)
            .and_then(|last| tokens.get(last))
            .is_some_and(|last| last.kind != TokenKind::Word || !lexicon::is_known(&last.lower));
        if is_cut && is_whole {
            let text = reading(question.text(), tokens, cut, end, "");
            beginnings.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    beginnings
        .into_iter()
        .map(|text| text.replace(" ?", "?"))
        .collect()
}
