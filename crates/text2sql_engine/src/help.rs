//! What the built-in engine looks up where it would decline a question: words with the same meaning, stored values,
//! names that the caller may not read.

use text2sql_analysis::findings::Effort;
use text2sql_builtin::Help;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::{NearWord, ValueHit};
use text2sql_domain::ports::{Embedder, Outcome, Purpose};
use text2sql_domain::schema::Table;
use text2sql_language::understanding::name_words;
use text2sql_retrieval::Context;

use std::sync::Arc;
use std::time::Duration;

/// Number of words that are looked up for each word. They come from the whole catalog, and the engine takes only those
/// of the tables that it was given.
const AT_MOST: usize = 20;

/// Maximum number of words of a schema without an index that are compared by meaning. Each costs the embedder a
/// fraction of a millisecond, once in a session.
const MAX_KNOWN: usize = 300;

/// Maximum time of the search for values: the question is declined without them.
const VALUES_TIME: Duration = Duration::from_millis(300);

/// Maximum number of names that are looked for.
const MAX_NAMES: usize = 1;

/// Looks up for one question.
pub(crate) struct Lookup<'a> {
    pub(crate) cx: &'a Run<'a>,
    pub(crate) context: &'a Context,
}

impl Help for Lookup<'_> {
    fn near_words(&self, words: &[String], known: &[String]) -> Result<Vec<Vec<NearWord>>, Error> {
        match near_words(self.cx, words, known) {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            // An answer does not need them.
            Err(_) | Ok(None) => Ok(vec![Vec::new(); words.len()]),
            Ok(Some(near)) => Ok(near),
        }
    }

    fn indexed_values(&self) -> &[(String, ValueHit)] {
        &self.context.values
    }

    fn stored_values(&self, sql: &str) -> Result<Vec<(usize, String)>, Error> {
        // Where a query may have to wait for approval, the data is not read to write it either.
        if self.cx.config.approval.applies() {
            return Ok(Vec::new());
        }
        let mut limits = Effort::within(&self.cx.config.limits).limits;
        limits.query_timeout = limits.query_timeout.min(VALUES_TIME);
        let stage = self.cx.stage("values");
        let outcome = self.cx.database.run(sql, &limits)?;
        stage.end(serde_json::Value::Null, outcome.summary());
        let Outcome::Passed(found) = outcome else {
            return Ok(Vec::new());
        };
        let rows = found.rows.into_iter().filter_map(|row| {
            let mut cells = row.into_iter();
            let place = cells.next()?.text?.parse().ok()?;
            Some((place, cells.next()?.text?))
        });
        Ok(rows.collect())
    }

    fn is_forbidden(&self, words: &[String]) -> Result<bool, Error> {
        let mut words = name_words(&words.join(" "));
        let tables = &self.context.tables;
        Ok(!forbidden_tables(self.cx, tables, &mut words, MAX_NAMES)?.is_empty())
    }
}

/// Names of tables that the caller may not read and that the words may name, up to `at_most`. Keeps only the words
/// that were searched for.
pub(crate) fn forbidden_tables(
    cx: &Run<'_>,
    tables: &[Arc<Table>],
    words: &mut Vec<String>,
    at_most: usize,
) -> Result<Vec<String>, Error> {
    // A word that is part of a readable table's name needs no search for forbidden tables.
    words.retain(|word| {
        !tables
            .iter()
            .any(|table| table.name.to_lowercase().contains(word.as_str()))
    });
    match words.as_slice() {
        [] => Ok(Vec::new()),
        words => cx.catalog.find_forbidden(words, at_most),
    }
}

/// Words of the search index near to each of the words, or of those known where there is no index. Nothing without an
/// embedder that knows meaning and is in this server: the engine waits for no endpoint.
fn near_words(
    cx: &Run<'_>,
    words: &[String],
    known: &[String],
) -> Result<Option<Vec<Vec<NearWord>>>, Error> {
    let state = cx.index.state()?;
    let embedder = match &state {
        Some(state) => cx.index.embedder(state)?,
        None => cx.index.own_embedder()?,
    };
    let is_here =
        |embedder: &dyn Embedder| embedder.knows_meaning() && embedder.endpoint().is_none();
    let Some(embedder) = embedder.filter(|embedder| is_here(&**embedder)) else {
        return Ok(None);
    };
    let texts = |words: &[String]| {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        embedder.embed(&texts, Purpose::Question)
    };
    let vectors = texts(words)?;
    if state.is_some() {
        return cx.index.near_words(&vectors, AT_MOST).map(Some);
    }
    let known = known.get(..MAX_KNOWN).unwrap_or(known);
    let known_vectors = texts(known)?;
    let near = vectors.iter().map(|vector| {
        let near = known.iter().zip(&known_vectors).map(|(word, other)| {
            let products = vector.iter().zip(other).map(|(one, other)| one * other);
            NearWord {
                word: word.clone(),
                similarity: products.sum(),
            }
        });
        let mut near: Vec<NearWord> = near.collect();
        near.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
        near.truncate(AT_MOST);
        near
    });
    Ok(Some(near.collect()))
}
