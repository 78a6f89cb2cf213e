//! Unknown words that are a misspelt word, or a German noun for an English name.

use std::sync::Arc;

use text2sql_domain::schema::{Definition, Table, quote_identifier};
use text2sql_language::edit_distance::typing_errors;
use text2sql_language::english::lexicon;
use text2sql_language::german;
use text2sql_language::german::nouns;
use text2sql_language::names::english_words;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind, stem};
use text2sql_phrases::Language;

use super::replaced::{Replaced, with_word};
use super::vocabulary::{Vocabulary, Word};
use crate::linking::links::Links;
use crate::linking::readable_names::{plural, readable};

/// Maximum number of words that are replaced in a question: with more, it is about something else.
const MAX_WORDS: usize = 4;

/// A question with words that are spelled, or named, as the tables name them.
pub(crate) struct Spelled {
    pub(crate) text: String,
    pub(crate) replaced: Vec<Replaced>,
}

/// The question with each unknown word replaced for which only one word is meant; `None` if there is none.
pub(crate) fn spelled(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    vocabulary: &Vocabulary<'_>,
) -> Option<Spelled> {
    let tokens = understanding.tokens();
    let links = Links::find(tokens, tables, definitions);
    let mut text = understanding.text().to_owned();
    let mut replaced: Vec<Replaced> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Some(new) = column_of_value(at, tokens, &links, tables)
            && let Some(new_text) = with_word(&text, &token.surface, &new.by)
        {
            text = new_text;
            replaced.push(new);
            continue;
        }
        // A German noun may look like the beginning of a value: "Land" of a place called Lander.
        let is_noun = understanding.is_german()
            && nouns::noun(&token.surface).is_some()
            && links.name_at(at).is_none();
        if !is_unknown(token) || links.covers(at) && !is_noun {
            continue;
        }
        // A name in the sentence may be a value.
        let may_be_value = at > 0 && token.text != token.lower;
        let Some(new) = translated(token, vocabulary)
            .or_else(|| inflected(token, understanding.language(), vocabulary))
            .or_else(|| {
                let is_name = may_be_value && !understanding.is_german();
                (!is_name)
                    .then(|| corrected(token, understanding.language(), vocabulary))
                    .flatten()
            })
        else {
            continue;
        };
        if let Some(new_text) = with_word(&text, &token.surface, &new.by) {
            text = new_text;
            replaced.push(new);
        }
    }
    (!replaced.is_empty() && replaced.len() <= MAX_WORDS).then_some(Spelled { text, replaced })
}

/// "rated PG-13": the participle of the column `rating`, before a value that only this column has.
fn column_of_value(
    at: usize,
    tokens: &[Token],
    links: &Links,
    tables: &[Arc<Table>],
) -> Option<Replaced> {
    let token = tokens
        .get(at)
        .filter(|token| token.kind == TokenKind::Word)?;
    let root = participle_root(&token.lower)?;
    let value = links.value_at(at + 1)?;
    let [link] = value.values.as_slice() else {
        return None;
    };
    let table = tables.get(link.column.table)?;
    let column = table.columns.get(link.column.column)?;
    let name = column.name.to_lowercase();
    let is_root = name.strip_suffix("ing").or(name.strip_suffix('e')) == Some(root);
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let follows_verb =
        before.is_some_and(|before| lexicon::AUXILIARIES.contains(&before.lower.as_str()));
    is_root.then(|| Replaced {
        word: token.surface.clone(),
        by: match follows_verb {
            true => readable(&column.name),
            false => format!("with {}", readable(&column.name)),
        },
        is: Some(format!(
            "{}.{}",
            table.sql_name(),
            quote_identifier(&column.name)
        )),
        is_typo: false,
    })
}

/// "rat" of "rated".
fn participle_root(word: &str) -> Option<&str> {
    const FEWEST: usize = 3;
    word.strip_suffix("ed").filter(|root| root.len() >= FEWEST)
}

/// Whether the word belongs neither to the grammar nor to the numbers.
fn is_unknown(token: &Token) -> bool {
    token.kind == TokenKind::Word && token.number.is_none() && !lexicon::is_known(&token.lower)
}

/// "Kunden" over `customer`: the first of its English words that a name has, one of a table before one of a column.
fn translated(token: &Token, vocabulary: &Vocabulary<'_>) -> Option<Replaced> {
    let noun = nouns::noun(&token.surface)?;
    let known = || {
        noun.english
            .iter()
            .filter_map(|word| vocabulary.get(&stem(word)))
    };
    let word = known()
        .find(|word| word.is_of_table())
        .or_else(|| known().next())?;
    Some(read_as(token, &word.text, Some(word), vocabulary))
}

/// "Filme" over `film`: the ending of a German plural.
fn inflected(token: &Token, language: Language, vocabulary: &Vocabulary<'_>) -> Option<Replaced> {
    const ENDINGS: [&str; 6] = ["en", "er", "e", "n", "s", "es"];
    if language.tag() != "de" {
        return None;
    }
    let mut words = ENDINGS.iter().filter_map(|ending| {
        let base = token.lower.strip_suffix(ending)?;
        vocabulary.get(&stem(base)).filter(|_| base.len() > 2)
    });
    let word = words.next()?;
    Some(read_as(token, &word.text, Some(word), vocabulary))
}

/// The only word that a typist may have meant: a word of a name, its plural, or a word of the grammar.
fn corrected(token: &Token, language: Language, vocabulary: &Vocabulary<'_>) -> Option<Replaced> {
    let typed = token.lower.as_str();
    // An English word, or one that questions have, is not a misspelt other one.
    if english_words::level(typed).is_some()
        || nouns::noun(typed).is_some()
        || text2sql_understanding::is_word_of_questions(typed)
    {
        return None;
    }
    let mut nearest: Vec<(usize, String, Option<&Word>)> = Vec::new();
    let mut add = |text: String, word| {
        let is_same_start = text.chars().next() == typed.chars().next();
        if let Some(errors) =
            typing_errors(typed, &text).filter(|_| text.len() > 5 || is_same_start)
        {
            nearest.push((errors, text, word));
        }
    };
    for word in vocabulary.words() {
        add(word.text.clone(), Some(word));
        add(plural(&word.text), Some(word));
    }
    for word in lexicon::listed_words() {
        add(word.to_owned(), None);
    }
    if language.tag() == "de" {
        for word in german::listed_words() {
            add(word.to_owned(), None);
        }
    }
    let least = nearest.iter().map(|(errors, ..)| *errors).min()?;
    nearest.retain(|(errors, ..)| *errors == least);
    // "ordes" is the plural, as far as it can be.
    nearest.sort_by_key(|(_, text, _)| text.chars().next_back() != typed.chars().next_back());
    let (_, text, word) = nearest.first()?.clone();
    let is_same = |other: &str| stem(other) == stem(&text);
    nearest
        .iter()
        .all(|(_, other, _)| is_same(other))
        .then(|| Replaced {
            is_typo: true,
            ..read_as(token, &text, word, vocabulary)
        })
}

fn read_as(token: &Token, by: &str, word: Option<&Word>, vocabulary: &Vocabulary<'_>) -> Replaced {
    Replaced {
        word: token.surface.clone(),
        by: by.to_owned(),
        is: word.and_then(|word| vocabulary.named(word)),
        is_typo: false,
    }
}
