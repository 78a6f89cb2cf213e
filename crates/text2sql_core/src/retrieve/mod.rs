//! Finds the part of the schema that a question needs: all of it when it fits, else what a name
//! search finds, closed under foreign keys so that join tables are never lost.
//!
//! Everything comes from the catalog port, which knows only what the caller may read.

pub mod admission;
pub mod bm25;
pub mod budget;
pub mod closure;
pub mod document;
pub mod embed;
pub mod examples;
pub mod families;
pub mod fuse;
pub mod index;
pub mod learned_joins;
pub mod matches;
pub mod memory;
pub mod postings;
pub mod rerank;
pub mod search;
pub mod skeleton;
pub mod typos;
pub mod values;
pub mod words;

use std::sync::Arc;

use crate::error::Error;
use crate::pipeline::Run;
use crate::question::Question;
use crate::schema::{Definition, Table};

/// Above this many tables nobody tries to send them all: 30,000 characters hold about 150 tables.
const MOST_TABLES_WHOLE: usize = 200;

/// How many tables the name search may bring in. A prompt of 30,000 characters holds about as many.
const MOST_TABLES_FOUND: usize = 40;

/// What was retrieved for a question.
#[derive(Debug, Clone)]
pub struct Context {
    /// The tables, best first.
    pub tables: Vec<Arc<Table>>,
    /// Whether these are all tables the caller may read.
    pub is_whole: bool,
    /// Terms of the house that the question may use.
    pub definitions: Vec<Definition>,
}

/// Retrieves the tables for `question`.
pub fn retrieve(cx: &Run<'_>, question: &Question) -> Result<Context, Error> {
    let count = cx.catalog.count(MOST_TABLES_WHOLE + 1)?;
    if count <= MOST_TABLES_WHOLE {
        let oids = cx.catalog.find(&[], MOST_TABLES_WHOLE)?;
        return Ok(Context {
            tables: cx.catalog.describe(&oids)?,
            is_whole: true,
            definitions: cx.catalog.definitions(question.as_str())?,
        });
    }
    let found = cx
        .catalog
        .find(&search_words(question.as_str()), MOST_TABLES_FOUND)?;
    let mut tables = cx.catalog.describe(&found)?;
    let missing = targets_not_among(&tables);
    tables.extend(cx.catalog.describe(&missing)?);
    Ok(Context {
        tables,
        is_whole: false,
        definitions: cx.catalog.definitions(question.as_str())?,
    })
}

/// Tables that the found ones refer to and that are not among them.
fn targets_not_among(tables: &[Arc<Table>]) -> Vec<u32> {
    let mut missing = Vec::new();
    for key in tables.iter().flat_map(|table| &table.foreign_keys) {
        let is_known = tables.iter().any(|table| table.oid == key.target);
        if !is_known && !missing.contains(&key.target) {
            missing.push(key.target);
        }
    }
    missing
}

/// The words of a question worth searching names for: lower case, function words left out, with
/// the singular beside a plural, and the plural where it changes the word (`salary`, `salaries`).
pub fn search_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        let is_useful = word.chars().count() >= 3 && !FUNCTION_WORDS.contains(&word);
        if is_useful && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    };
    for word in text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
    {
        add(word);
        if FUNCTION_WORDS.contains(&word) {
            continue;
        }
        if let Some(stem) = word.strip_suffix("ies") {
            add(&format!("{stem}y"));
        } else if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
            add(stem);
        } else if let Some(stem) = word.strip_suffix('y').filter(|_| word.len() > 3) {
            add(&format!("{stem}ies"));
        }
    }
    words
}

/// Words that every English question may hold and that no name search should follow.
const FUNCTION_WORDS: &[&str] = &[
    "all", "and", "any", "are", "average", "between", "but", "can", "count", "data", "did", "does",
    "each", "every", "find", "for", "from", "get", "give", "had", "has", "have", "how", "into",
    "its", "least", "less", "list", "many", "maximum", "minimum", "more", "most", "much", "not",
    "number", "over", "per", "show", "some", "sum", "table", "tables", "tell", "than", "that",
    "the", "their", "them", "there", "these", "they", "this", "those", "top", "total", "was",
    "were", "what", "when", "where", "which", "who", "whose", "why", "with", "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_for_the_words_that_carry_meaning() {
        let check = |text: &str, expect: &[&str]| assert_eq!(search_words(text), expect);
        check("How many orders are there?", &["orders", "order"]);
        check(
            "Which countries have the most customers",
            &["countries", "country", "customers", "customer"],
        );
        check(
            "boss class of order_items",
            &["boss", "class", "order_items", "order_item"],
        );
        check("What is my salary?", &["salary", "salaries"]);
        check("What is it?", &[]);
    }
}
