//! Which columns of a table a prompt shows where their number is bounded.
//!
//! A query cannot be written without the columns that the question names, the keys and the columns of joins: they stay
//! before others.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::context::Context;
use crate::schema_budget::{ShownTable, join_columns};
use text2sql_domain::schema::{Column, Table};
use text2sql_language::terms::Analyzer;

/// Why a column stays, the strongest reason first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// The question names it, or a value in it.
    Named,
    /// It belongs to a key or a join.
    Key,
    /// The search found it by its words.
    Found,
    /// Any other.
    Other,
    /// Nothing asks for it.
    RarelyUseful,
}

/// The table with at most `most` columns, in the order of the table; the whole table without a bound.
pub fn at_most(table: &Arc<Table>, most: Option<NonZeroUsize>, context: &Context) -> ShownTable {
    let most = most.map_or(usize::MAX, NonZeroUsize::get);
    let count = table.columns.len();
    let whole = ShownTable::from(table);
    if count <= most {
        return whole;
    }
    let named = named(table, context);
    let keys = join_columns(table, &context.joins);
    let mut found = context.found.iter();
    let found: Vec<i16> = found
        .find(|found| found.table == table.oid)
        .map(|found| found.columns.iter().map(|(number, _)| *number).collect())
        .unwrap_or_default();
    let place_in = |numbers: &[i16], column: &Column| {
        let mut numbers = numbers.iter();
        numbers.position(|number| *number == column.number)
    };
    let reason = |place: usize, column: &Column| {
        if let Some(place) = place_in(&named, column) {
            (Reason::Named, place)
        } else if keys.contains(column.name.as_str()) {
            (Reason::Key, place)
        } else if let Some(place) = place_in(&found, column) {
            (Reason::Found, place)
        } else if column.is_rarely_useful {
            (Reason::RarelyUseful, place)
        } else {
            (Reason::Other, place)
        }
    };
    let mut order: Vec<(Reason, usize, i16)> = table
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let (reason, place) = reason(place, column);
            (reason, place, column.number)
        })
        .collect();
    order.sort_unstable();
    let kept: HashSet<i16> = order
        .iter()
        .take(most)
        .map(|(.., number)| *number)
        .collect();
    let kept = table
        .columns
        .iter()
        .filter(|one| kept.contains(&one.number));
    whole.cut_to(table.with_columns(kept))
}

/// The numbers of the columns that hold a value of the question or whose names share a word with it, best first: the
/// larger the part of the name, the better. Words of the table's own name tell its columns apart only where a name has
/// no others.
fn named(table: &Table, context: &Context) -> Vec<i16> {
    let mut named: Vec<i16> = Vec::new();
    for (_, hit) in &context.values {
        if hit.table == table.oid && !named.contains(&hit.column) {
            named.push(hit.column);
        }
    }
    let asked = &context.asked;
    let analyzer = Analyzer::new(&asked.language);
    let own = analyzer.terms_of_name(&table.name);
    let share = |name: &String| {
        let terms = analyzer.terms_of_name(name);
        let telling: Vec<&String> = terms.iter().filter(|term| !own.contains(term)).collect();
        let telling = match telling.is_empty() {
            true => terms.iter().collect(),
            false => telling,
        };
        let shared = telling.iter().filter(|term| asked.terms.contains(term));
        shared.count() as f64 / telling.len().max(1) as f64
    };
    let mut by_name: Vec<(f64, i16)> = table
        .columns
        .iter()
        .map(|column| {
            let names = std::iter::once(&column.name).chain(&column.synonyms);
            (names.map(share).fold(0.0, f64::max), column.number)
        })
        .filter(|(share, number)| *share > 0.0 && !named.contains(number))
        .collect();
    by_name.sort_by(|one, other| other.0.total_cmp(&one.0));
    named.extend(by_name.into_iter().map(|(_, number)| number));
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked_words::AskedWords;
    use crate::found_table::FoundTable;
    use text2sql_domain::ports::search_index::{JoinSource, Joining, ValueHit};

    fn orders() -> Arc<Table> {
        let names = [
            "note",
            "order_id",
            "customer_id",
            "ship_mode",
            "total",
            "city",
            "batch",
        ];
        Arc::new(Table {
            oid: 7,
            name: "orders".into(),
            primary_key: vec!["order_id".into()],
            columns: names
                .iter()
                .zip(1..)
                .map(|(name, number)| Column {
                    number,
                    name: (*name).into(),
                    is_rarely_useful: *name == "note",
                    synonyms: match *name {
                        "total" => vec!["revenue".into()],
                        _ => Vec::new(),
                    },
                    ..Column::default()
                })
                .collect(),
            ..Table::default()
        })
    }

    fn context(question: &str) -> Context {
        Context {
            asked: AskedWords {
                language: "english".into(),
                terms: Analyzer::default().question_terms(question),
            },
            ..Context::default()
        }
    }

    fn shown(most: usize, context: &Context) -> (Vec<String>, usize) {
        let shown = at_most(&orders(), NonZeroUsize::new(most), context);
        let names = shown.table.columns.iter();
        (
            names.map(|column| column.name.clone()).collect(),
            shown.omitted.len(),
        )
    }

    #[test]
    fn without_a_bound_or_within_it_the_table_is_whole() {
        let context = context("revenue");
        assert_eq!(shown(0, &context).1, 0);
        assert_eq!(shown(7, &context).1, 0);
        let table = orders();
        let whole = at_most(&table, None, &context);
        assert!(Arc::ptr_eq(&whole.table, &table), "its text stays cached");
    }

    #[test]
    fn what_the_question_names_comes_before_keys_and_these_before_others() {
        let context = context("Which orders were shipped, with their revenue?");
        assert_eq!(shown(1, &context), (vec!["total".into()], 6));
        let (names, omitted) = shown(3, &context);
        assert_eq!(names, ["order_id", "ship_mode", "total"]);
        assert_eq!(omitted, 4);
        assert_eq!(
            shown(6, &context).0,
            [
                "order_id",
                "customer_id",
                "ship_mode",
                "total",
                "city",
                "batch"
            ],
            "what is rarely useful goes first"
        );
    }

    #[test]
    fn a_word_of_the_table_names_no_column() {
        // order_id is the key; the question says nothing of an id.
        assert_eq!(shown(1, &context("orders by city")).0, ["city"]);
    }

    #[test]
    fn values_joins_and_finds_of_the_search_stay() {
        let mut context = context("how many in Graz");
        let hit = ValueHit {
            phrase: 0,
            table: 7,
            column: 6,
            value: "Graz".into(),
            similarity: 1.0,
        };
        context.values.push(("Graz".into(), hit));
        context.joins.push(Joining {
            from: 7,
            from_columns: vec!["customer_id".into()],
            to: 8,
            to_columns: vec!["customer_id".into()],
            source: JoinSource::ForeignKey,
        });
        context.found.push(FoundTable {
            table: 7,
            score: 1.0,
            ranks: Vec::new(),
            reasons: Vec::new(),
            columns: vec![(7, 2.0), (1, 1.0)],
        });
        assert_eq!(shown(1, &context).0, ["city"]);
        assert_eq!(shown(3, &context).0, ["order_id", "customer_id", "city"]);
        assert_eq!(
            shown(4, &context).0,
            ["order_id", "customer_id", "city", "batch"]
        );
    }
}
