//! The question without the part that was not understood.

use text2sql_language::english::lexicon;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind, reading};
use text2sql_phrases::say_in;

use super::understood::Understood;
use super::wording::CURRENCIES;

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
        // Behind a verb that is left out, the rest is no sentence.
        let follows = tokens.get(at + 1);
        let is_noun = follows.is_none_or(|next| {
            next.kind != TokenKind::Word
                || lexicon::PREPOSITIONS.contains(&next.lower.as_str())
                || lexicon::CONJUNCTIONS.contains(&next.lower.as_str())
        });
        if !is_noun {
            return false;
        }
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

/// "How many orders per month in 1997?" of a question that begins with the noun.
pub(super) fn counted(question: &Understanding, understood: &Understood) -> Option<String> {
    let tokens = question.tokens();
    let first = tokens
        .first()
        .filter(|first| first.kind == TokenKind::Word)?;
    let begins_with_noun = !lexicon::is_known(&first.lower)
        && understood.is_known.first() == Some(&true)
        && !understood.named.is_empty();
    let rest = question.text().trim_end_matches(['?', '.', '!', ' ']);
    begins_with_noun.then(|| say_in!(question.language(), "How many {rest}?", rest))
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
    let Some(first_noun) = understood.first_noun else {
        return Vec::new();
    };
    for cut in (first_noun.max(2)..=last_cut).rev() {
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
