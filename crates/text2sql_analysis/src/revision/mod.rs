//! The difference between a query and its revised version, in words and line by line.
//!
//! The comparison is deterministic and based on the text: the same two statements over the same tables always
//! give the same words. Aliases, qualifiers and the case of keywords are ignored.

mod line_difference;
pub mod places;
pub mod script;
mod statement_parts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::line_difference::{line_difference, lines_that_differ as whole_difference};
use self::statement_parts::{Output, Parts, Piece};
use sqlparser::ast::Query;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;

/// The differences from `before` to `after`, one sentence without full stop for each; none if both are
/// equivalent. `tables` are those that they may read.
pub fn changes(before: &str, after: &str, tables: &[Arc<Table>]) -> Vec<String> {
    let (Some(old), Some(new)) = (sql_tree::read_query(before), sql_tree::read_query(after)) else {
        return match before.split_whitespace().eq(after.split_whitespace()) {
            true => Vec::new(),
            false => vec!["the query is changed in a way that has no words here".to_owned()],
        };
    };
    match describe(&old, &new, tables) {
        Some(sentences) => sentences,
        None => vec!["the query is changed in a way that has no words here".to_owned()],
    }
}

/// The same of two queries; `None` where they differ in a way that has no words here.
fn describe(old: &Query, new: &Query, tables: &[Arc<Table>]) -> Option<Vec<String>> {
    let (old, new) = (Parts::of(old, tables), Parts::of(new, tables));
    if old.whole == new.whole {
        return Some(Vec::new());
    }
    let mut sentences = Vec::new();
    describe_outputs(&mut sentences, &old.outputs, &new.outputs);
    describe_names(
        &mut sentences,
        ("reads", "no longer reads"),
        &old.tables,
        &new.tables,
    );
    describe_names(
        &mut sentences,
        ("has the helper result", "no longer has the helper result"),
        &old.helpers,
        &new.helpers,
    );
    for (table, kind) in &new.joins {
        let was = old.joins.iter().find(|(other, _)| other == table);
        if let Some((_, was)) = was.filter(|(_, was)| was != kind) {
            sentences.push(format!("joins {table} by {kind} instead of {was}"));
        }
    }
    // For a new table, the join condition is part of the sentence about its join.
    if old.tables == new.tables {
        describe_pieces(
            &mut sentences,
            "the join condition",
            &old.conditions,
            &new.conditions,
        );
    }
    describe_pieces(&mut sentences, "the filter", &old.filters, &new.filters);
    describe_pieces(
        &mut sentences,
        "the filter on groups",
        &old.having,
        &new.having,
    );
    describe_lists(
        &mut sentences,
        ("groups by", "no longer groups"),
        &old.groups,
        &new.groups,
    );
    describe_lists(
        &mut sentences,
        ("sorts by", "no longer sorts"),
        &old.order,
        &new.order,
    );
    describe_count(
        &mut sentences,
        ("gives at most", "no longer limits the number of rows"),
        &old.limit,
        &new.limit,
    );
    describe_count(
        &mut sentences,
        (
            "leaves out the first",
            "no longer leaves out the first rows",
        ),
        &old.offset,
        &new.offset,
    );
    match (old.distinct, new.distinct) {
        (old, new) if old < new => sentences.push("leaves out repeated rows".to_owned()),
        (old, new) if old > new => sentences.push("keeps repeated rows".to_owned()),
        _ => {}
    }
    describe_names(
        &mut sentences,
        ("combines results by", "no longer combines results by"),
        &old.set_operations,
        &new.set_operations,
    );
    (!sentences.is_empty()).then_some(sentences)
}

