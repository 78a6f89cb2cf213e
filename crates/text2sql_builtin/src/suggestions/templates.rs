//! Short questions about the tables, numbers and values of a question. Whether they have an answer is tried.

use text2sql_domain::language::Language;
use text2sql_language::english::lexicon::Aggregate;

use super::nouns::Nouns;
use super::understood::Understood;
use crate::linking::mention::ColumnId;
use crate::linking::readable_names::readable;

/// Questions about what is named, the nearest first.
pub(super) fn questions(understood: &Understood<'_>, language: Language) -> Vec<String> {
    let mut all = Vec::new();
    let nouns = |table: usize| {
        let table = understood.tables.get(table)?;
        Some(Nouns::of(table, language))
    };
    let named: Vec<(usize, Nouns)> = understood
        .named
        .iter()
        .filter_map(|table| Some((*table, nouns(*table)?)))
        .collect();
    for measure in &understood.measures {
        let Some(of) = nouns(measure.table) else {
            continue;
        };
        let Some(column) = column_words(understood, *measure) else {
            continue;
        };
        let aggregate = understood.aggregate;
        for (table, other) in &named {
            if *table != measure.table {
                all.push(aggregated(aggregate, &column, &of.many, Some(&other.one), language));
            }
        }
        all.push(aggregated(aggregate, &column, &of.many, None, language));
    }
    for (first, one) in &named {
        for (second, other) in &named {
            if first == second {
                continue;
            }
            if understood.ranks && language == Language::English {
                all.push(format!("Which {} has the most {}?", one.one, other.many));
            }
        }
    }
    for (at, (_, rows)) in named.iter().enumerate() {
        for (_, group) in named.iter().skip(at + 1) {
            all.push(grouped(rows, group, language));
            all.push(grouped(group, rows, language));
        }
    }
    for (id, value) in &understood.values {
        let Some(column) = column_words(understood, *id) else {
            continue;
        };
        let own = nouns(id.table).filter(|_| named.is_empty());
        for rows in named.iter().map(|(_, nouns)| nouns).chain(own.as_ref()) {
            all.push(match language {
                Language::English => {
                    format!("How many {} with {column} '{value}' are there?", rows.many)
                }
                Language::German => {
                    format!("Wie viele {} mit {column} '{value}' gibt es?", rows.many)
                }
            });
        }
    }
    all
}

/// How many rows there are of each table: as near as nothing else is.
pub(super) fn counts(understood: &Understood<'_>, language: Language) -> Vec<String> {
    let tables = understood.named.iter();
    let tables = tables.filter_map(|table| understood.tables.get(*table));
    tables
        .map(|table| {
            let many = Nouns::of(table, language).many;
            match language {
                Language::English => format!("How many {many} are there?"),
                Language::German => format!("Wie viele {many} gibt es?"),
            }
        })
        .collect()
}

fn grouped(rows: &Nouns, group: &Nouns, language: Language) -> String {
    match language {
        Language::English => format!("How many {} are there per {}?", rows.many, group.one),
        Language::German => format!("Wie viele {} gibt es pro {}?", rows.many, group.one),
    }
}

fn aggregated(
    aggregate: Option<Aggregate>,
    column: &str,
    rows: &str,
    group: Option<&str>,
    language: Language,
) -> String {
    let is_sum = matches!(aggregate, Some(Aggregate::Sum));
    match language {
        Language::English => {
            let word = aggregate.map_or("average", Aggregate::word);
            let group = group.map_or(String::new(), |group| format!(" per {group}"));
            format!("What is the {word} {column} of {rows}{group}?")
        }
        Language::German => {
            let word = if is_sum { "die Summe" } else { "den Durchschnitt" };
            let group = group.map_or(String::new(), |group| format!(" pro {group}"));
            format!("Zeige {word} von {column} der {rows}{group}")
        }
    }
}

/// The column's name in words.
fn column_words(understood: &Understood<'_>, id: ColumnId) -> Option<String> {
    let column = understood.tables.get(id.table)?.columns.get(id.column)?;
    Some(readable(&column.name))
}
