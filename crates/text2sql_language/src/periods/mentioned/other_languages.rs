//! Periods in languages that the grammar does not support: phrases as data, one file per language, each
//! with an English equivalent.
//!
//! The language of a question is determined by its function words. If several languages match, or none, a
//! phrase counts only if all languages that have it mean the same days, and a single word such as "hier"
//! never does. Uncertain phrases are left to the model.

use jiff::civil::Date;
use std::collections::HashMap;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::dutch::DUTCH;
use super::french::FRENCH;
use super::italian::ITALIAN;
use super::mentioned_period::{COMPARISON_REACH, MentionedPeriod};
use super::portuguese::PORTUGUESE;
use super::spanish::SPANISH;
use super::wording::Phrases;
use crate::periods::spans::{self, Span};
use crate::terms::fold;
use crate::words::{self, Token, TokenKind};

static LANGUAGES: [&Phrases; 5] = {
    static FRENCH_PHRASES: Phrases = FRENCH;
    static SPANISH_PHRASES: Phrases = SPANISH;
    static ITALIAN_PHRASES: Phrases = ITALIAN;
    static PORTUGUESE_PHRASES: Phrases = PORTUGUESE;
    static DUTCH_PHRASES: Phrases = DUTCH;
    [
        &FRENCH_PHRASES,
        &SPANISH_PHRASES,
        &ITALIAN_PHRASES,
        &PORTUGUESE_PHRASES,
        &DUTCH_PHRASES,
    ]
};

/// The phrases of a language without case and accents.
struct Locale {
    phrases: &'static Phrases,
    marks: Vec<String>,
    numbers: Vec<String>,
    same: Vec<String>,
    /// The phrases for periods, each with its English equivalent.
    variants: Vec<(Vec<String>, &'static str)>,
}

static LOCALES: LazyLock<Vec<Locale>> = LazyLock::new(|| {
    let folded = |words: &[&str]| words.iter().map(|word| fold(word)).collect();
    let ready = LANGUAGES.iter().map(|phrases| Locale {
        phrases,
        marks: folded(phrases.marks),
        numbers: folded(phrases.numbers),
        same: folded(phrases.same),
        variants: phrases
            .phrases
            .iter()
            .flat_map(|(variants, english)| {
                variants
                    .split('|')
                    .map(|phrase| (folded_words(phrase), *english))
            })
            .collect(),
    });
    ready.collect()
});

/// First words of all phrases, to skip most words cheaply.
static FIRST_WORDS: LazyLock<HashMap<String, ()>> = LazyLock::new(|| {
    let variants = LOCALES.iter().flat_map(|language| &language.variants);
    variants
        .filter_map(|(words, _)| Some((words.first()?.clone(), ())))
        .collect()
});

fn folded_words(phrase: &str) -> Vec<String> {
    phrase.split([' ', '\'']).map(fold).collect()
}

/// The periods of the tokens in one of the languages, and whether they have more function words of that
/// language than of English and German (`rivals`).
pub fn periods(tokens: &[Token], today: Date, rivals: usize) -> (Vec<MentionedPeriod>, bool) {
    let folded: Vec<String> = tokens.iter().map(|token| fold(&token.text)).collect();
    let counts: Vec<usize> = LOCALES
        .iter()
        .map(|language| {
            folded
                .iter()
                .filter(|word| language.marks.contains(word))
                .count()
        })
        .collect();
    let highest = counts.iter().copied().max().unwrap_or(0);
    if highest < rivals || (highest == rivals && highest > 0) {
        return (Vec::new(), false);
    }
    let candidates: Vec<&Locale> = LOCALES
        .iter()
        .zip(&counts)
        .filter(|(_, count)| **count == highest)
        .map(|(language, _)| language)
        .collect();
    let mut periods: Vec<MentionedPeriod> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((period, taken)) = period_at(&candidates, tokens, &folded, at, today, highest > 0)
        else {
            at += 1;
            continue;
        };
        at += taken;
        if !periods.contains(&period) {
            periods.push(period);
        }
    }
    (periods, highest > 0)
}

