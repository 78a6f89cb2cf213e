//! A LIMIT inside of a query that nobody asks for: what is counted, added up or ordered above it is a part of the rows.

use sqlparser::ast::{Expr, GroupByExpr, LimitClause, Query, Value};
use text2sql_phrases::say;
use text2sql_sql::tree::{Block, Place, Tree, aggregates};

use super::said::Said;
use super::{Check, Finding};

/// Words of a question that want a part of the rows.
const PARTS: [&str; 30] = [
    "top", "bottom", "first", "last", "best", "worst", "most", "least", "fewest", "highest",
    "lowest", "largest", "smallest", "biggest", "longest", "shortest", "oldest", "youngest",
    "newest", "latest", "earliest", "recent", "some", "few", "sample", "any", "example",
    "examples", "leading", "random",
];

/// The fewest rows whose number a question would say: the first two are of "the second highest".
const FEWEST: u64 = 3;

/// Words for the end of an order.
const ENDS: [&str; 14] = [
    "most", "fewest", "highest", "lowest", "largest", "smallest", "biggest", "longest", "shortest",
    "oldest", "youngest", "newest", "cheapest", "heaviest",
];

pub(super) fn find(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    any_of_an_order(tree, said).or_else(|| inside(tree, said))
}

/// "Which harbours have the most boats?" with a LIMIT and no order: those that are shown are any.
fn any_of_an_order(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let query = block.query.filter(|query| query.order_by.is_none())?;
    let limit = limit(query)?;
    let words = said.words();
    let (_, word) = words.iter().enumerate().find(|(place, word)| {
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        ENDS.contains(&word.as_str()) && before.is_none_or(|before| before != "at")
    })?;
    let has_figures = !aggregates(block.select, None).is_empty();
    let is_one_row = has_figures
        && matches!(&block.select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty());
    let is_plain = block.select.distinct.is_none() && !block.sources.is_empty() && !is_one_row;
    is_plain.then(|| {
        Check::Direction.error(say!(
            "LIMIT {limit} without ORDER BY keeps any {limit} rows, and the question asks for the {word}.",
            limit,
            word
        ))
        .with_fix("ORDER BY")
    })
}

fn inside(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    tree.blocks
        .iter()
        .filter(|block| matches!(block.place, Place::Helper | Place::Derived))
        .find_map(|block| cut(block, said))
}

fn cut(block: &Block<'_>, said: &Said<'_>) -> Option<Finding> {
    let query = block.query?;
    let limit = limit(query).filter(|limit| *limit >= FEWEST)?;
    let is_said = said
        .question
        .numbers()
        .iter()
        .any(|stated| stated.matches(limit as f64))
        || said.counts().contains(&(limit as f64));
    let wants_part = said.has_any(&PARTS) && query.order_by.is_some();
    if is_said || wants_part || block.sources.is_empty() {
        return None;
    }
    let mut whole = query.clone();
    whole.limit_clause = None;
    whole.order_by = None;
    whole.with = None;
    let (with, _) = block.frame();
    let sql = format!("{with}SELECT 1 FROM ({whole}) AS whole OFFSET {limit} LIMIT 1");
    let evidence = say!(
        "LIMIT {limit} leaves out rows before the query uses them, and the question asks for no {limit} of them.",
        limit
    );
    Some(Finding::asked_of_data(
        Check::Direction,
        sql,
        evidence,
        say!("leave out the LIMIT"),
    ))
}

/// The number of LIMIT, where nothing is skipped.
fn limit(query: &Query) -> Option<u64> {
    match &query.limit_clause {
        Some(LimitClause::LimitOffset {
            limit: Some(Expr::Value(value)),
            offset: None,
            ..
        }) if query.fetch.is_none() => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
