//! Which passages answer a question: of documents, and of the rows behind a result.

use serde_json::json;

use text2sql_domain::answer::Answer;
use text2sql_domain::error::Error;
use text2sql_domain::passages::{
    FoundPassages, Origin, Passage, PassageRequest, TextSource, Within,
};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_language::sentences::cited::{is_about, touches};
use text2sql_phrases::Language;
use text2sql_sql::row_keys;

/// Maximum number of text columns that are searched by rows.
const MAX_SOURCES: usize = 4;

/// Maximum number of names of a result that are searched for in documents.
const MAX_NAMES: usize = 5;

/// The passages for a question. With the answer of the tables, texts of rows are searched only among the rows behind
/// it, where these can be known.
pub fn search(cx: &Run<'_>, question: &str, rows: Option<&Answer>) -> Result<FoundPassages, Error> {
    let stage = cx.stage("search_texts");
    let depth = cx.config.texts.depth;
    let sources = match rows {
        Some(rows) => narrowed_sources(cx, rows)?,
        None => Vec::new(),
    };
    let found = match sources.is_empty() {
        true => found_in(
            cx,
            &PassageRequest {
                weights: cx.config.texts.weights,
                ..PassageRequest::new(question, depth)
            },
        )?,
        false => {
            let names = names_in(question, rows);
            let documents = found_in(
                cx,
                &PassageRequest {
                    question,
                    names: &names,
                    limit: depth,
                    within: Within::Documents(None),
                    weights: cx.config.texts.weights,
                },
            )?;
            let mut lists = Vec::new();
            for (source, keys) in &sources {
                lists.push(found_in(
                    cx,
                    &PassageRequest {
                        question,
                        names: &[],
                        limit: depth,
                        within: Within::Rows {
                            table: source.table,
                            keys: keys.as_deref(),
                        },
                        weights: cx.config.texts.weights,
                    },
                )?);
            }
            lists.push(documents);
            in_turn(lists, depth)
        }
    };
    let passages: Vec<i64> = found.passages.iter().map(|passage| passage.id).collect();
    cx.trace.borrow_mut().passages.clone_from(&found.passages);
    let narrowed: Vec<String> = sources
        .iter()
        .filter(|(_, keys)| keys.is_some())
        .map(|(source, _)| format!("{}.{}.{}", source.schema, source.name, source.column))
        .collect();
    stage.end(
        json!({"depth": depth, "narrowed": narrowed}),
        json!({"passages": passages}),
    );
    Ok(found)
}

/// Leaves only passages that are about the question: near in meaning, or by their words. For a question that nobody
/// asked of texts, one word in common is not enough.
pub fn only_about(found: &mut FoundPassages, question: &str, language: Language) {
    let language = language.dictionary();
    found.passages.retain(|passage| {
        passage.similarity.is_some()
            || is_about(question, &titles(passage), &passage.text, language)
    });
}

/// Leaves of passages of documents only those that may say something about the figure; texts of the rows behind it stay.
pub fn only_touching(found: &mut FoundPassages, question: &str, language: Language) {
    let language = language.dictionary();
    found.passages.retain(|passage| {
        passage.similarity.is_some()
            || matches!(passage.origin, Origin::Row { .. })
            || touches(question, &titles(passage), &passage.text, language)
    });
}

fn titles(passage: &Passage) -> String {
    let titles = passage.title.iter().chain(&passage.place.headings);
    let titles: Vec<&str> = titles.map(String::as_str).collect();
    titles.join("\n")
}

/// The passages of rows of a table that mention something, for a query that counts these rows.
pub fn mentioning(
    cx: &Run<'_>,
    source: &TextSource,
    mentioned: &str,
    limit: usize,
) -> Result<Vec<Passage>, Error> {
    let found = found_in(
        cx,
        &PassageRequest {
            question: mentioned,
            names: &[],
            limit,
            within: Within::Rows {
                table: source.table,
                keys: None,
            },
            weights: cx.config.texts.weights,
        },
    )?;
    Ok(found.passages)
}

/// The keys of rows, each with a value for each of its columns.
type Keys = Vec<Vec<String>>;

/// The text columns to search, with the keys of the rows behind the answer; `None` where these are not known. Empty if
/// no text column is about the tables of the answer.
fn narrowed_sources(
    cx: &Run<'_>,
    answer: &Answer,
) -> Result<Vec<(TextSource, Option<Keys>)>, Error> {
    let (Some(sql), Some(execution)) = (&answer.sql, &answer.execution) else {
        return Ok(Vec::new());
    };
    // A query of our own would not be the one that a person has approved.
    if cx.config.approval.applies() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for source in cx.texts.text_sources()?.into_iter().take(MAX_SOURCES) {
        let tables = cx.catalog.describe(&[source.table])?;
        let query = tables
            .first()
            .and_then(|table| row_keys::keys_behind(sql, execution, table, &source.key));
        let keys = match query {
            Some(query) => keys(cx, &query)?,
            None => None,
        };
        all.push((source, keys));
    }
    let is_narrowed = all.iter().any(|(_, keys)| keys.is_some());
    Ok(match is_narrowed {
        // The texts of rows that have nothing to do with the result are left out.
        true => all.into_iter().filter(|(_, keys)| keys.is_some()).collect(),
        false => Vec::new(),
    })
}

/// The keys that a query returns; `None` if it does not run.
fn keys(cx: &Run<'_>, query: &str) -> Result<Option<Keys>, Error> {
    let Outcome::Passed(execution) = cx.database.run(query, &cx.config.limits)? else {
        return Ok(None);
    };
    let keys = execution.rows.iter().map(|row| {
        let values = row.iter().map(|cell| cell.text.clone());
        values.collect::<Option<Vec<String>>>()
    });
    Ok(Some(keys.flatten().collect()))
}

/// The names that the rows have and the question has not: documents know them, and not the rows.
fn names_in<'a>(question: &str, rows: Option<&'a Answer>) -> Vec<&'a str> {
    let rows = rows.and_then(|answer| answer.execution.as_ref());
    let rows = rows.filter(|execution| execution.rows.len() <= MAX_NAMES);
    let cells = rows.into_iter().flat_map(|execution| &execution.rows);
    let mut names: Vec<&str> = Vec::new();
    for name in cells.flatten().filter_map(|cell| cell.text.as_deref()) {
        let is_name = name.chars().any(char::is_alphabetic) && name.chars().count() <= 60;
        if is_name && !question.contains(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What a search finds; what it sent is recorded.
fn found_in(cx: &Run<'_>, request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
    let mut found = cx.texts.search(request)?;
    let sent = std::mem::take(&mut found.exchanges);
    cx.trace.borrow_mut().exchanges.extend(sent);
    Ok(found)
}

/// The best of each list in turn: the ranks of two searches cannot be compared.
fn in_turn(lists: Vec<FoundPassages>, depth: usize) -> FoundPassages {
    let mut found = FoundPassages::default();
    let mut lists: Vec<_> = lists
        .into_iter()
        .map(|list| {
            for warning in list.warnings {
                if !found.warnings.contains(&warning) {
                    found.warnings.push(warning);
                }
            }
            list.passages.into_iter()
        })
        .collect();
    while found.passages.len() < depth {
        let round: Vec<Passage> = lists.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            break;
        }
        found.passages.extend(round);
    }
    found.passages.truncate(depth);
    found
}