/// The period that begins here, where the languages agree on it, and how many tokens it takes.
fn period_at(
    candidates: &[&Locale],
    tokens: &[Token],
    folded: &[String],
    at: usize,
    today: Date,
    is_known: bool,
) -> Option<(MentionedPeriod, usize)> {
    let first = folded.get(at)?;
    let token = tokens.get(at)?;
    let begins = token.kind == TokenKind::Number
        || FIRST_WORDS.contains_key(first)
        || LOCALES
            .iter()
            .any(|language| language.numbers.contains(first));
    if !begins {
        return None;
    }
    let mut found = candidates
        .iter()
        .filter_map(|language| Some((language, language.read(tokens, folded, at, today)?)));
    let (language, (span, taken)) = found.next()?;
    let is_agreed = found.all(|(_, other)| other == (span, taken));
    // A single word is often ambiguous, and capitalised it is a name.
    let is_name = at > 0 && token.text.starts_with(char::is_uppercase);
    if !is_agreed || (taken == 1 && (!is_known || candidates.len() > 1 || is_name)) {
        return None;
    }
    let reach = at.saturating_sub(COMPARISON_REACH)..at;
    let before = folded.get(reach).unwrap_or_default();
    // "le mois dernier de 2022" is not counted from today.
    let of_year = tokens
        .get(at + taken..at + taken + 2)
        .is_some_and(|next| matches!(next, [of, year] if of.kind == TokenKind::Word && of.lower.len() <= 3 && year.kind == TokenKind::Number));
    if of_year || before.iter().any(|word| language.same.contains(word)) {
        return None;
    }
    let words: Vec<&str> = tokens
        .get(at..at + taken)?
        .iter()
        .map(|token| token.text.as_str())
        .collect();
    Some((
        MentionedPeriod {
            means: None,
            text: joined(&words),
            from: span.0.map(|day| day.to_string()),
            before: span.1.map(|day| day.to_string()),
            wording: &language.phrases.wording,
        },
        taken,
    ))
}

/// The words as in the question: an elided article is attached to its noun.
fn joined(words: &[&str]) -> String {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        text.push_str(word);
        let next = words.get(at + 1).and_then(|next| next.chars().next());
        let is_elided = words!("l, d, aujourd, quest, dall, dell")
            .contains(&word.to_lowercase().as_str())
            && next.is_some_and(char::is_alphabetic);
        if at + 1 < words.len() {
            text.push(if is_elided { '\'' } else { ' ' });
        }
    }
    text
}

impl Locale {
    /// The longest phrase for a period that begins here.
    fn read(
        &self,
        tokens: &[Token],
        folded: &[String],
        at: usize,
        today: Date,
    ) -> Option<(Span, usize)> {
        let fitting = self.variants.iter().filter_map(|(phrase, english)| {
            let number = self.fits(phrase, tokens, folded, at)?;
            Some((phrase.len(), number, *english))
        });
        let (taken, number, english) = fitting.max_by_key(|(length, _, _)| *length)?;
        let english = match number {
            Some(number) => english.replace('#', &number),
            None => english.to_owned(),
        };
        let english = words::tokenise(&english);
        let (span, read) = spans::read(&english, today)?;
        (read == english.len()).then_some((span, taken))
    }

    /// Whether the words match the phrase, with the number in it.
    fn fits(
        &self,
        phrase: &[String],
        tokens: &[Token],
        folded: &[String],
        at: usize,
    ) -> Option<Option<String>> {
        let mut number = None;
        for (offset, word) in phrase.iter().enumerate() {
            let (token, folded) = (tokens.get(at + offset)?, folded.get(at + offset)?);
            match word.as_str() {
                "#" => number = Some(self.number(token, folded)?),
                _ if token.kind == TokenKind::Word && folded == word => {}
                _ => return None,
            }
        }
        Some(number)
    }

    fn number(&self, token: &Token, folded: &str) -> Option<String> {
        match token.kind {
            TokenKind::Number => Some(token.text.clone()),
            TokenKind::Word => {
                let place = self.numbers.iter().position(|word| word == folded)?;
                Some((place + 2).to_string())
            }
            _ => None,
        }
    }
}
