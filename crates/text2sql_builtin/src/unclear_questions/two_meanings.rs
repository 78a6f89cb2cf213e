//! Names with two meanings: "active customers" may be a table, and also the customers that a column marks
//! as active. The rows may differ, and nothing in the question prefers one of them. A business term takes
//! precedence, because linking replaces the words before this check.

use std::sync::Arc;

use crate::linking::links::Links;
use crate::linking::mention::ColumnId;
use crate::linking::mention::Mention;
use crate::linking::names::words_of;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use text2sql_domain::schema::{Column, Definition, Table, TypeCategory};
use text2sql_language::words::{Token, TokenKind, stem};

/// Negations: "no longer active" does not mean "active".
const DENIALS: &[&str] = &["not", "no", "non", "never", "without", "nicht", "kein"];

/// Maximum length of a code explained by a comment, for columns whose values are not known.
const MAX_CODE_LENGTH: usize = 3;

/// Checks whether the whole name of a derived relation also reads as a subset of its base table.
pub(crate) fn check_derived_name(
    tokens: &[Token],
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Stop> {
    let links = Links::find(tokens, tables, definitions);
    (0..tokens.len()).find_map(|start| {
        let mention = links.name_at(start)?;
        let [named] = mention.best_tables()[..] else {
            return None;
        };
        let is_answer = tables.get(named)?.derived_by.is_some();
        (!is_answer)
            .then(|| whole_name(tokens, &links, tables, mention))
            .flatten()
    })
}

/// Checks every name of the question for a second meaning.
pub(crate) fn check(tokens: &[Token], links: &Links, tables: &[Arc<Table>]) -> Option<Stop> {
    (0..tokens.len()).find_map(|start| {
        let by_name = links.name_at(start).and_then(|mention| {
            whole_name(tokens, links, tables, mention)
                .or_else(|| root(tokens, links, tables, mention))
        });
        by_name.or_else(|| part_of_value(tokens, links, tables, start))
    })
}

/// "orders of the web shop", if "web" is a channel of orders, and "Web Shop" a department that the question
/// does not mention.
fn part_of_value(
    tokens: &[Token],
    links: &Links,
    tables: &[Arc<Table>],
    start: usize,
) -> Option<Stop> {
    let whole = links
        .value_at(start)
        .filter(|value| value.end > start + 1)?;
    let is_named = |table: usize| {
        (0..tokens.len())
            .flat_map(|at| links.names_at(at))
            .any(|mention| mention.best_tables() == [table])
    };
    if whole.is_marked || whole.values.iter().any(|link| is_named(link.column.table)) {
        return None;
    }
    let part = (start..whole.end)
        .flat_map(|at| links.values_at(at))
        .filter(|part| part.end <= whole.end && part.end - part.start < whole.end - start)
        .flat_map(|part| &part.values)
        .find(|link| link.is_exact && is_named(link.column.table))?;
    let phrase: Vec<&str> = tokens
        .get(start..whole.end)?
        .iter()
        .map(|token| token.surface.as_str())
        .collect();
    let name = |id: ColumnId| {
        let table = tables.get(id.table)?;
        Some(format!(
            "{}.{}",
            table.name,
            table.columns.get(id.column)?.name
        ))
    };
    Some(Stop::Unanswerable(format!(
        "it is not clear whether '{}' means {} or {} '{}'",
        phrase.join(" "),
        name(whole.values.first()?.column)?,
        name(part.column)?,
        part.text
    )))
}

/// "active customers" is a table, and so is "customers".
fn whole_name(
    tokens: &[Token],
    links: &Links,
    tables: &[Arc<Table>],
    mention: &Mention,
) -> Option<Stop> {
    let [named] = mention.best_tables()[..] else {
        return None;
    };
    let (front, noun) = (tokens.get(mention.start)?, mention.start + 1);
    let is_modified = mention.end > noun && front.kind == TokenKind::Word;
    let kind = links
        .names_at(noun)
        .filter(|_| is_modified)
        .filter(|part| part.end == mention.end)
        .find_map(|part| match part.best_tables()[..] {
            [kind] if kind != named => Some(kind),
            _ => None,
        })?;
    let (named, kind) = (tables.get(named)?, tables.get(kind)?);
    let flag = flag_of(kind, &front.stem)?;
    Some(Stop::Ambiguous {
        question: format!(
            "'{}' is the table {} and a kind of {}: which one is meant?",
            readable(&named.name),
            named.name,
            kind.name
        ),
        start: mention.start,
        end: mention.end,
        replacements: vec![
            named.name.clone(),
            format!("{} with {flag}", readable(&kind.name)),
        ],
    })
}

/// "customers … active", where "active" alone leads to the table `active_customers` and to a column.
fn root(tokens: &[Token], links: &Links, tables: &[Arc<Table>], mention: &Mention) -> Option<Stop> {
    if !mention.is_derived() || mention.end != mention.start + 1 {
        return None;
    }
    let [named] = mention.best_tables()[..] else {
        return None;
    };
    let front = tokens.get(mention.start)?;
    let named_words = words_of(&tables.get(named)?.name);
    let is_of_kind = |kind: usize| {
        let words = tables.get(kind).map(|table| words_of(&table.name));
        words.is_some_and(|words| {
            named_words.len() == words.len() + 1 && named_words.ends_with(&words)
        })
    };
    let kind = (0..tokens.len())
        .filter_map(|at| links.name_at(at))
        .find_map(|other| match other.best_tables()[..] {
            [kind] if kind != named && is_of_kind(kind) => Some(kind),
            _ => None,
        })?;
    let flag = flag_of(tables.get(kind)?, &front.stem)?;
    Some(Stop::Unanswerable(format!(
        "it is not clear whether '{}' means {} or {} with {flag}",
        front.surface,
        tables.get(named)?.name,
        tables.get(kind)?.name
    )))
}

/// The condition by which a column of the table expresses the word.
fn flag_of(table: &Table, word: &str) -> Option<String> {
    table
        .columns
        .iter()
        .find_map(|column| flag_of_column(column, word))
}

fn flag_of_column(column: &Column, word: &str) -> Option<String> {
    let in_words = readable(&column.name);
    match column.category {
        TypeCategory::Boolean => {
            let mut words = words_of(&column.name);
            words.retain(|word| !matches!(word.as_str(), "is" | "has" | "flag" | "flg"));
            return (words == [word]).then_some(in_words);
        }
        TypeCategory::Text | TypeCategory::Enum => {}
        _ => return None,
    }
    let known = || {
        let statistics = column.statistics.iter();
        let common = statistics.flat_map(|statistics| &statistics.most_common_values);
        column.enum_labels.iter().chain(common)
    };
    if let Some(value) = known().find(|value| stem(value) == word) {
        return Some(format!("{in_words} '{value}'"));
    }
    let taught = column.value_meanings.iter().cloned();
    let explained = column.comment.iter().flat_map(|comment| codes(comment));
    let is_value = |code: &str| match known().next() {
        None => code.chars().count() <= MAX_CODE_LENGTH,
        Some(_) => known().any(|value| value == code),
    };
    let mut meant: Vec<String> = taught
        .chain(explained.filter(|(code, _)| is_value(code)))
        .filter(|(_, meaning)| expresses(meaning, word))
        .map(|(code, _)| code)
        .collect();
    meant.dedup();
    match meant.as_slice() {
        [code] => Some(format!("{in_words} '{code}'")),
        _ => None,
    }
}

/// Codes and meanings from a column comment: "Y = account is active, N = account was closed."
fn codes(comment: &str) -> impl Iterator<Item = (String, String)> {
    comment
        .split([',', ';', '.', '\n', '('])
        .filter_map(|part| part.split_once(['=', ':']))
        .filter_map(|(code, meaning)| {
            let code = code.split_whitespace().last()?;
            let code = code.trim_matches(['\'', '"', '`', '„', '“', '”']);
            (!code.is_empty()).then(|| (code.to_owned(), meaning.trim().to_owned()))
        })
}

fn expresses(meaning: &str, word: &str) -> bool {
    let words: Vec<String> = meaning
        .split(|c: char| !c.is_alphanumeric())
        .map(stem)
        .collect();
    let denies = words.iter().any(|word| DENIALS.contains(&word.as_str()));
    !denies && words.iter().any(|phrase| phrase == word)
}
