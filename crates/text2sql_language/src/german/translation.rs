//! Translates German questions into the English words of the grammar, and moves verbs from the end of a
//! clause to where English has them. Each token keeps its German surface form.

use std::collections::HashMap;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::vocabulary::{ARTICLES, ENGLISH_MARKS, MARKS, PHRASES};
use crate::english::lexicon;
use crate::words::{self, Token, TokenKind};

/// The German words of a phrase, and the English ones.
type Way = (Vec<&'static str>, &'static str);

/// The phrases by their first word, longest first.
static BY_FIRST: LazyLock<HashMap<&'static str, Vec<Way>>> = LazyLock::new(|| {
    let mut by_first: HashMap<&str, Vec<(Vec<&str>, &str)>> = HashMap::new();
    for (ways, english) in PHRASES {
        for way in ways.split('|') {
            let words: Vec<&str> = way.split(' ').collect();
            if let Some(first) = words.first() {
                by_first.entry(first).or_default().push((words, english));
            }
        }
    }
    for ways in by_first.values_mut() {
        ways.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    }
    by_first
});

/// The tokens of a German question in the words of the grammar; `None` of any other. `tokens` are those of
/// the question as it is written.
pub(crate) fn in_words_of_grammar(tokens: &[Token], question: &str) -> Option<Vec<Token>> {
    let count = |marks: &[&str]| {
        tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word && marks.contains(&token.lower.as_str()))
            .count()
    };
    if count(MARKS) <= count(ENGLISH_MARKS) {
        return None;
    }
    let tokens = words::tokenise(&german_numbers(question));
    let mut english = translate(&tokens);
    // "… bietet jedes department an?": the prefix of a verb.
    let end = english
        .iter()
        .rposition(|token| token.kind != TokenKind::Stop)
        .filter(|&end| {
            end > 0
                && english.get(end).is_some_and(|token| {
                    matches!(
                        token.surface.to_lowercase().as_str(),
                        "an" | "auf" | "aus" | "ab"
                    )
                })
        });
    if let Some(end) = end {
        english.remove(end);
    }
    Some(verbs_forward(english))
}

/// The tokens of a German phrase in the words of the grammar, without a look at whether it is German.
pub(crate) fn words_of_grammar(phrase: &str) -> Vec<Token> {
    translate(&words::tokenise(&german_numbers(phrase)))
}

/// "1.000,50" is 1000.50, "31.12.2024" is 2024-12-31, "5. März" is 5 März.
fn german_numbers(question: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut parts = question.split_whitespace().peekable();
    while let Some(part) = parts.next() {
        let core = part.trim_end_matches([',', '?', '!', ';']);
        let rest = part.get(core.len()..).unwrap_or_default();
        let next_is_word = parts
            .peek()
            .is_some_and(|next| next.starts_with(char::is_alphabetic));
        let plain = core.trim_end_matches('.');
        let numeric = !plain.is_empty()
            && plain
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
        if !numeric {
            words.push(part.to_owned());
            continue;
        }
        let dotted: Vec<&str> = plain.split('.').collect();
        let word = match dotted.as_slice() {
            [day, month, year] if year.len() == 4 && day.len() <= 2 && month.len() <= 2 => {
                format!("{year}-{month:0>2}-{day:0>2}")
            }
            [_] if core.ends_with('.') && next_is_word => plain.to_owned(),
            _ => {
                let grouped = dotted.len() > 1
                    && dotted.iter().skip(1).all(|group| {
                        group
                            .split(',')
                            .next()
                            .is_some_and(|group| group.len() == 3)
                    });
                let whole = if grouped {
                    plain.replace('.', "")
                } else {
                    plain.to_owned()
                };
                let end = if core.ends_with('.') { "." } else { "" };
                format!("{}{end}", whole.replace(',', "."))
            }
        };
        words.push(format!("{word}{rest}"));
    }
    words.join(" ")
}

fn translate(tokens: &[Token]) -> Vec<Token> {
    let mut english: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind != TokenKind::Word {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            if is_year(token) && before.is_some_and(|word| says_when(&word.lower)) {
                let mut preposition = translated(token, "in");
                preposition.surface = String::new();
                english.push(preposition);
            }
            english.push(token.clone());
            at += 1;
            continue;
        }
        let before = english.last();
        let after_comma = before.is_some_and(|token| token.kind == TokenKind::Comma);
        if after_comma && (ARTICLES.contains(&token.lower.as_str()) || token.lower == "denen") {
            english.push(translated(token, "that"));
            at += 1;
            continue;
        }
        if token.lower == "nach" {
            let next = tokens.get(at + 1);
            let is_time = next.is_some_and(|next| {
                matches!(next.kind, TokenKind::Number | TokenKind::Date)
                    || matches!(next.lower.as_str(), "dem" | "ende" | "beginn")
                    || BY_FIRST
                        .get(next.lower.as_str())
                        .and_then(|ways| ways.first())
                        .is_some_and(|(_, word)| lexicon::month_of(word).is_some())
            });
            english.push(translated(token, if is_time { "after" } else { "by" }));
            at += 1;
            continue;
        }
        if let Some((length, words)) = phrase(tokens, at) {
            let words_of_phrase: Vec<&str> = tokens
                .get(at..at + length)
                .unwrap_or_default()
                .iter()
                .map(|token| token.text.as_str())
                .collect();
            for (i, word) in words.split(' ').enumerate() {
                let mut new = translated(token, word);
                new.surface = if i == 0 {
                    words_of_phrase.join(" ")
                } else {
                    String::new()
                };
                english.push(new);
            }
            at += length;
            continue;
        }
        if ARTICLES.contains(&token.lower.as_str()) {
            let is_genitive = matches!(token.lower.as_str(), "der" | "des")
                && before.is_some_and(|before| {
                    before.kind == TokenKind::Word
                        && (!is_grammar(before) || before.lower == "name")
                });
            if is_genitive {
                english.push(translated(token, "of"));
                let mut article = translated(token, "the");
                article.surface = String::new();
                english.push(article);
            } else {
                english.push(translated(token, "the"));
            }
            at += 1;
            continue;
        }
        english.push(token.clone());
        at += 1;
    }
    english
}

