//! Changes that nobody asked for, as far as rules can tell: another kind of statement, another table that is written, a
//! lost condition, the header of a function, and statements that the request does not mean. Of a new statement also what it
//! does, and of any that changes what is hard to undo or leaves the database.

use text2sql_phrases::say;
use text2sql_sql::script::{self, Kind, lexemes};

use super::body::is_body;
use super::change::RevisedStatement;
use super::effects::{effects, unchecked};
use crate::explain::script::{Facts, Name, body_statements, is_same};

/// Adds to each statement what goes beyond the request.
pub(super) fn report(sql: &str, request: &str, statements: &mut [RevisedStatement]) {
    let words = words(request);
    let names = names(sql, &words);
    let numbers = numbers(&words);
    // What a changed statement makes or fills concerns those that read it.
    let written: Vec<Vec<Name>> = statements.iter().map(|one| touched(one).1).collect();
    for (place, statement) in statements.iter_mut().enumerate() {
        let (reads, writes) = touched(statement);
        let mut found = Vec::new();
        let number = statement.number;
        if statement.before.is_some() && !numbers.is_empty() && !numbers.contains(&number) {
            let named: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            found.push(say!(
                "The request is about statement {named}, not about this one.",
                named = named.join(", ")
            ));
        } else if numbers.is_empty() && !names.is_empty() {
            let all: Vec<&Name> = reads.iter().chain(&writes).collect();
            let is_meant = all
                .iter()
                .any(|name| name.last().is_some_and(|last| names.contains(last)));
            let others = written
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place);
            let follows = others
                .flat_map(|(_, names)| names)
                .any(|name| reads.iter().any(|read| is_same(read, name)));
            if !is_meant && !follows {
                found.push(say!(
                    "The request names {names}, which this statement neither reads nor writes.",
                    names = names.join(", ")
                ));
            }
        }
        match (&statement.before, &statement.after) {
            (Some(before), Some(after)) => compare(before, after, &words, &mut found),
            (Some(_), None) => found.push(say!("The statement is removed.")),
            (None, _) => found.push(say!("The statement is new.")),
        }
        if let Some(after) = &statement.after {
            let is_new = statement.before.is_none();
            let told = effects(after);
            let is_told = told.iter().any(|effect| effect.is_grave);
            let told = told.into_iter().filter(|effect| is_new || effect.is_grave);
            found.extend(told.map(|effect| effect.sentence));
            if is_new || is_told {
                found.extend(unchecked(after));
            }
        }
        statement.beyond = found;
    }
}

fn compare(before: &str, after: &str, words: &[String], found: &mut Vec<String>) {
    let (was, is) = (kind(before), kind(after));
    if was != is {
        found.push(say!("It is {is} instead of {was}."));
    }
    let targets = |sql: &str| -> Vec<Name> {
        let all = body_statements(sql).unwrap_or_else(|| vec![sql.to_owned()]);
        let facts = all.iter().filter_map(|sql| Facts::of(sql).ok());
        facts
            .flat_map(|facts| facts.writes().cloned().collect::<Vec<Name>>())
            .collect()
    };
    let known = targets(before);
    for name in targets(after) {
        let is_known = known.iter().any(|other| is_same(other, &name));
        let is_named = name.last().is_some_and(|last| words.contains(last));
        if !is_known && !is_named {
            found.push(say!(
                "It writes {name}, which it did not before.",
                name = text2sql_domain::object_name::join(&name)
            ));
        }
    }
    let is_lost = |word: &str| has(before, word) && !has(after, word);
    if matches!(is.as_str(), "UPDATE" | "DELETE") && is_lost("WHERE") {
        found.push(say!(
            "It has no WHERE any more, so that it concerns all rows."
        ));
    }
    if body_statements(before).is_some() && header(before) != header(after) {
        found.push(say!(
            "The header of the function changes, not only its body."
        ));
    }
}

/// The words before the body and after it.
fn header(sql: &str) -> Vec<String> {
    let lexemes = lexemes(sql);
    let outside = lexemes.iter().filter(|one| !is_body(sql, one));
    outside
        .filter_map(|one| sql.get(one.place.clone()))
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The first word, and the second of what is created.
fn kind(sql: &str) -> String {
    let lexemes = lexemes(sql);
    let word = |place: usize| {
        let text = lexemes
            .get(place)
            .and_then(|one| sql.get(one.place.clone()));
        text.unwrap_or_default().to_ascii_uppercase()
    };
    let skipped = ["OR", "REPLACE", "TEMP", "TEMPORARY", "UNLOGGED"];
    match word(0).as_str() {
        first @ ("CREATE" | "ALTER" | "DROP") => {
            let second = (1..5)
                .map(word)
                .find(|word| !skipped.contains(&word.as_str()));
            format!("{first} {}", second.unwrap_or_default())
        }
        first => first.to_owned(),
    }
}

fn has(sql: &str, word: &str) -> bool {
    lexemes(sql).iter().any(|one| {
        one.kind == Kind::Word
            && sql
                .get(one.place.clone())
                .is_some_and(|text| text.eq_ignore_ascii_case(word))
    })
}

/// What the statement reads and writes, before and after.
fn touched(statement: &RevisedStatement) -> (Vec<Name>, Vec<Name>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for sql in statement.before.iter().chain(&statement.after) {
        for sql in body_statements(sql).unwrap_or_else(|| vec![sql.clone()]) {
            let Ok(facts) = Facts::of(&sql) else {
                continue;
            };
            reads.extend(facts.reads().iter().cloned());
            writes.extend(facts.writes().cloned());
        }
    }
    (reads, writes)
}

/// The words of the request, folded; names in quotes as they are.
fn words(request: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = request.split(|c: char| !is_part(c));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The relations of the script that the request names.
fn names(sql: &str, words: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for statement in script::statements(sql) {
        for sql in body_statements(statement).unwrap_or_else(|| vec![statement.to_owned()]) {
            let Ok(facts) = Facts::of(&sql) else {
                continue;
            };
            let all = facts.reads().iter().chain(facts.writes());
            for name in all.filter_map(|name| name.last()) {
                if words.contains(&name.to_lowercase()) && !found.contains(name) {
                    found.push(name.clone());
                }
            }
        }
    }
    found
}

/// The statements that the request names by number.
fn numbers(words: &[String]) -> Vec<usize> {
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(|(word, _)| matches!(word.as_str(), "statement" | "anweisung"))
        .filter_map(|(_, number)| number.parse().ok())
        .collect()
}
