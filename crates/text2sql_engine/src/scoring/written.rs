//! The names, literals and numbers of a query.

use std::collections::BTreeSet;
use std::sync::Arc;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use text2sql_domain::schema::{Table, is_reserved};
use text2sql_language::terms::Analyzer;

/// The query, prepared for matching.
pub(super) struct Written {
    /// Its words, in lower case.
    pub(super) words: BTreeSet<String>,
    /// Search terms of its names and literals.
    pub(super) terms: BTreeSet<String>,
    /// Its numbers.
    pub(super) numbers: Vec<f64>,
}

impl Written {
    pub(super) fn new(tokens: &[Token], analyzer: &Analyzer, tables: &[Arc<Table>]) -> Self {
        let mut written = Self {
            words: BTreeSet::new(),
            terms: BTreeSet::new(),
            numbers: Vec::new(),
        };
        for (place, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(_) if !is_name(tokens, place, tables) => {}
                Token::Word(word) => {
                    written.words.insert(word.value.to_lowercase());
                    let terms = analyzer.terms_of_name(&word.value);
                    written.terms.extend(terms.iter().cloned());
                }
                Token::SingleQuotedString(text) => {
                    written.terms.extend(analyzer.terms(text));
                    let runs = text.split(|c: char| !c.is_ascii_digit());
                    written
                        .numbers
                        .extend(runs.filter_map(|run| run.parse::<f64>().ok()));
                }
                Token::Number(text, _) => written.numbers.extend(text.parse::<f64>()),
                _ => {}
            }
        }
        written
    }

    /// Whether it contains all of the terms.
    pub(super) fn has_all(&self, terms: &[String]) -> bool {
        !terms.is_empty() && terms.iter().all(|term| self.terms.contains(term))
    }
}

/// Whether the word at that place may be the name of a table or column. Keywords, function names and
/// aliases do not count: neither `ORDER BY` nor `AS orders` is a mention of orders.
fn is_name(tokens: &[Token], place: usize, tables: &[Arc<Table>]) -> bool {
    let Some(Token::Word(word)) = tokens.get(place) else {
        return false;
    };
    let is_as = |token: Option<&Token>| matches!(token, Some(Token::Word(word)) if word.keyword == Keyword::AS && word.quote_style.is_none());
    let is_given = place.checked_sub(1).is_some_and(|before| is_as(tokens.get(before)))
        // `WITH name AS (`
        || (is_as(tokens.get(place + 1)) && matches!(tokens.get(place + 2), Some(Token::LParen)));
    if is_given || matches!(tokens.get(place + 1), Some(Token::LParen)) {
        return false;
    }
    if word.quote_style.is_some() || word.keyword == Keyword::NoKeyword {
        return true;
    }
    let name = word.value.to_lowercase();
    let is_called = |known: &str| known.eq_ignore_ascii_case(&name);
    !is_reserved(&name)
        && tables.iter().any(|table| {
            is_called(&table.name) || table.columns.iter().any(|column| is_called(&column.name))
        })
}

/// A literal that the query compares with, or its row limit.
pub(super) struct Literal {
    pub(super) text: String,
    /// Whether the question contains it.
    pub(super) is_asked: bool,
}
