//! Explains an error in a statement: the position, the problem, similar names that exist, and possible
//! corrections.

use std::sync::Arc;
use text2sql_domain::words;
use text2sql_phrases::{say, template};

use super::Step;
use super::other_dialects::foreign;
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_language::edit_distance::{edit_distance, nearest_names};

/// The explanation of an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// The steps that describe the error.
    pub steps: Vec<Step>,
    /// Possible corrections: the caller can check with the server which of them are valid.
    pub candidates: Vec<String>,
}

/// Keywords that are often mistyped.
const KEYWORDS: &[&str] = words!(
    "SELECT, FROM, WHERE, GROUP, ORDER, HAVING, LIMIT, OFFSET, JOIN, LEFT, RIGHT, INNER, OUTER, \
     FULL, CROSS, ON, USING, AND, OR, NOT, IN, BY, AS, DISTINCT, BETWEEN, LIKE, IS, NULL, UNION, \
     ALL, EXISTS, CASE, WHEN, THEN, ELSE, END, DESC, ASC, WITH, COUNT, INTERVAL"
);

/// Explains an error. `tables` are candidates for similar names.
pub fn mistake(sql: &str, error: &DatabaseError, tables: &[Arc<Table>]) -> Mistake {
    let mut steps = Vec::new();
    let place = error.position.map(|position| place(sql, position));
    let at = place.as_ref().map_or_else(String::new, |place| {
        if place.word.is_empty() {
            say!(
                "Line {line}, column {column}: ",
                line = place.line,
                column = place.column
            )
        } else {
            say!(
                "Line {line}, column {column}, at `{word}`: ",
                line = place.line,
                column = place.column,
                word = place.word
            )
        }
    });
    let meaning =
        meaning(&error.sqlstate).map_or_else(String::new, |words| format!(" {}", say(words, &[])));
    steps.push(Step {
        clause: "ERROR".to_owned(),
        explanation: format!(
            "{at}{} (SQLSTATE {}).{meaning}",
            error.message, error.sqlstate
        ),
    });
    steps.extend(foreign(sql, &error.sqlstate));
    if let Some(hint) = without_closed_hint(error.clone(), sql, tables).hint {
        steps.push(Step {
            clause: "HINT".to_owned(),
            explanation: hint,
        });
    }
    let names = unknown_name(error)
        .map(|unknown| near(&error.sqlstate, &unknown, sql, tables))
        .unwrap_or_default();
    if !names.is_empty() {
        steps.push(Step {
            clause: "NEAREST".to_owned(),
            explanation: say!(
                "The nearest names that exist: {names}.",
                names = names.join(", ")
            ),
        });
    }
    let candidates = match (&place, error.sqlstate.as_str()) {
        (Some(place), "42P01" | "42703") => {
            names.iter().map(|name| renamed(sql, place, name)).collect()
        }
        (Some(place), "42601") => misspelt(sql, place),
        _ => Vec::new(),
    };
    Mistake { steps, candidates }
}

/// The error without a hint that names objects that the caller may not see. `tables` are those that the
/// statement names, as far as the caller may read them.
pub fn without_closed_hint(
    error: DatabaseError,
    sql: &str,
    tables: &[Arc<Table>],
) -> DatabaseError {
    let hint = error.hint.clone().filter(|hint| is_open(hint, sql, tables));
    DatabaseError { hint, ..error }
}

/// Whether a hint of the server names only columns of tables that the caller may read: the server
/// searches for similar names before it checks privileges.
fn is_open(hint: &str, sql: &str, tables: &[Arc<Table>]) -> bool {
    let Some((_, named)) = hint.split_once("reference the column \"") else {
        return true;
    };
    let name = named.split('"').next().unwrap_or_default();
    let column = name.rsplit('.').next().unwrap_or_default();
    tables.iter().any(|table| table.column(column).is_some())
        || sql
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word.eq_ignore_ascii_case(column))
}

/// The step that shows a valid correction.
pub fn corrected(sql: &str) -> Step {
    Step {
        clause: "CORRECTED".to_owned(),
        explanation: sql.trim().to_owned(),
    }
}

/// The position of an error.
struct Place {
    line: usize,
    column: usize,
    /// The word at this position, and its start and end in the text.
    word: String,
    start: usize,
    end: usize,
}

fn place(sql: &str, position: usize) -> Place {
    let before: String = sql.chars().take(position.saturating_sub(1)).collect();
    let start = before.len();
    let rest = sql.get(start..).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '"';
    let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    Place {
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
        word: rest.get(..length).unwrap_or_default().to_owned(),
        start,
        end: start + length,
    }
}

