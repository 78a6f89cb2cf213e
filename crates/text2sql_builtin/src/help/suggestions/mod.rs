//! Complete questions near one that has no answer. Each was asked and has one.
//!
//! They come from what was understood: the question without the part that was not, and short questions about its
//! tables, numbers and values.

mod shortened;
mod table_nouns;
mod templates;
mod understood;
mod wording;

use std::sync::Arc;

use text2sql_domain::proposal::{Offer, Proposal, Suggestion};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::german::nouns;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::retold;

use self::understood::Understood;
use crate::help::replaced::{Replaced, with_word};
use crate::help::reread::reread;
use crate::proposal::propose_within;
use crate::unclear_questions::nothing_named::most_referenced;
use text2sql_understanding::named_tables;

/// Maximum number of questions that are offered.
const MAX_OFFERED: usize = 3;

/// Maximum number of questions that are tried: each takes as long as an answer.
const MAX_TRIED: usize = 12;

/// With fewer than that, tables are looked for that the question calls by other words, and so many more are tried.
const FEW: usize = 2;
const MORE_TRIED: usize = 6;

/// Beyond this many tables, a suggestion is first tried on the tables that it is about, and on all of them only if
/// that gives an answer.
const MANY_TABLES: usize = 150;

/// The offer for a question, by the words and tables that it was read with.
pub(super) fn offer(
    asked: &Understanding,
    read_as: &str,
    replaced: &[Replaced],
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Offer {
    let today = asked.today();
    let language = asked.language();
    let read = Understanding::of(read_as, today);
    let mut understood = Understood::of(&read, tables, definitions);
    let asked_nouns = replaced.iter().filter_map(|one| nouns::noun(&one.word));
    understood.asked_nouns = asked_nouns.collect();
    // A German noun stays as it was asked, and a misspelt word does not.
    let as_asked = |text: String| {
        let nouns = replaced
            .iter()
            .filter(|one| nouns::noun(&one.word).is_some());
        nouns.fold(text, |text, one| {
            with_word(&text, &one.by, &one.word).unwrap_or(text)
        })
    };
    let beginnings = shortened::beginnings(&read, &understood).into_iter();
    let candidates = shortened::without_unknown(&read, &understood)
        .into_iter()
        .chain(shortened::counted(&read, &understood))
        .map(as_asked)
        .chain(templates::questions(&understood, language))
        .chain(beginnings.map(as_asked))
        .chain(templates::counts(&understood, language));
    let is_large = tables.len() > MANY_TABLES;
    let neighbours = match is_large {
        true => understood.neighbourhood(),
        false => Vec::new(),
    };
    let near = if is_large { &neighbours } else { tables };
    let mut questions: Vec<Suggestion> = Vec::new();
    let mut tried: Vec<String> = vec![asked.text().to_owned(), read_as.to_owned()];
    let mut try_one = |question: String, questions: &mut Vec<Suggestion>, most: usize| {
        if questions.len() >= MAX_OFFERED || tried.len() > most || tried.contains(&question) {
            return;
        }
        tried.push(question.clone());
        let ask = |tables: &[Arc<Table>]| {
            let mut understanding = Understanding::of(&question, today);
            // Suggestions have German nouns, but no other words than the tables.
            if language.tag() == "de"
                && let Some(words) = reread(&understanding, tables, definitions)
            {
                understanding = Understanding::of(&words, today);
            }
            propose_within(&understanding, tables, definitions, 0)
        };
        let mut answer = ask(near);
        if is_large && matches!(answer, Proposal::Sql(_)) {
            answer = ask(tables);
        }
        if let Proposal::Sql(answer) = answer
            && questions.iter().all(|known| known.sql != answer.sql)
        {
            questions.push(Suggestion {
                question,
                sql: answer.sql,
            });
        }
    };
    for question in candidates {
        try_one(question, &mut questions, MAX_TRIED);
    }
    if questions.len() < FEW {
        // What the question calls by another word: "articles" are products.
        let others = named_tables(asked, &understood.tables).into_iter();
        let others: Vec<usize> = others
            .filter(|table| !understood.named.contains(table))
            .collect();
        understood.named.extend(others);
        let more = templates::questions(&understood, language)
            .into_iter()
            .chain(templates::counts(&understood, language));
        for question in more {
            try_one(question, &mut questions, MAX_TRIED + MORE_TRIED);
        }
    }
    if questions.is_empty() {
        // Nothing of it is known: what the database is about.
        understood.named = most_referenced(&understood.tables);
        for question in templates::counts(&understood, language) {
            try_one(question, &mut questions, MAX_TRIED + 2 * MORE_TRIED);
        }
    }
    let notes = understood.notes();
    let notes = notes.iter().map(|note| retold(language, "reason", note));
    Offer {
        understood: notes.collect(),
        questions,
    }
}
