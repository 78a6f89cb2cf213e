//! Looks up what a model says it lacks: tables that the prompt named or described in short, tables that a search
//! for its words finds, and tables one join away from those that it used.
//!
//! The words are those of a model, and may be anything. They select among tables that the caller may read, and
//! are looked up once, whatever their number.

use std::collections::HashSet;
use std::sync::Arc;

use crate::context::Context;
use crate::retrieve::{TableChars, search_always};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Table, TableName};
use text2sql_language::understanding::{Understanding, name_words};

/// Maximum number of tables that are added, and of those that are only joined to others.
const MAX_ADDED: usize = 12;
const MAX_JOINED: usize = 6;

/// Tables joined to this many of the best are looked at, where the model used none.
const BEST: usize = 5;

/// Maximum number of joins read for one table.
const JOINS_PER_TABLE: usize = 30;

/// The share of what is lacking that the tables found for it have to explain: below it they share little more
/// than a common word.
const LEAST_EXPLAINED: f64 = 0.3;

/// Maximum length of the words that are looked up, in characters.
const MAX_CHARS: usize = 1_000;

/// What a model says about its reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lacking<'a> {
    /// What the schema lacks, in the words of the model; empty if it does not say.
    pub missing: &'a [String],
    /// Its query, if it wrote one.
    pub sql: Option<&'a str>,
}

/// What of the tables a prompt has.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Those with columns.
    pub shown: &'a [u32],
    /// Those of which nothing is left out.
    pub whole: &'a [u32],
}

/// Tables that were not seen whole and may hold what is lacking, best first; what is asked for by name, and nothing else.
pub fn find_lacking(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    seen: Seen<'_>,
    lacking: Lacking<'_>,
    table_chars: TableChars,
) -> Result<Vec<Arc<Table>>, Error> {
    let words: String = lacking.missing.join(", ");
    let words: String = words.chars().take(MAX_CHARS).collect();
    let cut = context.tables.iter().map(|table| TableName::of(table));
    let mut listed: Vec<TableName> = cut.chain(context.others.iter().cloned()).collect();
    listed.retain(|table| !seen.whole.contains(&table.oid));
    let mut found = named(&listed, &words);
    let mut claims = lacking.missing.iter();
    let is_by_name =
        !lacking.missing.is_empty() && claims.all(|claim| !named(&listed, claim).is_empty());
    if words.trim().is_empty() {
        // The next best of the search for the question.
        found.extend(listed.iter().map(|table| table.oid).take(MAX_JOINED));
    } else if !is_by_name {
        found.extend(by_words(cx, understanding, &words, table_chars)?);
    }
    found.retain(|oid| !seen.whole.contains(oid));
    // Where nothing is called so, and something that the caller may not read is, no other table will help.
    let is_forbidden = found.is_empty() && {
        let words = name_words(&words);
        !words.is_empty() && !cx.catalog.find_forbidden(&words, 1)?.is_empty()
    };
    if is_forbidden {
        return Ok(Vec::new());
    }
    // A query with rows answers a part already: what is merely near it is not worth a call.
    if lacking.sql.is_none() && !is_by_name {
        let joined = joined(cx, context, seen.shown, &listed)?;
        found.extend(joined.into_iter().take(MAX_JOINED));
    }
    let mut known: HashSet<u32> = seen.whole.iter().copied().collect();
    known.extend(&cx.config.without);
    found.retain(|oid| known.insert(*oid));
    found.truncate(MAX_ADDED);
    cx.catalog.describe(&found)
}

/// The tables of the list that the SQL names: a query over a table whose columns were not shown.
pub fn named_in_sql(
    cx: &Run<'_>,
    context: &Context,
    shown: &[u32],
    sql: &str,
) -> Result<Vec<Arc<Table>>, Error> {
    let mut listed = context.others.clone();
    listed.retain(|table| !shown.contains(&table.oid));
    let mut found = named(&listed, sql);
    found.truncate(MAX_ADDED);
    cx.catalog.describe(&found)
}

/// The listed tables whose name occurs in a text as a whole word, with or without its schema.
fn named(listed: &[TableName], text: &str) -> Vec<u32> {
    let text = text.to_lowercase();
    let is_inside = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words: HashSet<&str> = text.split(|c: char| !is_inside(c)).collect();
    let qualified: HashSet<&str> = text
        .split(|c: char| !is_inside(c) && c != '.')
        .map(|word| word.trim_matches('.'))
        .collect();
    let is_named = |table: &&TableName| {
        let name = table.name.to_lowercase();
        let whole = format!("{}.{name}", table.schema.to_lowercase());
        qualified.contains(whole.as_str())
            // A name with its schema means no table of another one.
            || (words.contains(name.as_str())
                && !qualified.iter().any(|word| {
                    word.rsplit_once('.').is_some_and(|(schema, last)| {
                        last == name && !schema.is_empty()
                    })
                }))
            || (!name.chars().all(is_inside) && text.contains(&name))
    };
    let named = listed.iter().filter(is_named);
    named.map(|table| table.oid).collect()
}

/// The tables that a search for the words finds, if they explain them.
fn by_words(
    cx: &Run<'_>,
    understanding: &Understanding,
    words: &str,
    table_chars: TableChars,
) -> Result<Vec<u32>, Error> {
    let Ok(asked) = Question::new(words) else {
        return Ok(Vec::new());
    };
    let asked = Understanding::of(asked.as_str(), understanding.today());
    let context = search_always(cx, &asked, table_chars)?;
    let Some(certainty) = context.certainty else {
        // Found by their names.
        return cx.catalog.find(asked.name_words(), MAX_JOINED);
    };
    if certainty.explained < LEAST_EXPLAINED {
        return Ok(Vec::new());
    }
    let close = certainty.close.clamp(1, MAX_ADDED);
    let found = context.found.iter().take(close);
    Ok(found.map(|table| table.table).collect())
}

/// Tables joined to the best ones, those that share most with the question first.
fn joined(
    cx: &Run<'_>,
    context: &Context,
    shown: &[u32],
    listed: &[TableName],
) -> Result<Vec<u32>, Error> {
    let best: Vec<u32> = context.tables.iter().map(|table| table.oid).collect();
    let best: Vec<u32> = best
        .into_iter()
        .filter(|oid| shown.contains(oid))
        .take(BEST)
        .collect();
    let joins = cx.index.joins(&best, JOINS_PER_TABLE)?;
    let mut joined: Vec<u32> = Vec::new();
    for join in joins {
        for (one, other) in [(join.from, join.to), (join.to, join.from)] {
            if best.contains(&one) && !shown.contains(&other) && !joined.contains(&other) {
                joined.push(other);
            }
        }
    }
    let place = |oid: &u32| listed.iter().position(|table| table.oid == *oid);
    joined.sort_by_key(|oid| place(oid).unwrap_or(usize::MAX));
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_table_is_named_by_whole_words() {
        let table = |oid, schema: &str, name: &str| TableName {
            oid,
            schema: schema.to_owned(),
            name: name.to_owned(),
            is_visible: false,
        };
        let listed = [
            table(1, "crm", "customer"),
            table(2, "sales", "customer"),
            table(3, "crm", "customer_note"),
            table(4, "crm", "Call Log"),
        ];
        let named = |text: &str| named(&listed, text);
        assert_eq!(named("the columns of crm.customer"), [1]);
        assert_eq!(named("customer"), [1, 2]);
        assert_eq!(named("CRM.Customer, crm.customer_note."), [1, 3]);
        assert_eq!(named("what is in \"Call Log\""), [4]);
        assert!(named("customers and notes").is_empty());
    }
}
