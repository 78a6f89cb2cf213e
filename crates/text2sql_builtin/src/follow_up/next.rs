//! What may be asked next about an answer: changes of its meaning, each of which was compiled.

use std::sync::Arc;

use crate::families;
use crate::linking::readable_names::singular;
use serde_json::Value;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::german::nouns;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::{Language, say_in};
use text2sql_semantics::{Answer, Dimension, SemanticQuery};
use text2sql_understanding::follow;

/// Maximum number of questions that are offered.
const MAX_OFFERED: usize = 3;

/// Maximum number of things that are tried as groups.
const MAX_GROUPS: usize = 6;

/// Follow-ups of the answer with this meaning, in the language of its question.
pub fn next_questions(
    meaning: &Value,
    asked: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Vec<String> {
    let Ok(query) = SemanticQuery::read(meaning) else {
        return Vec::new();
    };
    let tables = &*families::united(asked.text(), tables, definitions);
    let mut offered = Vec::new();
    let mut groups = 0;
    for (text, is_group) in candidates(&query, asked.language(), tables) {
        // One group by a thing is enough, where others can be had.
        if offered.len() == MAX_OFFERED || is_group && groups > 0 {
            continue;
        }
        let question = Understanding::of(&text, asked.today());
        if follow(&query, &question, &text, tables, definitions).is_some() {
            groups += usize::from(is_group);
            offered.push(text);
        }
    }
    offered
}

/// What may be asked next, the most useful first; whether it groups by a thing.
fn candidates(
    query: &SemanticQuery,
    language: Language,
    tables: &[Arc<Table>],
) -> Vec<(String, bool)> {
    let plain = |text: String| (text, false);
    let by_month = plain(say_in!(language, "by month"));
    let against = plain(say_in!(language, "compared with the previous year"));
    let top = plain(say_in!(language, "only the top 5"));
    let share = plain(say_in!(language, "as a share"));
    let count = plain(say_in!(language, "how many are there?"));
    let groups: Vec<(String, bool)> = by_things(query, language, tables)
        .into_iter()
        .map(|text| (text, true))
        .collect();
    match &query.answer {
        Answer::Figures { dimensions, .. } => {
            let is_date = |one: &Dimension| matches!(one, Dimension::Date(..));
            match dimensions.as_slice() {
                [] => [vec![by_month], groups, vec![against]].concat(),
                all if all.iter().any(is_date) => {
                    [vec![against], groups, vec![top, share]].concat()
                }
                _ => vec![top, share, against, by_month],
            }
        }
        Answer::Rows { .. } => {
            let dearest = plain(say_in!(language, "the most expensive of them"));
            let newest = plain(say_in!(language, "the newest of them"));
            vec![count, dearest, newest]
        }
        Answer::Exists => Vec::new(),
    }
}

/// What may be grouped by, in the words of follow-ups.
pub(crate) fn group_questions(
    query: &SemanticQuery,
    language: Language,
    tables: &[Arc<Table>],
) -> Vec<String> {
    let mut all = vec![say_in!(language, "by month")];
    all.extend(by_things(query, language, tables));
    all
}

/// "by country" for the things that the rows belong to: those of the subject before those further away.
fn by_things(query: &SemanticQuery, language: Language, tables: &[Arc<Table>]) -> Vec<String> {
    let find = |oid: u32| tables.iter().find(|table| table.oid == oid);
    let mut near: Vec<&Arc<Table>> = tables
        .iter()
        .filter(|table| table.name == query.subject.name && table.schema == query.subject.schema)
        .collect();
    let mut at = 0;
    while let Some(table) = near.get(at).filter(|_| near.len() <= MAX_GROUPS) {
        let next: Vec<&Arc<Table>> = table
            .foreign_keys
            .iter()
            .filter_map(|key| find(key.target))
            .filter(|next| !near.iter().any(|known| known.oid == next.oid))
            .collect();
        near.extend(next);
        at += 1;
    }
    let groups = near.iter().skip(1).map(|table| {
        let one = singular(&table.name);
        let thing = match nouns::in_german(&one).filter(|_| language.tag() == "de") {
            Some(noun) => noun.forms.0.clone(),
            None => one,
        };
        say_in!(language, "by {thing}", thing)
    });
    // The country of a customer says more than the customer.
    let mut groups: Vec<String> = groups.take(MAX_GROUPS).collect();
    groups.reverse();
    groups
}
