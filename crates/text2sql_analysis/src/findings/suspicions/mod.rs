//! Signs that a query answers another question, none of which proves it: for models that are often wrong.
//!
//! When a strong model writes what the words of a question do not say, it is mostly right: it is judged by proofs alone.
//! When a small model does, it is mostly wrong, and no answer is better.

mod conditions;
mod figures;
mod joins;
mod suspicion;
mod things;

use std::sync::Arc;

use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::Execution;
use text2sql_sql::tree::{Tree, parse};

use self::conditions::{
    code_added, constant_added, null_added, number_missing, value_missing, year_missing,
};
use self::figures::{
    counted_numbers, divided_mean, figure_of_thing, nameless_groups, not_one_for_each,
    number_not_added_up, one_figure, single_rows,
};
use self::joins::{join_added, rows_repeated};
use self::suspicion::Suspicion;
use self::things::{
    echoed, negation_missing, no_table, nothing_found, other_kind, other_thing, share_above_all,
    table_missing,
};
use super::said::{Asked, Said, Used};
use crate::mend::{Edit, apply};

/// What speaks against a query that ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Suspicions {
    /// A sentence each.
    pub said: Vec<String>,
    /// The query without all that speaks against it, where that can be left out.
    pub simpler: Option<String>,
}

/// What speaks against a query that ran.
pub fn find_suspicions(
    sql: &str,
    tables: &[Arc<Table>],
    asked: &Asked<'_>,
    execution: &Execution,
) -> Suspicions {
    let (Ok(Some(mut query)), Some(used)) = (parse(sql), Used::of(sql)) else {
        return Suspicions::default();
    };
    let without_notes = asked.understanding.without_notes();
    let said = Said::of(without_notes.as_ref().unwrap_or(asked.understanding));
    let tree = Tree::read(&query, tables);
    let alone = [
        no_table(&tree),
        nothing_found(execution),
        one_figure(&tree, tables, &said, execution).or_else(|| not_one_for_each(&tree, &said, sql)),
        value_missing(&tree, &used, &said, asked),
        number_missing(&used, &said).or_else(|| year_missing(&used, &said)),
        constant_added(&tree, &said, asked),
        code_added(&tree, &said, asked),
        null_added(&tree, &said),
        negation_missing(&tree, sql, &said),
        share_above_all(&said, execution),
        other_kind(&tree, &said, execution),
        other_thing(&tree, tables, &used, &said),
        table_missing(&tree, tables, &used, &said),
        echoed(&tree, &said),
        counted_numbers(&tree),
        number_not_added_up(&tree, &said),
        single_rows(&tree),
        divided_mean(&tree),
        figure_of_thing(&tree, &said),
        nameless_groups(&tree, execution),
    ];
    let mut suspicions: Vec<Suspicion> = alone.into_iter().flatten().map(Suspicion::from).collect();
    let joined = join_added(&tree, &said);
    // The join may be what repeats them.
    if joined.is_none() {
        suspicions.extend(rows_repeated(&tree, &said, execution));
    }
    suspicions.extend(joined);
    drop(tree);
    let said = suspicions.iter().map(|one| one.said.clone()).collect();
    let edits: Option<Vec<Edit>> = suspicions.into_iter().map(|one| one.edit).collect();
    let edits = edits.filter(|edits| !edits.is_empty());
    let simpler = edits.is_some_and(|edits| apply(&mut query, edits));
    Suspicions {
        said,
        simpler: simpler.then(|| query.to_string()),
    }
}
