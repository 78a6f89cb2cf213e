//! A follow-up as a change of the meaning before it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::compose::Composer;
use crate::phrases::Change;
use crate::rates::sums_a_rate;
use crate::schema::Schema;
use crate::{link, phrases, terms, wording};
use jiff::civil::Date;
use serde_json::Value;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::understanding::Understanding;
use text2sql_semantics::{Edit, Part, SemanticQuery, compile};

/// Maximum number of parts: longer texts are no follow-ups.
const MAX_SPANS: usize = 30;

/// What a follow-up became.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// The statement of the changed meaning.
    pub proposal: SqlProposal,
    /// What was changed.
    pub edits: Vec<Edit>,
}

/// Changes the meaning as the follow-up says, of which `core` is what remains without the words that join it to the
/// question before; nothing where it is no change, or one that cannot be compiled.
pub fn follow(
    before: &SemanticQuery,
    follow_up: &Understanding,
    core: &str,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Followed> {
    let today = parse_date(follow_up.today())?;
    let is_german = follow_up.is_german() || wording::is_german(follow_up);
    let mut schema = Schema::of(tables);
    schema.terms = terms::applicable(definitions, &schema);
    let (rest, mut said) = phrases::cut(core);
    let (_, whole) = phrases::cut(follow_up.text());
    said.extend(whole.into_iter().filter(|one| *one == Change::Also));
    let rest = with_year(before, &rest, is_german, today, &schema).unwrap_or(rest);
    let spans = link::link(&rest, is_german, today, &schema);
    if spans.len() > MAX_SPANS {
        return None;
    }
    let mut composer = Composer::new(&schema, spans);
    let edits = composer.edits(before, &said).ok()?;
    let mut query = before.clone();
    for edit in &edits {
        query = query.edited(edit).ok()?;
    }
    if sums_a_rate(&query) && !sums_a_rate(before) {
        return None;
    }
    let kept = still_true(before, &query);
    query.parts = kept;
    for (says, is_default) in composer.said() {
        if !query.parts.iter().any(|part| part.says == *says) {
            query.parts.push(Part {
                says: says.clone(),
                words: None,
                certainty: 1.0,
                is_default: *is_default,
            });
        }
    }
    let compiled = compile(&query, tables).ok()?;
    Some(Followed {
        proposal: wording::proposal(&query, compiled),
        edits,
    })
}

/// "and in August?" after July 2022 is of the same year: the text with the year behind a word that is a month.
fn with_year(
    before: &SemanticQuery,
    text: &str,
    is_german: bool,
    today: Date,
    schema: &Schema<'_>,
) -> Option<String> {
    let periods = before.periods();
    let [(_, Some(from), _)] = periods.as_slice() else {
        return None;
    };
    let year = from.get(..4)?;
    let reads = |text: &str| {
        let spans = link::link(text, is_german, today, schema);
        let period = match spans.as_slice() {
            [only] => only.period.as_ref(),
            _ => None,
        };
        // Part of a year: "nach 2024" is none.
        period.is_some_and(|period| match (&period.from, &period.before) {
            (Some(from), Some(before)) => from.get(4..) != before.get(4..),
            _ => false,
        })
    };
    let bare = |word: &str| word.trim_end_matches(['?', '.', '!', ',']).to_owned();
    let is_month = |word: &&str| {
        let word = bare(word);
        let is_word = word.chars().count() > 2 && word.chars().all(char::is_alphabetic);
        is_word && reads(&format!("{word} {year}")) && !reads(&word)
    };
    if text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let month = text.split_whitespace().find(is_month)?;
    let month = bare(month);
    Some(text.replacen(&month, &format!("{month} {year}"), 1))
}

/// What was said of the meaning before and does not name what is not in it any more.
fn still_true(before: &SemanticQuery, query: &SemanticQuery) -> Vec<Part> {
    let names = |query: &SemanticQuery| {
        let mut bare = query.clone();
        bare.parts.clear();
        let mut names = BTreeSet::new();
        if let Ok(value) = serde_json::to_value(&bare) {
            add_texts(&value, &mut names);
        }
        names
    };
    let (old, new) = (names(before), names(query));
    let gone: Vec<&String> = old.difference(&new).collect();
    let is_named = |says: &str, name: &str| {
        says.match_indices(name).any(|(at, found)| {
            let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let start = says.get(..at).and_then(|text| text.chars().next_back());
            let end = says
                .get(at + found.len()..)
                .and_then(|text| text.chars().next());
            is_end(start) && is_end(end)
        })
    };
    let parts = query.parts.iter();
    parts
        .filter(|part| !gone.iter().any(|name| is_named(&part.says, name)))
        .cloned()
        .collect()
}

fn add_texts(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            texts.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|member| add_texts(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