fn meaning(sqlstate: &str) -> Option<&'static str> {
    Some(match sqlstate {
        "42601" => template!("The grammar of SQL does not allow this here."),
        "42P01" => template!("No table or view of that name is to be seen from here."),
        "42703" => template!("None of the tables in FROM has a column of that name."),
        "42883" => template!("No function or operator of that name takes values of these types."),
        "42803" => {
            template!(
                "In a grouped query each shown column must be in GROUP BY or inside an aggregate such as count or sum."
            )
        }
        "42702" => template!(
            "Several tables in FROM have such a column: write the table's name before it."
        ),
        "42P10" => template!("The column position or the DISTINCT list does not fit the outputs."),
        "22P02" | "22007" => template!("The text cannot be read as a value of that type."),
        "42804" => template!("The values must have one type."),
        _ => return None,
    })
}

/// The unknown name in an error.
fn unknown_name(error: &DatabaseError) -> Option<String> {
    if !error.message.contains("does not exist") {
        return None;
    }
    let quoted = error.message.split('"').nth(1);
    let bare = error
        .message
        .strip_prefix("column ")
        .and_then(|rest| rest.split_whitespace().next());
    quoted.or(bare).map(str::to_owned)
}

/// Similar names that exist, in SQL form.
fn near(sqlstate: &str, unknown: &str, sql: &str, tables: &[Arc<Table>]) -> Vec<String> {
    let bare = unknown.rsplit('.').next().unwrap_or(unknown);
    let names: Vec<String> = match sqlstate {
        "42P01" => tables.iter().map(|table| table.name.clone()).collect(),
        "42703" => {
            let named = text2sql_sql::tree::relations::table_names(sql);
            tables
                .iter()
                .filter(|table| named.is_empty() || named.contains(&table.name))
                .flat_map(|table| &table.columns)
                .map(|column| column.name.clone())
                .collect()
        }
        _ => Vec::new(),
    };
    nearest_names(bare, &names)
        .iter()
        .map(|name| quote_identifier(name))
        .collect()
}

/// The statement with the last part of the name at this position replaced.
fn renamed(sql: &str, place: &Place, name: &str) -> String {
    let new = match place.word.rsplit_once('.') {
        Some((qualifier, _)) => format!("{qualifier}.{name}"),
        None => name.to_owned(),
    };
    let mut text = sql.to_owned();
    text.replace_range(place.start..place.end, &new);
    text
}

/// Statements with a nearby keyword corrected, a stray comma removed, or a parenthesis closed.
fn misspelt(sql: &str, place: &Place) -> Vec<String> {
    let mut candidates = Vec::new();
    // The parser reports the misspelt word itself or the one after it.
    for (start, end) in words_until(sql, place.end).into_iter().rev().take(3) {
        let Some(word) = sql.get(start..end) else {
            continue;
        };
        let upper = word.to_uppercase();
        if KEYWORDS.contains(&upper.as_str()) || upper.len() < 2 {
            continue;
        }
        for keyword in KEYWORDS {
            if is_typo(&upper, keyword) {
                let mut text = sql.to_owned();
                let new = if word.chars().any(char::is_lowercase) {
                    keyword.to_lowercase()
                } else {
                    (*keyword).to_owned()
                };
                text.replace_range(start..end, &new);
                candidates.push(text);
            }
        }
    }
    let before = sql.get(..place.start).unwrap_or_default();
    if let Some(comma) = before.trim_end().strip_suffix(',') {
        let rest = sql.get(place.start..).unwrap_or_default();
        candidates.push(format!("{} {rest}", comma.trim_end()));
    }
    let opened = sql.matches('(').count();
    let closed = sql.matches(')').count();
    if opened == closed + 1 {
        let rest = sql.get(place.start..).unwrap_or_default();
        candidates.push(
            format!("{}) {rest}", before.trim_end())
                .trim_end()
                .to_owned(),
        );
        candidates.push(format!("{})", sql.trim_end().trim_end_matches(';')));
    }
    candidates
}

/// Whether two letters are swapped, or one is missing, extra or different.
fn is_typo(word: &str, keyword: &str) -> bool {
    let is_swapped = {
        let (mut one, mut other): (Vec<char>, Vec<char>) =
            (word.chars().collect(), keyword.chars().collect());
        one.sort_unstable();
        other.sort_unstable();
        one == other
    };
    is_swapped || (keyword.len() > 2 && edit_distance(word, keyword) == 1)
}

/// The start and end of each word of a text, up to a position, without quoted texts.
fn words_until(sql: &str, until: usize) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    let mut is_quoted = false;
    for (place, c) in sql.char_indices() {
        if place >= until {
            break;
        }
        if c == '\'' {
            is_quoted = !is_quoted;
        }
        let is_letter = !is_quoted && (c.is_alphanumeric() || c == '_');
        match (start, is_letter) {
            (None, true) => start = Some(place),
            (Some(begun), false) => {
                words.push((begun, place));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(begun) = start {
        words.push((begun, until.min(sql.len())));
    }
    words
}
