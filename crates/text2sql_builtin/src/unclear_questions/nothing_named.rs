//! Questions that name nothing: "Show the details", "the numbers", "everything about it".

use std::sync::Arc;

use crate::linking::links::Links;
use crate::linking::names;
use crate::linking::readable_names::{plural, readable};
use crate::no_answer::Stop;
use text2sql_domain::schema::Table;
use text2sql_language::words::{Token, TokenKind};
use text2sql_phrases::{Language, say_in};

/// Maximum number of readings offered.
const MAX_READINGS: usize = 4;

/// Nouns that apply to any data, and pronouns.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "data", "detail", "details", "information", "info", "infos", "number", "numbers", "figure", "figures",
    "everything", "anything", "something", "result", "results", "record", "records", "row", "rows",
    "overview", "summary", "statistics", "stats", "value", "values", "facts", "stuff", "things", "report",
    "all", "it", "this", "that", "them", "those", "daten", "informationen", "angaben", "zahl", "zahlen",
    "werte", "alles", "etwas", "ergebnisse", "ergebnis", "zeilen", "übersicht", "überblick",
    "zusammenfassung", "statistik", "statistiken", "fakten", "bericht", "alle", "es", "davon", "dazu",
    "darüber",
];

/// Words that ask for something without naming it.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "show", "list", "give", "get", "tell", "display", "print", "see", "want", "need", "would", "like", "can",
    "could", "you", "i", "we", "me", "us", "to", "please", "the", "a", "an", "some", "any", "more", "full",
    "complete", "whole", "entire", "every", "each", "about", "on", "of", "for", "what", "which",
    "are", "is", "do", "does", "have", "has", "and", "my", "our", "your", "there", "let", "just", "all",
    "zeige", "zeig", "gib", "nenne", "liste", "mir", "uns", "ich", "wir", "möchte", "will", "bitte", "die",
    "der", "das", "den", "eine", "einen", "ein", "alle", "mehr", "volle", "ganze", "über", "zu", "von", "was",
    "welche", "ist", "sind", "hast", "du", "und", "meine", "unsere", "nur",
];

/// Asks back if the question names nothing.
pub(crate) fn check(
    tokens: &[Token],
    language: Language,
    links: &Links,
    tables: &[Arc<Table>],
) -> Option<Stop> {
    let mut nouns = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Comma | TokenKind::Stop => continue,
            TokenKind::Word => {}
            _ => return None,
        }
        let surface = token.surface.to_lowercase();
        let is_one_of = |list: &[&str]| {
            list.contains(&surface.as_str())
                || (surface.is_empty() || list.contains(&token.lower.as_str()))
        };
        if is_one_of(NOUNS) {
            nouns += usize::from(!surface.is_empty());
        } else if !is_one_of(FILLERS) {
            return None;
        }
        if is_name(links, at) {
            return None;
        }
    }
    let subjects = subjects(tables);
    if nouns == 0 || subjects.len() < 2 {
        return None;
    }
    let surface = |name: String| {
        let rows = match language.tag() {
            "de" => name,
            _ => plural(&name),
        };
        say_in!(language, "Show all {rows}", rows)
    };
    Some(Stop::Ambiguous {
        question: "the question does not say of what".to_owned(),
        start: 0,
        end: tokens.len(),
        replacements: subjects.into_iter().map(surface).collect(),
    })
}

/// Whether the token names a table, or is the exact name of a column.
fn is_name(links: &Links, at: usize) -> bool {
    links.names_at(at).any(|mention| {
        let is_column = mention
            .columns
            .iter()
            .any(|(_, tier)| *tier == names::EXACT);
        mention.term.is_some() || is_column || !mention.best_tables().is_empty()
    })
}

/// The tables, the most referenced first: they show what a database is about.
pub(crate) fn most_referenced(tables: &[Arc<Table>]) -> Vec<usize> {
    let references = |table: &Table| {
        tables
            .iter()
            .flat_map(|other| &other.foreign_keys)
            .filter(|key| key.target == table.oid)
            .count()
    };
    let mut ranked: Vec<(usize, usize)> = tables
        .iter()
        .enumerate()
        .map(|(at, table)| (references(table), at))
        .collect();
    ranked.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    ranked.into_iter().map(|(_, at)| at).collect()
}

/// What the most referenced of them are called.
fn subjects(tables: &[Arc<Table>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for table in most_referenced(tables)
        .into_iter()
        .filter_map(|at| tables.get(at))
    {
        let name = readable(&table.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(MAX_READINGS);
    names
}
