//! Combines a follow-up with the previous question into one complete question: "and by month?" after "How
//! many orders were placed in 2024?" becomes "How many orders were placed in 2024 by month?".
//!
//! This module only writes candidate texts. The engine decides whether one of them is a question it can
//! answer, and the user sees which one was used.

mod previous;
mod reshaped;
mod words;

use std::sync::Arc;

use self::previous::{Before, period_at};
use self::words::{
    BACK_REFERENCES, CONTINUATIONS, GROUPING, OPENINGS, core_of, without_article, without_pronoun,
};
use crate::linking::links::Links;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::english::lexicon;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::placed_text;
use text2sql_phrases::say_in;

/// Whether the question continues the previous one, judged by its first words or a back reference.
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

/// How a follow-up was interpreted, in the language of the question.
pub fn read_as(follow_up: &Understanding, whole: &Understanding) -> String {
    say_in!(
        whole.language(),
        "'{follow_up}' is read as '{whole}'",
        follow_up = follow_up.text(),
        whole = whole.text()
    )
}

/// The complete questions that the follow-up may stand for, likeliest first.
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
    let first_said = addition.first().map(|token| token.surface.to_lowercase());
    let says = |list: &[&str]| {
        first_said
            .as_deref()
            .is_some_and(|word| list.contains(&word))
    };
    // "and how many stores are there?" is complete after its first word.
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
