//! Compares the question with the query in both directions: names, values, numbers and terms in the
//! question that the query uses, and constants in the query that the question contains.
//!
//! People say things in their own words, so what one of them does not have proves nothing: the reader sees it as a note. What
//! the question says for certain is compared by [`text2sql_analysis::findings`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sqlparser::tokenizer::Token;

use super::facts::Facts;
use super::written::{Literal, Written};
use text2sql_domain::schema::Table;
use text2sql_domain::words;
use text2sql_language::terms::{Analyzer, fold};
use text2sql_language::understanding::Understanding;
use text2sql_sql::reader as sql_reader;

/// What question and query have in common, and what not.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Mentioned in the question, and whether the query uses it.
    pub(super) mentioned: Vec<Mention>,
    /// Constants and limits of the query, and whether the question contains them.
    pub(super) compared: Vec<Mention>,
    /// Whether the query selects all columns.
    pub(super) shows_all: bool,
    /// Whether question and query have no word, value or number in common.
    is_apart: bool,
}

/// Something that occurs in the question or in the query.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) text: String,
    /// Whether it occurs in the other one too.
    pub(super) is_there: bool,
}

/// Words before what a question counts or lists.
const SUBJECT_OF: &[&str] = words!("how many, number of, of the, of all, list all, wie viele");

impl Mentions {
    /// 0 if the question names a table, and the query has nothing in common with it: no name, no word, no constant.
    pub(super) fn topic(&self) -> Option<f64> {
        self.is_apart.then_some(0.0)
    }
}

/// Compares the question with its query. Returns nothing for SQL that cannot be tokenized.
pub(super) fn read(facts: &Facts<'_>) -> Mentions {
    let Ok(tokens) = sql_reader::tokens(facts.sql) else {
        return Mentions::default();
    };
    let tokens: Vec<Token> = tokens
        .into_iter()
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .collect();
    let question = QuestionTerms::new(facts.understanding);
    let alone = facts.understanding.without_notes();
    let asked = QuestionTerms::new(alone.as_ref().unwrap_or(facts.understanding));
    let written = Written::new(&tokens, &asked.analyzer, facts.tables);
    let named = named(facts, &asked, &written);
    // A note may hold a constant, in whatever words.
    let compared: Vec<Mention> = compared(facts, &question, &tokens)
        .into_iter()
        .map(|literal| Mention {
            text: literal.text,
            is_there: literal.is_asked,
        })
        .collect();
    let numbers = numbered(&asked, &written);
    let shares_words = written
        .terms
        .iter()
        .any(|term| question.terms.contains(term));
    let shares_constant = numbers
        .iter()
        .chain(&compared)
        .any(|mention| mention.is_there);
    // One word alone may be a table by chance: it has to be what is counted or listed.
    let words = format!("{} ", asked.understanding.words().join(" "));
    let is_subject = |(name, _): &(String, bool)| {
        let name = name.to_lowercase().replace('_', " ");
        SUBJECT_OF
            .iter()
            .any(|before| words.contains(&format!("{before} {name} ")))
    };
    let names_something = match named.as_slice() {
        [] => false,
        [only] => !asked.understanding.is_foreign() && is_subject(only),
        _ => true,
    };
    let is_apart = names_something
        && named.iter().all(|(_, is_used)| !is_used)
        && !shares_words
        && !shares_constant;
    let names = named
        .into_iter()
        .chain(defined(facts, &question, &written))
        .map(|(text, is_there)| Mention { text, is_there });
    Mentions {
        mentioned: names.chain(numbers).collect(),
        compared,
        shows_all: tokens
            .windows(2)
            .any(|pair| matches!(pair, [Token::Word(word), Token::Mul] if word.value.eq_ignore_ascii_case("select"))),
        is_apart,
    }
}

