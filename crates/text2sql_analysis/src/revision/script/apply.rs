//! Puts the statements that a model wrote in the place of those that it names.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use text2sql_domain::schema::Table;
use text2sql_sql::script;

use super::change::{Action, RevisedScript, RevisedStatement, ScriptChange};
use super::same_text::in_text_of;
use super::{beyond, words};
use crate::revision::line_difference::lines_that_differ;

/// Maximum number of statements that one change concerns.
const MAX_CHANGES: usize = 100;

/// An edit of the text.
struct Edit {
    place: Range<usize>,
    text: String,
}

/// Applies the changes to the script, or says what is wrong with them, in words for the model. `request` is what was
/// asked for, `tables` are those that the statements may read.
pub fn apply(
    sql: &str,
    changes: &[ScriptChange],
    request: &str,
    tables: &[Arc<Table>],
) -> Result<RevisedScript, String> {
    let ranges = script::ranges(sql);
    let problem = problem(changes, ranges.len());
    if let Some(problem) = problem {
        return Err(problem);
    }
    let mut ordered: Vec<&ScriptChange> = changes.iter().collect();
    ordered.sort_by_key(|change| (change.number, change.action));
    let is_removed = |number: usize| {
        let mut all = changes.iter();
        all.any(|change| change.number == number && change.action == Action::Remove)
    };
    let (mut edits, mut statements) = (Vec::new(), Vec::new());
    for change in ordered {
        let range = change
            .number
            .checked_sub(1)
            .and_then(|place| ranges.get(place));
        let before = range.and_then(|range| sql.get(range.clone()));
        let (made, before, after) = match (change.action, range.cloned(), before) {
            (Action::Change, Some(range), Some(before)) => {
                let after = in_text_of(before, &single(change)?);
                (vec![edit(range, after.clone())], Some(before), Some(after))
            }
            (Action::Remove, Some(range), Some(before)) => {
                (removal(sql, range), Some(before), None)
            }
            (Action::Add, range, _) => {
                let after = single(change)?;
                let made = match range {
                    // In the place of one that goes with its semicolon.
                    Some(range) if is_removed(change.number) => {
                        edit(range.start..range.start, format!("{after};\n"))
                    }
                    Some(range) => edit(range.end..range.end, format!(";\n{after}")),
                    None => {
                        let start = ranges.first().map_or(0, |first| first.start);
                        edit(start..start, format!("{after};\n"))
                    }
                };
                (vec![made], None, Some(after))
            }
            (Action::Change | Action::Remove, ..) => continue,
        };
        if before == after.as_deref() {
            continue;
        }
        let (was, is) = (
            before.unwrap_or_default(),
            after.as_deref().unwrap_or_default(),
        );
        statements.push(RevisedStatement {
            number: change.number,
            changes: words::changes(change, before, after.as_deref(), tables),
            diff: lines_that_differ(was, is),
            beyond: Vec::new(),
            before: before.map(str::to_owned),
            after,
        });
        edits.extend(made);
    }
    beyond::report(sql, request, &mut statements);
    Ok(RevisedScript {
        sql: edited(sql, edits),
        statements,
    })
}

fn edit(place: Range<usize>, text: String) -> Edit {
    Edit { place, text }
}

fn edited(sql: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.place.start);
    let mut text = String::with_capacity(sql.len());
    let mut end = 0;
    for edit in edits {
        text.push_str(sql.get(end..edit.place.start).unwrap_or_default());
        text.push_str(&edit.text);
        end = edit.place.end.max(end);
    }
    text.push_str(sql.get(end..).unwrap_or_default());
    text
}

/// What is wrong with the numbers.
fn problem(changes: &[ScriptChange], count: usize) -> Option<String> {
    if changes.len() > MAX_CHANGES {
        return Some(format!("more than {MAX_CHANGES} changes"));
    }
    let mut seen = BTreeSet::new();
    for change in changes {
        let number = change.number;
        let least = usize::from(change.action != Action::Add);
        if number < least || number > count {
            return Some(format!(
                "there is no statement {number}: the script has {count}"
            ));
        }
        if change.action != Action::Add && !seen.insert(number) {
            return Some(format!("statement {number} is changed twice"));
        }
    }
    None
}

/// The one statement of a change, without a semicolon.
fn single(change: &ScriptChange) -> Result<String, String> {
    match script::statements(&change.sql).as_slice() {
        [one] => Ok((*one).to_owned()),
        more => Err(format!(
            "\"sql\" of statement {} has {} statements instead of one",
            change.number,
            more.len()
        )),
    }
}

/// Takes a statement away with its semicolon, and with the line break behind it. A comment between the two stays.
fn removal(sql: &str, statement: Range<usize>) -> Vec<Edit> {
    let end = statement.end;
    let rest = sql.get(end..).unwrap_or_default();
    let lexemes = script::lexemes(rest);
    let semicolon = lexemes
        .first()
        .filter(|first| rest.get(first.place.clone()) == Some(";"))
        .map(|first| first.place.clone());
    let Some(semicolon) = semicolon else {
        return vec![edit(statement, String::new())];
    };
    let behind = rest.get(semicolon.end..).unwrap_or_default();
    let spaces = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    let is_line_end = behind
        .get(spaces..)
        .is_some_and(|rest| rest.starts_with('\n'));
    let until = match is_line_end {
        true => end + semicolon.end + spaces + 1,
        false => end + semicolon.end,
    };
    let gap = rest.get(..semicolon.start).unwrap_or_default();
    match gap.trim().is_empty() {
        true => vec![edit(statement.start..until, String::new())],
        false => vec![
            edit(statement, String::new()),
            edit(end + semicolon.start..until, String::new()),
        ],
    }
}
