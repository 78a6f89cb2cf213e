//! A follow-up and the question before it as one whole question: "and by month?" after "How many
//! orders were placed in 2024?" asks "How many orders were placed in 2024 by month?".
//!
//! This only writes texts. Whether one of them is a question is for the engine to say, which is right
//! or silent; the person who asks gets to see it.

mod reshaped;

use std::sync::Arc;

use self::reshaped::without_article;
use super::link::Links;
use super::reading;
use text2sql_domain::date::Date;
use text2sql_domain::language::Language;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;
use text2sql_language::words::placed_text;
use text2sql_language::words::{Token, TokenKind};
use text2sql_language::{lexicon, spans};

/// Words in front of a follow-up that say nothing but that it is one; longest first.
const OPENINGS: &[&str] = &[
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

/// Words in front of any question.
const COURTESIES: &[&str] = &["please", "can you", "could you", "bitte", "kannst du"];

/// Words behind it that say no more.
const CLOSINGS: &[&str] = &[
    "only",
    "too",
    "instead",
    "as well",
    "please",
    "then",
    "auch",
    "stattdessen",
    "bitte",
    "nur",
];

/// Words that begin what a whole question would have in front of it.
const CONTINUATIONS: &[&str] = &[
    "by", "per", "for", "in", "from", "since", "with", "without", "during", "sorted", "ordered",
    "nach", "je", "pro", "für", "aus", "seit", "mit", "ohne", "im", "sortiert", "vom", "von",
];

/// Words that mean what was said or shown before.
const BACK_REFERENCES: &[&str] = &[
    "why", "those", "these", "them", "they", "it", "warum", "wieso", "weshalb", "davon", "diese",
    "denen", "ihnen",
];

/// Words that begin a part that groups.
const GROUPING: &[&str] = &["by", "per", "nach", "je", "pro"];

/// Prepositions that may tie a value to a noun, tried in this order.
const TIES: [&[&str]; 2] = [
    &["in", "for", "from", "of", "with"],
    &["in", "für", "aus", "von", "mit"],
];

/// Whether the question goes on from one before it, by its first words or by what it points at.
pub fn goes_on(understanding: &Understanding) -> bool {
    let words = understanding.words();
    let first = words.first().map_or("", String::as_str);
    let text = words.join(" ");
    let is_opened = OPENINGS
        .iter()
        .map(|opening| opening.replace(',', ""))
        .any(|opening| text == opening || text.starts_with(&format!("{opening} ")));
    let points_back = words.len() <= 8
        && words
            .iter()
            .any(|word| BACK_REFERENCES.contains(&word.as_str()));
    is_opened || CONTINUATIONS.contains(&first) || points_back
}

/// How a follow-up was read, in its language.
pub fn read_as(follow_up: &Understanding, whole: &Understanding) -> String {
    let is = match whole.language() {
        Language::English => "is read as",
        Language::German => "ist gelesen als",
    };
    format!("'{}' {is} '{}'", follow_up.text(), whole.text())
}

/// The whole questions that the follow-up may make with the one before it, likeliest first.
pub fn follow_ups(
    previous: &str,
    follow_up: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Vec<String> {
    let Some(today) = Date::parse(follow_up.today()) else {
        return Vec::new();
    };
    let core = Understanding::of(&core_of(follow_up.text()), follow_up.today());
    let addition = core.tokens();
    let previous = previous.trim().trim_end_matches(['?', '.', '!']);
    let before = Understanding::of(previous, follow_up.today());
    let (tokens, language) = (before.tokens(), before.language());
    let added = placed_text(addition);
    if addition.is_empty() || tokens.is_empty() {
        return Vec::new();
    }
    let own = Links::find(tokens, tables, definitions);
    let before = Before {
        text: previous,
        tokens,
        links: &own,
    };
    let addition = without_pronoun(addition);
    let first_said = addition.first().map(|token| token.said.to_lowercase());
    let says = |list: &[&str]| {
        first_said
            .as_deref()
            .is_some_and(|word| list.contains(&word))
    };
    // "and how many stores are there?" is a whole question behind its first word.
    let asks = addition.first().is_some_and(|token| {
        token.lower == "how" || lexicon::OPENERS.contains(&token.lower.as_str())
    });
    if asks {
        return before.of_them(addition).unwrap_or_else(|| vec![added]);
    }
    if says(GROUPING) {
        return before.grouped(&added);
    }
    if let Some((_, taken)) = period_at(addition, 0, today)
        && taken == addition.len()
    {
        return before.in_period(addition, today);
    }
    let bare = without_article(addition);
    let new = Links::find(bare, tables, definitions);
    if let Some(texts) = before.reshaped(bare, &new, language) {
        return texts;
    }
    before.about_value(addition, language, tables, definitions)
}

/// The question before, cut.
struct Before<'a> {
    text: &'a str,
    tokens: &'a [Token],
    links: &'a Links,
}

impl Before<'_> {
    /// With another grouping in place of its own, or with one.
    fn grouped(&self, added: &str) -> Vec<String> {
        let text = match self.grouping() {
            Some((start, end)) => reading(self.text, self.tokens, start, end, added),
            None => format!("{} {added}", self.text),
        };
        vec![text]
    }

    /// Its grouping, where it stands near the end: "by country" of "orders by country in 2024".
    fn grouping(&self) -> Option<(usize, usize)> {
        let at = self.tokens.iter().rposition(|token| {
            GROUPING.contains(&token.said.to_lowercase().as_str()) && token.kind == TokenKind::Word
        })?;
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let orders = matches!(
            before.lower.as_str(),
            "sorted" | "ordered" | "ranked" | "filtered"
        );
        let named = self.links.name_at(at + 1).map(|mention| mention.end);
        let end = named.unwrap_or(at + 2).min(self.tokens.len());
        // A second thing to group by, or what the first is told apart by, is no condition.
        let goes_on = self.tokens.get(end).is_some_and(|next| {
            next.kind == TokenKind::Comma
                || matches!(next.lower.as_str(), "and" | "or" | "of" | "with")
                || next.lower == "'s"
        });
        (!orders && !goes_on && at > 1).then_some((at, end))
    }

    /// With another period in place of its own, or with one.
    fn in_period(&self, addition: &[Token], today: Date) -> Vec<String> {
        let own = (0..self.tokens.len()).find_map(|at| {
            let (bare, taken) = period_at(self.tokens, at, today)?;
            Some((at, bare, at + taken))
        });
        let bare = without_preposition(addition);
        let has_preposition = bare.len() < addition.len();
        let is_open = addition.first().is_some_and(is_open);
        let (text, bare) = (placed_text(addition), placed_text(bare));
        match own {
            // "since March" has no "in" before it.
            Some((start, _, end)) if is_open => {
                vec![reading(self.text, self.tokens, start, end, &text)]
            }
            Some((_, start, end)) => vec![reading(self.text, self.tokens, start, end, &bare)],
            None if has_preposition || is_open => vec![format!("{} {text}", self.text)],
            None => vec![
                format!("{} {text}", self.text),
                format!("{} in {text}", self.text),
            ],
        }
    }

    /// With another value of the same column in place of its own, or with one.
    fn about_value(
        &self,
        addition: &[Token],
        language: Language,
        tables: &[Arc<Table>],
        definitions: &[Definition],
    ) -> Vec<String> {
        let bare = without_preposition(addition);
        let said = placed_text(bare);
        let mut texts = Vec::new();
        let new = Links::find(bare, tables, definitions);
        let value = new.value_at(0).filter(|mention| mention.end == bare.len());
        if let Some(value) = value {
            let same_column = (0..self.tokens.len()).find_map(|at| {
                let mention = self.links.value_at(at)?;
                let shares = mention
                    .values
                    .iter()
                    .any(|link| value.values.iter().any(|other| other.column == link.column));
                shares.then_some((mention.start, mention.end))
            });
            if let Some((start, end)) = same_column {
                return vec![reading(self.text, self.tokens, start, end, &said)];
            }
        }
        texts.push(format!("{} {}", self.text, placed_text(addition)));
        // A bare word may be anything; a value or a name in capitals needs a preposition.
        let is_name = bare
            .first()
            .is_some_and(|token| token.text != token.lower || token.kind == TokenKind::Quoted);
        if value.is_some() || is_name {
            let ties = match language {
                Language::English => TIES[0],
                Language::German => TIES[1],
            };
            texts.extend(ties.iter().map(|tie| format!("{} {tie} {said}", self.text)));
        }
        texts
    }
}