/// Whether the question contains the constants that a condition compares with; `None` if there are none. Dates, 0 and
/// 1 count as none.
pub fn asks_for(facts: &Facts<'_>, condition: &str) -> Option<bool> {
    let mut tokens = sql_reader::tokens(condition).ok()?;
    tokens.retain(|token| !matches!(token, Token::Whitespace(_)));
    let question = QuestionTerms::new(facts.understanding);
    let literals = compared(facts, &question, &tokens);
    (!literals.is_empty()).then(|| literals.iter().all(|literal| literal.is_asked))
}

/// The question, prepared for matching.
struct QuestionTerms<'a> {
    analyzer: Analyzer,
    terms: BTreeSet<String>,
    understanding: &'a Understanding,
}

impl<'a> QuestionTerms<'a> {
    fn new(understanding: &'a Understanding) -> Self {
        let analyzer = Analyzer::default();
        Self {
            terms: understanding.terms(&analyzer).iter().cloned().collect(),
            analyzer,
            understanding,
        }
    }

    fn states(&self, number: f64) -> bool {
        let numbers = self.understanding.numbers();
        numbers
            .iter()
            .any(|stated| stated.matches(number) || stated.matches(number * 100.0))
    }
}

/// Tables, and columns of the tables in the query, that the question names or uses a synonym of.
fn named(
    facts: &Facts<'_>,
    question: &QuestionTerms<'_>,
    written: &Written,
) -> Vec<(String, bool)> {
    // Keyed by terms, with the spelling of the first name found.
    let mut found: BTreeMap<String, (String, bool)> = BTreeMap::new();
    let mut look = |name: &str, synonyms: &[String], is_read: bool| {
        let own = question.analyzer.terms_of_name(name);
        let is_used = is_read || written.has_all(&own);
        for word in std::iter::once(name).chain(synonyms.iter().map(String::as_str)) {
            let terms = question.analyzer.terms_of_name(word);
            if !terms.is_empty() && terms.iter().all(|term| question.terms.contains(term)) {
                let entry = found
                    .entry(terms.join(" "))
                    .or_insert_with(|| (word.to_owned(), false));
                entry.1 |= is_used || written.has_all(&terms);
            }
        }
    };
    let is_read = |table: &&Arc<Table>| written.words.contains(&table.name.to_lowercase());
    let read: Vec<&Arc<Table>> = facts.tables.iter().filter(is_read).collect();
    let referred_to = referred_to(&read, written);
    for table in facts.tables {
        let is_referred_to = referred_to.contains(&table.oid);
        look(&table.name, &table.synonyms, is_referred_to);
    }
    // Columns count only if the query reads their table. With all tables, nearly every word would match
    // some column.
    for column in read.iter().flat_map(|table| &table.columns) {
        look(&column.name, &column.synonyms, false);
    }
    found.into_values().collect()
}

/// The tables to which the query uses a foreign key column: counting by `department_id` is counting by department.
fn referred_to(read: &[&Arc<Table>], written: &Written) -> BTreeSet<u32> {
    let has = |name: &String| written.words.contains(&name.to_lowercase());
    let keys = read.iter().flat_map(|table| &table.foreign_keys);
    keys.filter(|key| key.columns.iter().all(has))
        .map(|key| key.target)
        .collect()
}

/// Numbers in the question, and whether each is in the query. A difference of one is accepted: "after 2020" is "from
/// 2021 on".
fn numbered(question: &QuestionTerms<'_>, written: &Written) -> Vec<Mention> {
    let folded = question.understanding.folded();
    let numbers = question.understanding.numbers().iter();
    numbers
        .map(|number| {
            let after = folded.get(number.start..).unwrap_or_default();
            let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '.' | ',');
            let is_there = written.numbers.iter().any(|own| {
                [*own, own - 1.0, own + 1.0, own * 100.0]
                    .into_iter()
                    .any(|own| number.matches(own))
            });
            Mention {
                text: after.chars().take_while(is_part).collect(),
                is_there,
            }
        })
        .collect()
}

