//! A follow-up and the question before it as one whole question: "and by month?" after "How many
//! orders were placed in 2024?" asks "How many orders were placed in 2024 by month?".
//!
//! This only writes texts. Whether one of them is a question is for the engine to say, which is right
//! or silent; the person who asks gets to see it.

mod previous;
mod reshaped;
mod words;

use std::sync::Arc;

use self::previous::{Before, period_at};
use self::words::{
    BACK_REFERENCES, CONTINUATIONS, GROUPING, OPENINGS, core_of, without_article, without_pronoun,
};
use crate::linking::links::Links;
use text2sql_domain::language::Language;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::english::lexicon;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::placed_text;

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
    let Some(today) = parse_date(follow_up.today()) else {
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