fn describe_outputs(sentences: &mut Vec<String>, old: &[Output], new: &[Output]) {
    let (gone, come) = differing(old, new, |a, b| a.key == b.key);
    let mut come: Vec<&Output> = come;
    for output in gone {
        let same_name = come.iter().position(|other| other.name == output.name);
        match same_name.map(|place| come.remove(place)) {
            Some(other) => sentences.push(format!(
                "the column {} is {} instead of {}",
                other.name, other.shown, output.shown
            )),
            None => sentences.push(format!("leaves out the column {}", output.name)),
        }
    }
    for output in come {
        sentences.push(match output.name == output.shown {
            true => format!("adds the column {}", output.name),
            false => format!("adds the column {}: {}", output.name, output.shown),
        });
    }
    for output in new {
        let was = old.iter().find(|other| other.key == output.key);
        if let Some(was) = was.filter(|was| was.name != output.name) {
            sentences.push(format!("calls the column {} {}", was.name, output.name));
        }
    }
    let order = |outputs: &[Output], others: &[Output]| -> Vec<String> {
        outputs
            .iter()
            .filter(|output| others.iter().any(|other| other.key == output.key))
            .map(|output| output.key.clone())
            .collect()
    };
    if order(old, new) != order(new, old) {
        sentences.push("puts the columns in another order".to_owned());
    }
}

fn describe_names(
    sentences: &mut Vec<String>,
    words: (&str, &str),
    old: &[String],
    new: &[String],
) {
    let (gone, come) = differing(old, new, |a, b| a == b);
    sentences.extend(come.iter().map(|name| format!("{} {name}", words.0)));
    sentences.extend(gone.iter().map(|name| format!("{} {name}", words.1)));
}

fn describe_pieces(sentences: &mut Vec<String>, what: &str, old: &[Piece], new: &[Piece]) {
    let (gone, come) = differing(old, new, |a, b| a.key == b.key);
    if let ([gone], [come]) = (gone.as_slice(), come.as_slice()) {
        sentences.push(format!(
            "{what} is {} instead of {}",
            come.shown, gone.shown
        ));
        return;
    }
    sentences.extend(
        come.iter()
            .map(|piece| format!("adds {what} {}", piece.shown)),
    );
    sentences.extend(
        gone.iter()
            .map(|piece| format!("drops {what} {}", piece.shown)),
    );
}

fn describe_lists(sentences: &mut Vec<String>, words: (&str, &str), old: &[Piece], new: &[Piece]) {
    let keys = |pieces: &[Piece]| -> Vec<String> {
        pieces.iter().map(|piece| piece.key.clone()).collect()
    };
    let shown = |pieces: &[Piece]| {
        let shown: Vec<String> = pieces.iter().map(|piece| piece.shown.clone()).collect();
        shown.join(", ")
    };
    if keys(old) == keys(new) {
        return;
    }
    sentences.push(match (old, new) {
        (_, []) => words.1.to_owned(),
        ([], new) => format!("{} {}", words.0, shown(new)),
        (old, new) => format!("{} {} instead of {}", words.0, shown(new), shown(old)),
    });
}

fn describe_count(
    sentences: &mut Vec<String>,
    words: (&str, &str),
    old: &Option<String>,
    new: &Option<String>,
) {
    match (old, new) {
        (old, new) if old == new => {}
        (Some(old), Some(new)) => {
            sentences.push(format!("{} {new} rows instead of {old}", words.0))
        }
        (None, Some(new)) => sentences.push(format!("{} {new} rows", words.0)),
        (_, None) => sentences.push(words.1.to_owned()),
    }
}

/// Items that are only in the first and items that are only in the second, compared as multisets.
fn differing<'a, T>(
    old: &'a [T],
    new: &'a [T],
    is_same: impl Fn(&T, &T) -> bool,
) -> (Vec<&'a T>, Vec<&'a T>) {
    let mut come: Vec<&T> = new.iter().collect();
    let mut gone = Vec::new();
    for item in old {
        match come.iter().position(|other| is_same(item, other)) {
            Some(place) => {
                come.remove(place);
            }
            None => gone.push(item),
        }
    }
    (gone, come)
}
