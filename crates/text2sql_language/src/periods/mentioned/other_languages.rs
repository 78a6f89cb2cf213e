//! Periods in languages that the grammar does not know: phrases as data, one file for each language, each
//! with the English words that say the same.
//!
//! A phrase counts in the language that the question's small words speak. Where they speak of several, or
//! are missing, it counts only when all languages that know it mean the same days by it, and a single word
//! such as "hier" never does. What stays unsure is left to the model.

use jiff::civil::Date;
use std::collections::HashMap;
use std::sync::LazyLock;

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

/// A language made ready: everything without case and accents.
struct Language {
    phrases: &'static Phrases,
    marks: Vec<String>,
    numbers: Vec<String>,
    same: Vec<String>,
    /// The ways of saying a period, with the English for it.
    ways: Vec<(Vec<String>, &'static str)>,
}

static READY: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let folded = |words: &[&str]| words.iter().map(|word| fold(word)).collect();
    let ready = LANGUAGES.iter().map(|phrases| Language {
        phrases,
        marks: folded(phrases.marks),
        numbers: folded(phrases.numbers),
        same: folded(phrases.same),
        ways: phrases
            .phrases
            .iter()
            .flat_map(|(ways, english)| ways.split('|').map(|way| (cut(way), *english)))
            .collect(),
    });
    ready.collect()
});

/// First words of all ways, to tell most words apart from them at once.
static FIRST_WORDS: LazyLock<HashMap<String, ()>> = LazyLock::new(|| {
    let ways = READY.iter().flat_map(|language| &language.ways);
    ways.filter_map(|(words, _)| Some((words.first()?.clone(), ())))
        .collect()
});

fn cut(way: &str) -> Vec<String> {
    way.split([' ', '\'']).map(fold).collect()
}

/// What the tokens say of periods in one of the languages, and whether its small words are of that
/// language more than of English and German, of which it has so many.
pub fn periods(tokens: &[Token], today: Date, rivals: usize) -> (Vec<MentionedPeriod>, bool) {
    let said: Vec<String> = tokens.iter().map(|token| fold(&token.text)).collect();
    let counts: Vec<usize> = READY
        .iter()
        .map(|language| {
            said.iter()
                .filter(|word| language.marks.contains(word))
                .count()
        })
        .collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most < rivals || (most == rivals && most > 0) {
        return (Vec::new(), false);
    }
    let spoken: Vec<&Language> = READY
        .iter()
        .zip(&counts)
        .filter(|(_, count)| **count == most)
        .map(|(language, _)| language)
        .collect();
    let mut periods: Vec<MentionedPeriod> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((period, taken)) = period_at(&spoken, tokens, &said, at, today, most > 0) else {
            at += 1;
            continue;
        };
        at += taken;
        if !periods.contains(&period) {
            periods.push(period);
        }
    }
    (periods, most > 0)
}

/// The period that begins here, where the languages agree on it, and how many tokens it takes.
fn period_at(
    spoken: &[&Language],
    tokens: &[Token],
    said: &[String],
    at: usize,
    today: Date,
    is_known: bool,
) -> Option<(MentionedPeriod, usize)> {
    let first = said.get(at)?;
    let token = tokens.get(at)?;
    let begins = token.kind == TokenKind::Number
        || FIRST_WORDS.contains_key(first)
        || READY
            .iter()
            .any(|language| language.numbers.contains(first));
    if !begins {
        return None;
    }
    let mut found = spoken
        .iter()
        .filter_map(|language| Some((language, language.read(tokens, said, at, today)?)));
    let (language, (span, taken)) = found.next()?;
    let is_agreed = found.all(|(_, other)| other == (span, taken));
    // A single word is many things, and with a capital a name.
    let is_name = at > 0 && token.text.starts_with(char::is_uppercase);
    if !is_agreed || (taken == 1 && (!is_known || spoken.len() > 1 || is_name)) {
        return None;
    }
    let reach = at.saturating_sub(COMPARISON_REACH)..at;
    let before = said.get(reach).unwrap_or_default();
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
            text: joined(&words),
            from: span.0.map(|day| day.to_string()),
            before: span.1.map(|day| day.to_string()),
            wording: &language.phrases.wording,
        },
        taken,
    ))
}

/// The words as they were said: an elided article stands at its noun.
fn joined(words: &[&str]) -> String {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        text.push_str(word);
        let next = words.get(at + 1).and_then(|next| next.chars().next());
        let is_elided = matches!(
            word.to_lowercase().as_str(),
            "l" | "d" | "aujourd" | "quest" | "dall" | "dell"
        ) && next.is_some_and(char::is_alphabetic);
        if at + 1 < words.len() {
            text.push(if is_elided { '\'' } else { ' ' });
        }
    }
    text
}

impl Language {
    /// The longest way of saying a period that begins here.
    fn read(
        &self,
        tokens: &[Token],
        said: &[String],
        at: usize,
        today: Date,
    ) -> Option<(Span, usize)> {
        let fitting = self.ways.iter().filter_map(|(way, english)| {
            let number = self.fits(way, tokens, said, at)?;
            Some((way.len(), number, *english))
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

    /// Whether the words are the way, with the number in it.
    fn fits(
        &self,
        way: &[String],
        tokens: &[Token],
        said: &[String],
        at: usize,
    ) -> Option<Option<String>> {
        let mut number = None;
        for (offset, word) in way.iter().enumerate() {
            let (token, said) = (tokens.get(at + offset)?, said.get(at + offset)?);
            match word.as_str() {
                "#" => number = Some(self.number(token, said)?),
                _ if token.kind == TokenKind::Word && said == word => {}
                _ => return None,
            }
        }
        Some(number)
    }

    fn number(&self, token: &Token, said: &str) -> Option<String> {
        match token.kind {
            TokenKind::Number => Some(token.text.clone()),
            TokenKind::Word => {
                let place = self.numbers.iter().position(|word| word == said)?;
                Some((place + 2).to_string())
            }
            _ => None,
        }
    }
}
