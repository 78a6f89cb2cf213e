//! What changes in a statement, in words.

use std::sync::Arc;

use sqlparser::ast::{Query, Statement};
use text2sql_domain::schema::Table;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::script::lexemes;

use super::body::{body, is_body};
use super::change::{Action, ScriptChange};
use super::effects::clipped;
use super::token_difference::{Match, matches};
use crate::revision::describe;

/// Maximum number of places that are described.
const MAX_PLACES: usize = 8;

/// One sentence without full stop for each difference.
pub(super) fn changes(
    change: &ScriptChange,
    before: Option<&str>,
    after: Option<&str>,
    tables: &[Arc<Table>],
) -> Vec<String> {
    let number = change.number;
    match (before, after) {
        (Some(before), Some(after)) => differences(before, after, tables),
        (Some(_), None) => vec!["removes the statement".to_owned()],
        (None, _) if number == 0 => vec!["adds a statement at the beginning".to_owned()],
        (None, _) => vec![format!("adds a statement after statement {number}")],
    }
    .into_iter()
    .filter(|_| change.action != Action::Remove || after.is_none())
    .collect()
}

fn differences(before: &str, after: &str, tables: &[Arc<Table>]) -> Vec<String> {
    // The words for queries, where nothing but the query of both differs.
    if let (Some((head, old)), Some((other, new))) = (query_in(before), query_in(after))
        && head == other
        && let Some(told) = describe(&old, &new, tables)
    {
        return told;
    }
    let mut told = Vec::new();
    pieces(before, after, &mut told);
    let more = told.len().saturating_sub(MAX_PLACES);
    if more > 0 {
        told.truncate(MAX_PLACES);
        told.push(format!("and differs in {more} more places"));
    }
    told
}

/// The statement without its query, and the query.
fn query_in(sql: &str) -> Option<(String, Box<Query>)> {
    let mut statements = sql_reader::statements(sql).ok()??;
    if statements.len() != 1 {
        return None;
    }
    let mut statement = statements.pop()?;
    let empty = Box::new(text2sql_sql::tree::parse("SELECT 1").ok()??);
    let query = match &mut statement {
        Statement::Query(query) => std::mem::replace(query, *empty),
        Statement::Insert(insert) => insert.source.replace(*empty)?,
        Statement::CreateTable(table) => table.query.replace(*empty)?,
        Statement::CreateView(view) => std::mem::replace(&mut view.query, *empty),
        _ => return None,
    };
    Some((statement.to_string(), query))
}

/// The pieces that go and come, in order.
fn pieces(old: &str, new: &str, told: &mut Vec<String>) {
    let (was, is) = (lexemes(old), lexemes(new));
    let end = Match {
        old: was.len(),
        new: is.len(),
    };
    let mut place = Match { old: 0, new: 0 };
    let between = |text: &str, lexemes: &[text2sql_sql::script::Lexeme], from: usize, to: usize| {
        let first = lexemes.get(from)?.place.start;
        let last = lexemes.get(to.checked_sub(1)?)?.place.end;
        text.get(first..last).filter(|_| from < to).map(clipped)
    };
    let same = matches((old, &was), (new, &is));
    let is_lone = |place: usize| {
        let follows = |one: Option<&Match>, other: Option<&Match>| {
            one.zip(other)
                .is_none_or(|(a, b)| a.old + 1 == b.old && a.new + 1 == b.new)
        };
        let here = same.get(place);
        let before = place.checked_sub(1).and_then(|place| same.get(place));
        // The first and the last token begin and end a sentence of their own.
        before.is_some()
            && !follows(before, here)
            && same
                .get(place + 1)
                .is_some_and(|_| !follows(here, same.get(place + 1)))
    };
    // A single token between two changes is described with them.
    let told_apart: Vec<Match> = same
        .iter()
        .enumerate()
        .filter(|(place, one)| {
            !is_lone(*place) || was.get(one.old).is_some_and(|was| is_body(old, was))
        })
        .map(|(_, one)| *one)
        .collect();
    for next in told_apart.into_iter().chain([end]) {
        let gone = between(old, &was, place.old, next.old);
        let come = between(new, &is, place.new, next.new);
        told.extend(match (gone, come) {
            (Some(gone), Some(come)) => Some(format!("has {come} instead of {gone}")),
            (Some(gone), None) => Some(format!("drops {gone}")),
            (None, Some(come)) => Some(format!("adds {come}")),
            (None, None) => None,
        });
        let inside =
            |text, lexemes: &[text2sql_sql::script::Lexeme], place: usize| -> Option<String> {
                let piece: &str = lexemes
                    .get(place)
                    .and_then(|one| str::get(text, one.place.clone()))?;
                body(piece).map(|(_, content)| content.to_owned())
            };
        if let (Some(gone), Some(come)) = (inside(old, &was, next.old), inside(new, &is, next.new))
        {
            pieces(&gone, &come, told);
        }
        place = Match {
            old: next.old + 1,
            new: next.new + 1,
        };
    }
}
