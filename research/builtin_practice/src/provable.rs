//! Which mutants can be proved wrong at all, by rules that know nothing of what the judge does.
//!
//! Repeated rows: the same query with EXISTS in place of the join that was added gives another result; where it gives the
//! same, the join only loses rows, and words alone say that those belong to the answer. A dropped DISTINCT: the question
//! says "different", or what is counted is a column that refers to another table, whose rows are counted more than once.
//! Without either a list with copies may be meant: the accepted answers of some 40 practice questions are such lists. A
//! part of a key: the catalog declares a key of several columns. A year: the question states the one that was changed.

use std::sync::Arc;

use postgres::Client;
use sqlparser::ast::{
    BinaryOperator, Expr, JoinConstraint, JoinOperator, Query, SetExpr, TableFactor,
};

use crate::compare;
use text2sql_domain::schema::Table;
use text2sql_sql::tree::{Place, Tree, aggregates, read_query};

/// The class of a mutant, divided by what can be proved of it.
pub(crate) fn class_of(
    class: &'static str,
    question: &str,
    gold: &str,
    mutant: &str,
    tables: &[Arc<Table>],
    client: &mut Client,
) -> &'static str {
    match class {
        "fan-out" | "fan-out below" => match repeats(mutant, client) {
            true => "fan-out, rows repeated (provable)",
            false => "fan-out, rows only lost",
        },
        "dropped DISTINCT" => {
            match says_different(question) || counts_copies(mutant, tables, client) {
                true => "dropped DISTINCT (provable)",
                false => "dropped DISTINCT, equal values",
            }
        }
        "part of a key" => match tables.iter().any(|table| {
            let mut keys = table.foreign_keys.iter();
            keys.any(|key| key.columns.len() > 1)
        }) {
            true => "part of a key (provable)",
            false => "part of a key, not declared",
        },
        "another year" => match years(gold)
            .iter()
            .any(|year| !years(mutant).contains(year) && question.contains(year.as_str()))
        {
            true => "another year (provable)",
            false => "another year, not in the question",
        },
        other => other,
    }
}

fn years(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| run.len() == 4)
        .map(str::to_owned)
        .collect()
}

fn says_different(question: &str) -> bool {
    let question = question.to_lowercase();
    ["different", "distinct", "unique"]
        .iter()
        .any(|word| question.contains(word))
}

/// Whether the rows that the join `more` repeats change the result.
fn repeats(mutant: &str, client: &mut Client) -> bool {
    let Some(mut query) = read_query(mutant) else {
        return false;
    };
    if !with_exists(&mut query) {
        return false;
    }
    compare::is_right(client, &query.to_string(), &[mutant.to_owned()], false) == Ok(false)
}

/// Puts EXISTS in the place of the join with `more`.
fn with_exists(query: &mut Query) -> bool {
    let SetExpr::Select(select) = &mut *query.body else {
        return false;
    };
    let Some(from) = select.from.first_mut() else {
        return false;
    };
    let place = from.joins.iter().position(|join| {
        matches!(&join.relation, TableFactor::Table { alias: Some(alias), .. } if alias.name.value == "more")
    });
    let Some(place) = place else {
        return match &mut from.relation {
            TableFactor::Derived { subquery, .. } => with_exists(subquery),
            _ => false,
        };
    };
    let join = from.joins.remove(place);
    let (JoinOperator::Join(JoinConstraint::On(on)) | JoinOperator::Inner(JoinConstraint::On(on))) =
        join.join_operator
    else {
        return false;
    };
    let Some(exists) = read_query(&format!(
        "SELECT 1 FROM x WHERE EXISTS (SELECT 1 FROM {} WHERE {on})",
        join.relation
    )) else {
        return false;
    };
    let SetExpr::Select(other) = *exists.body else {
        return false;
    };
    let Some(condition) = other.selection else {
        return false;
    };
    select.selection = Some(match select.selection.take() {
        None => condition,
        Some(own) => Expr::BinaryOp {
            left: Box::new(Expr::Nested(Box::new(own))),
            op: BinaryOperator::And,
            right: Box::new(condition),
        },
    });
    true
}

/// Whether a column that refers to another table is counted, with one of its values more than once.
fn counts_copies(mutant: &str, tables: &[Arc<Table>], client: &mut Client) -> bool {
    let Some(query) = read_query(mutant) else {
        return false;
    };
    let tree = Tree::read(&query, tables);
    let Some((position, block)) = tree
        .blocks
        .iter()
        .enumerate()
        .find(|(_, block)| block.place == Place::Top)
    else {
        return false;
    };
    let calls = aggregates(block.select, block.query);
    let [call] = calls.as_slice() else {
        return false;
    };
    let column = call
        .argument
        .and_then(|argument| tree.resolve(position, argument));
    let Some(column) = column else {
        return false;
    };
    let refers = tree.column(&column).is_some_and(|(table, _)| {
        let mut keys = table.foreign_keys.iter();
        keys.any(|key| key.columns == [column.column.clone()])
    });
    if !refers {
        return false;
    }
    let (with, from) = block.frame();
    let condition = block
        .select
        .selection
        .as_ref()
        .map_or_else(String::new, |condition| format!(" WHERE {condition}"));
    let sql = format!(
        "{with}SELECT 1 {from}{condition} GROUP BY {} HAVING count(*) > 1 LIMIT 1",
        tree.sql(&column)
    );
    client.query(&sql, &[]).is_ok_and(|rows| !rows.is_empty())
}