/// Business terms with an expression; used if the query contains at least one of its names or literals.
fn defined(
    facts: &Facts<'_>,
    question: &QuestionTerms<'_>,
    written: &Written,
) -> Vec<(String, bool)> {
    facts
        .definitions
        .iter()
        .filter_map(|definition| {
            let terms = question.analyzer.terms(definition.sql_expression.as_ref()?);
            let is_used = terms.iter().any(|term| written.terms.contains(term));
            Some((definition.term.clone(), is_used))
        })
        .collect()
}

/// Literals that the query compares with, and its row limit. Leaves out 0 and 1, dates, and arguments of
/// intervals and formats.
fn compared(facts: &Facts<'_>, question: &QuestionTerms<'_>, tokens: &[Token]) -> Vec<Literal> {
    let mut found: Vec<Literal> = Vec::new();
    let mut is_compared = false;
    let mut in_list = false;
    for token in tokens {
        let text = match token {
            Token::Eq | Token::Neq | Token::Lt | Token::Gt | Token::LtEq | Token::GtEq => {
                is_compared = true;
                continue;
            }
            Token::Word(word) if word.quote_style.is_none() => {
                let lower = word.value.to_ascii_lowercase();
                in_list |= lower == "in";
                is_compared = match lower.as_str() {
                    "like" | "ilike" | "between" | "limit" | "in" => true,
                    // As in `BETWEEN a AND b` or `DATE '…'`.
                    "and" | "date" | "timestamp" | "timestamptz" | "fetch" | "first" | "next" => {
                        is_compared
                    }
                    // As in `name NOT IN`.
                    "not" => false,
                    _ => false,
                };
                continue;
            }
            Token::Word(_) => {
                is_compared = false;
                continue;
            }
            Token::LParen if is_compared => continue,
            Token::Comma if in_list => {
                is_compared = true;
                continue;
            }
            Token::RParen => {
                (in_list, is_compared) = (false, false);
                continue;
            }
            Token::SingleQuotedString(text) | Token::Number(text, _) => text,
            _ => {
                is_compared = false;
                continue;
            }
        };
        let is_known = found.iter().any(|known| known.text == *text);
        if is_compared && !needs_no_mention(text) && !is_known {
            found.push(Literal {
                text: text.clone(),
                is_asked: is_asked(facts, question, text),
            });
        }
        // The AND between the bounds of BETWEEN keeps `is_compared`.
    }
    found
}

fn needs_no_mention(text: &str) -> bool {
    let starts_like_a_date =
        text.split('-').count() >= 3 && text.chars().take(4).all(|c| c.is_ascii_digit());
    matches!(
        text,
        "" | "0" | "1" | "0.0" | "1.0" | "true" | "false" | "t" | "f"
    ) || starts_like_a_date
}

fn is_asked(facts: &Facts<'_>, question: &QuestionTerms<'_>, text: &str) -> bool {
    if let Ok(number) = text.parse::<f64>() {
        return [number, number - 1.0, number + 1.0]
            .into_iter()
            .any(|number| question.states(number))
            || is_stored(facts, text);
    }
    let folded = fold(text);
    let terms = question.analyzer.terms(text);
    question
        .understanding
        .folded()
        .contains(folded.trim_matches(['%', '_', ' ']))
        || (!terms.is_empty() && terms.iter().all(|term| question.terms.contains(term)))
        || facts
            .values
            .iter()
            .any(|(_, hit)| fold(&hit.value) == folded)
        || is_stored(facts, text)
}

/// Whether the value occurs in a stored value meaning or a definition.
fn is_stored(facts: &Facts<'_>, text: &str) -> bool {
    let in_definition = facts.definitions.iter().any(|definition| {
        let expression = definition.sql_expression.as_deref().unwrap_or_default();
        expression.contains(text) || definition.meaning.contains(text)
    });
    let mut columns = facts.tables.iter().flat_map(|table| &table.columns);
    in_definition
        || columns.any(|column| {
            let mut meanings = column.value_meanings.iter();
            meanings.any(|(value, _)| value == text)
        })
}