/// Whether a number is likely a year.
fn is_year(token: &Token) -> bool {
    let is_short = token.kind == TokenKind::Number && token.lower.len() == 4;
    is_short && (token.lower.starts_with("19") || token.lower.starts_with("20"))
}

/// Words after which a bare year is a period: "gab es 2024", "pro Monat 2024". After a noun it may be the
/// number of a row.
fn says_when(word: &str) -> bool {
    words!("es, wurden, wurde, waren, war, monat, quartal, woche").contains(&word)
}

fn is_grammar(token: &Token) -> bool {
    lexicon::is_known(&token.lower)
}

/// A token of the grammar with the surface form of the original.
fn translated(original: &Token, word: &str) -> Token {
    Token {
        surface: original.text.clone(),
        place: original.place,
        ..Token::new(word, TokenKind::Word)
    }
}

fn phrase(tokens: &[Token], at: usize) -> Option<(usize, &'static str)> {
    let first = tokens.get(at)?;
    BY_FIRST
        .get(first.lower.as_str())?
        .iter()
        .find(|(words, _)| {
            words.iter().enumerate().all(|(i, word)| {
                tokens
                    .get(at + i)
                    .is_some_and(|token| token.kind == TokenKind::Word && token.lower == *word)
            })
        })
        .map(|(words, english)| (words.len(), *english))
}

/// ", that more than three orders have" becomes ", that have more than three orders".
fn verbs_forward(tokens: Vec<Token>) -> Vec<Token> {
    let mut ordered: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut clause: Option<usize> = None;
    for (i, token) in tokens.iter().enumerate() {
        let ends = matches!(token.kind, TokenKind::Comma | TokenKind::Stop);
        if ends && let Some(start) = clause.take() {
            move_verbs(&mut ordered, start);
        }
        let after_comma = i > 0
            && tokens
                .get(i - 1)
                .is_some_and(|before| before.kind == TokenKind::Comma);
        let after_and = i > 0
            && tokens
                .get(i - 1)
                .is_some_and(|before| matches!(before.lower.as_str(), "and" | "or"));
        let opens =
            after_comma && matches!(token.lower.as_str(), "that" | "whose" | "where" | "which");
        let goes_on =
            after_and && clause.is_some() && matches!(token.lower.as_str(), "that" | "whose");
        if goes_on && let Some(start) = clause.take() {
            let and = ordered.pop();
            move_verbs(&mut ordered, start);
            ordered.extend(and);
        }
        ordered.push(token.clone());
        if opens || goes_on {
            clause = Some(ordered.len());
        }
    }
    if let Some(start) = clause {
        move_verbs(&mut ordered, start);
    }
    ordered
}

/// Moves the verbs at the end of the clause that begins at `start` to its beginning.
fn move_verbs(tokens: &mut Vec<Token>, start: usize) {
    let is_verb = |token: &Token| {
        token.kind == TokenKind::Word
            && !token.surface.is_empty()
            && token.surface.to_lowercase() != token.lower
            && (lexicon::AUXILIARIES.contains(&token.lower.as_str())
                || lexicon::LINKING_VERBS.contains(&token.lower.as_str())
                || lexicon::EVENT_VERBS.contains(&token.lower.as_str())
                || matches!(token.lower.as_str(), "cost" | "start" | "end" | "contain"))
    };
    let mut verbs = Vec::new();
    while tokens.len() > start && tokens.last().is_some_and(is_verb) {
        verbs.extend(tokens.pop());
    }
    let whose = start
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .is_some_and(|token| token.lower == "whose");
    // The verb of a quoted text precedes it: "deren name 'x' enthält", "die mit A beginnen".
    let about_text = |verb: &Token| matches!(verb.lower.as_str(), "contain" | "start" | "end");
    if let Some(at) = verbs.iter().position(about_text) {
        let mut verb = verbs.remove(at);
        let last = tokens.len().saturating_sub(1).max(start);
        if verb.lower == "contain" {
            tokens.insert(last, verb);
        } else if last > start
            && let Some(with) = tokens
                .get_mut(last - 1)
                .filter(|token| token.lower == "with")
        {
            let form = if verb.lower == "start" {
                "starts"
            } else {
                "ends"
            };
            form.clone_into(&mut verb.lower);
            form.clone_into(&mut verb.text);
            with.surface = String::new();
            tokens.insert(last - 1, verb);
        } else {
            tokens.push(verb);
        }
    }
    // German has "placed have" for "have placed"; after "whose" the noun comes first, and an auxiliary adds
    // nothing.
    for (i, verb) in verbs.into_iter().enumerate() {
        if !whose {
            tokens.insert(start + i, verb);
        } else if !lexicon::AUXILIARIES.contains(&verb.lower.as_str()) && verb.lower != "located" {
            tokens.push(verb);
        }
    }
}