/// A period at the token, without its preposition: where it starts, and how many tokens in all.
fn period_at(tokens: &[Token], at: usize, today: Date) -> Option<(usize, usize)> {
    let rest = tokens.get(at..)?;
    if let Some((_, taken)) = spans::read(rest, today) {
        let first = rest.first()?;
        let skipped = usize::from(is_preposition(first) && !is_open(first));
        return Some((at + skipped, taken));
    }
    let (_, taken) = text2sql_language::dates::read_period(rest, today)?;
    Some((at, taken))
}

/// A preposition that says at which end a period is open, or that it is a range.
fn is_open(token: &Token) -> bool {
    matches!(
        token.lower.as_str(),
        "since" | "after" | "before" | "until" | "till" | "between" | "from"
    )
}

fn is_preposition(token: &Token) -> bool {
    [
        "in", "during", "on", "for", "of", "within", "over", "from", "with", "at",
    ]
    .contains(&token.lower.as_str())
}

/// "those in Berlin", "the ones with a phone": only what is behind the pronoun adds something.
fn without_pronoun(tokens: &[Token]) -> &[Token] {
    let bare = without_article(tokens);
    match bare {
        [pronoun, rest @ ..]
            if matches!(pronoun.lower.as_str(), "those" | "these" | "ones")
                && rest.first().is_some_and(|next| {
                    is_preposition(next)
                        || matches!(next.lower.as_str(), "that" | "which" | "who" | "without")
                }) =>
        {
            rest
        }
        _ => tokens,
    }
}

fn without_preposition(tokens: &[Token]) -> &[Token] {
    match tokens.split_first() {
        Some((first, rest)) if is_preposition(first) && !rest.is_empty() => rest,
        _ => tokens,
    }
}

/// The follow-up without the words that only say that it is one.
fn core_of(follow_up: &str) -> String {
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
