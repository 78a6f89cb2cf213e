//! **EX**, execution accuracy: whether a candidate's result equals the gold's.
//!
//! `EX = 1` if the multisets of rows are equal, else `0`; for a suite, the mean. Source: Yu et al.
//! 2018 (Spider) and Li et al. 2023 (BIRD, where rows are compared as a set: `ignore_duplicates`).
//! Columns are matched by trying those with the same values. The order of rows counts only if the
//! question asks for it, and only to the extent that the gold defines it: rows with equal sort keys may be in
//! any order.

use super::components::components;
use super::result_table::{Comparison, ResultTable, Value};
use text2sql_domain::interrupts;

/// Maximum number of column assignments that are tried before the results count as different: only results with many
/// equal columns exceed it.
const MAX_ASSIGNMENTS: usize = 5_000;

/// Maximum number of search steps before the results count as different: without it, a column without a match would
/// make the search try all orders of the columns before it.
const MAX_STEPS: usize = 200_000;

/// Above this number of rows, rows are compared only after sorting, not paired.
const MAX_ROWS_PAIRED: usize = 400;

/// The order that the gold requires.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowOrder {
    /// Whether the order of rows counts.
    pub counts: bool,
    /// Columns of the gold's result that it is sorted by; if empty (not known), every row must be at
    /// its position.
    pub keys: Vec<usize>,
}

/// Whether the candidate's rows equal the gold's, with the matching columns: for each gold
/// column its index in the candidate.
pub fn equal_results(
    gold: &ResultTable,
    candidate: &ResultTable,
    order: &RowOrder,
    comparison: &Comparison,
) -> Option<Vec<usize>> {
    let widths_fit = if comparison.extra_columns {
        candidate.width() >= gold.width()
    } else {
        candidate.width() == gold.width()
    };
    if !widths_fit || (!comparison.ignore_duplicates && gold.rows.len() != candidate.rows.len()) {
        return None;
    }
    let choices = choices(gold, candidate, comparison);
    if choices.iter().any(Vec::is_empty) {
        return None;
    }
    let mut search = Search {
        gold,
        candidate,
        order,
        comparison,
        choices: &choices,
        tried: 0,
        steps: 0,
    };
    search.assign(&mut Vec::new())
}

/// For each gold column, the candidate's columns that may match it.
fn choices(
    gold: &ResultTable,
    candidate: &ResultTable,
    comparison: &Comparison,
) -> Vec<Vec<usize>> {
    let sorted = |table: &ResultTable, index: usize| {
        let mut values: Vec<&Value> = table.column(index).collect();
        values.sort_by_cached_key(|value| value.key());
        if comparison.ignore_duplicates {
            values.dedup_by(|a, b| a.equals(b, comparison));
        }
        values.into_iter().cloned().collect::<Vec<Value>>()
    };
    let theirs: Vec<Vec<Value>> = (0..candidate.width())
        .map(|index| sorted(candidate, index))
        .collect();
    (0..gold.width())
        .map(|index| {
            let ours = sorted(gold, index);
            let mut fits: Vec<usize> = theirs
                .iter()
                .enumerate()
                .filter(|(place, values)| {
                    (!comparison.column_order || *place == index)
                        && (!comparison.column_names || same_name(gold, index, candidate, *place))
                        && same_values(&ours, values, comparison)
                })
                .map(|(place, _)| place)
                .collect();
            // Columns with the same name and position first, because they are nearly always right.
            fits.sort_by_key(|place| (!same_name(gold, index, candidate, *place), *place != index));
            fits
        })
        .collect()
}

fn same_name(gold: &ResultTable, index: usize, candidate: &ResultTable, place: usize) -> bool {
    match (gold.names.get(index), candidate.names.get(place)) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}

fn same_values(one: &[Value], other: &[Value], comparison: &Comparison) -> bool {
    one.len() == other.len()
        && (one.iter().zip(other).all(|(a, b)| a.equals(b, comparison))
            // Sorting by text can separate numbers that are equal within the tolerance.
            || pair_up(one, other, |a, b| a.equals(b, comparison)))
}

/// Whether the items of both can be paired so that each pair is equal.
fn pair_up<T>(one: &[T], other: &[T], equal: impl Fn(&T, &T) -> bool) -> bool {
    if one.len() != other.len() || one.len() > MAX_ROWS_PAIRED {
        return false;
    }
    let mut free: Vec<&T> = other.iter().collect();
    one.iter().all(|a| {
        let found = free.iter().position(|b| equal(a, b));
        found.map(|place| free.swap_remove(place)).is_some()
    })
}

/// Removes the rows after the limit and returns whether rows with equal sort keys are separated by the limit. Keys
/// that are not in the result count as equal.
pub fn cuts_a_tie(rows: &mut ResultTable, limit: usize, sql: &str) -> bool {
    let behind = rows.rows.get(limit).cloned();
    rows.rows.truncate(limit);
    let (Some(behind), Some(last)) = (behind, rows.rows.last()) else {
        return false;
    };
    let keys = components(sql)
        .map(|parts| parts.sort_keys)
        .unwrap_or_default();
    keys.iter().all(|key| last.get(*key) == behind.get(*key))
}

struct Search<'a> {
    gold: &'a ResultTable,
    candidate: &'a ResultTable,
    order: &'a RowOrder,
    comparison: &'a Comparison,
    choices: &'a [Vec<usize>],
    tried: usize,
    /// Number of columns placed so far.
    steps: usize,
}

impl Search<'_> {
    fn assign(&mut self, places: &mut Vec<usize>) -> Option<Vec<usize>> {
        let Some(choices) = self.choices.get(places.len()) else {
            self.tried += 1;
            return self.rows_are_equal(places).then(|| places.clone());
        };
        for place in choices {
            self.steps += 1;
            if self.tried >= MAX_ASSIGNMENTS || self.steps > MAX_STEPS || interrupts::is_pending() {
                return None;
            }
            if places.contains(place) {
                continue;
            }
            places.push(*place);
            let found = self.assign(places);
            places.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn rows_are_equal(&self, places: &[usize]) -> bool {
        let gold: Vec<Vec<&Value>> = self
            .gold
            .rows
            .iter()
            .map(|row| row.iter().collect())
            .collect();
        let candidate: Vec<Vec<&Value>> = self
            .candidate
            .rows
            .iter()
            .map(|row| places.iter().filter_map(|place| row.get(*place)).collect())
            .collect();
        if self.order.counts && !self.is_in_order(&gold, &candidate) {
            return false;
        }
        self.same_multiset(gold, candidate)
    }

    fn is_in_order(&self, gold: &[Vec<&Value>], candidate: &[Vec<&Value>]) -> bool {
        let keys: Vec<usize> = match self.order.keys.as_slice() {
            [] => (0..self.gold.width()).collect(),
            keys => keys.to_vec(),
        };
        gold.len() == candidate.len()
            && gold.iter().zip(candidate).all(|(one, other)| {
                keys.iter()
                    .all(|key| match (one.get(*key), other.get(*key)) {
                        (Some(a), Some(b)) => a.equals(b, self.comparison),
                        _ => false,
                    })
            })
    }

    fn same_multiset(&self, mut gold: Vec<Vec<&Value>>, mut candidate: Vec<Vec<&Value>>) -> bool {
        let key = |row: &Vec<&Value>| row.iter().map(|value| value.key()).collect::<Vec<String>>();
        let equal = |one: &Vec<&Value>, other: &Vec<&Value>| {
            one.iter()
                .zip(other)
                .all(|(a, b)| a.equals(b, self.comparison))
        };
        gold.sort_by_cached_key(key);
        candidate.sort_by_cached_key(key);
        if self.comparison.ignore_duplicates {
            gold.dedup_by(|a, b| equal(a, b));
            candidate.dedup_by(|a, b| equal(a, b));
        }
        gold.len() == candidate.len()
            && (gold
                .iter()
                .zip(&candidate)
                .all(|(one, other)| equal(one, other))
                || pair_up(&gold, &candidate, equal))
    }
}

#[cfg(test)]
mod tests {
    use super::super::result_table::tests::table;
    use super::*;

    fn is_equal(gold: &ResultTable, candidate: &ResultTable, comparison: &Comparison) -> bool {
        equal_results(gold, candidate, &RowOrder::default(), comparison).is_some()
    }

    #[test]
    fn many_equal_columns_are_no_search_without_end() {
        let names: Vec<String> = (0..24).map(|number| format!("c{number}")).collect();
        let row = |last: &str| format!("{}{last}", "1|".repeat(22));
        let gold = table(&names.join(" "), &[&row("2|2")]);
        let candidate = table(&names.join(" "), &[&row("1|2")]);
        assert!(!is_equal(&gold, &candidate, &Comparison::default()));
    }

    #[test]
    fn rows_are_a_multiset() {
        let comparison = Comparison::default();
        let gold = table("a b", &["1|x", "1|x", "2|y"]);
        assert!(is_equal(
            &gold,
            &table("a b", &["2|y", "1|x", "1|x"]),
            &comparison
        ));
        assert!(!is_equal(
            &gold,
            &table("a b", &["1|x", "2|y", "2|y"]),
            &comparison
        ));
        assert!(!is_equal(
            &gold,
            &table("a b", &["1|x", "2|y"]),
            &comparison
        ));
        let as_set = Comparison {
            ignore_duplicates: true,
            ..comparison
        };
        assert!(is_equal(&gold, &table("a b", &["1|x", "2|y"]), &as_set));
        assert!(!is_equal(&gold, &table("a b", &["1|x"]), &as_set));
    }

    #[test]
    fn columns_may_change_places_but_values_may_not_change_rows() {
        let comparison = Comparison::default();
        let gold = table("name n", &["x|1", "y|2"]);
        let places = equal_results(
            &gold,
            &table("count who", &["1|x", "2|y"]),
            &RowOrder::default(),
            &comparison,
        );
        assert_eq!(places, Some(vec![1, 0]));
        assert!(!is_equal(
            &gold,
            &table("count who", &["2|x", "1|y"]),
            &comparison
        ));
        // Two columns have the same values, but only one assignment is right.
        let gold = table("a b c", &["1|2|p", "2|1|q"]);
        assert!(is_equal(
            &gold,
            &table("x y z", &["2|1|p", "1|2|q"]),
            &comparison
        ));
        let strict = Comparison {
            column_order: true,
            ..comparison.clone()
        };
        assert!(!is_equal(
            &gold,
            &table("x y z", &["2|1|p", "1|2|q"]),
            &strict
        ));
        let named = Comparison {
            column_names: true,
            ..comparison
        };
        assert!(!is_equal(
            &gold,
            &table("x y z", &["1|2|p", "2|1|q"]),
            &named
        ));
        assert!(is_equal(
            &gold,
            &table("C A B", &["p|1|2", "q|2|1"]),
            &named
        ));
    }

    #[test]
    fn extra_columns_are_an_option() {
        let gold = table("name", &["x", "y"]);
        let candidate = table("name n", &["y|2", "x|1"]);
        assert!(!is_equal(&gold, &candidate, &Comparison::default()));
        let tolerant = Comparison {
            extra_columns: true,
            ..Comparison::default()
        };
        assert!(is_equal(&gold, &candidate, &tolerant));
        assert!(!is_equal(&candidate, &gold, &tolerant));
    }

    #[test]
    fn order_counts_where_it_is_asked_for_and_ties_are_free() {
        let comparison = Comparison::default();
        let gold = table("name n", &["x|3", "y|2", "z|2"]);
        let by_count = RowOrder {
            counts: true,
            keys: vec![1],
        };
        let swapped = table("name n", &["x|3", "z|2", "y|2"]);
        let wrong = table("name n", &["y|2", "x|3", "z|2"]);
        assert!(equal_results(&gold, &swapped, &by_count, &comparison).is_some());
        assert!(equal_results(&gold, &wrong, &by_count, &comparison).is_none());
        let unknown = RowOrder {
            counts: true,
            keys: Vec::new(),
        };
        assert!(equal_results(&gold, &swapped, &unknown, &comparison).is_none());
        assert!(equal_results(&gold, &wrong, &RowOrder::default(), &comparison).is_some());
    }

    #[test]
    fn numbers_may_differ_in_their_last_digits() {
        let comparison = Comparison::default();
        let gold = table("a b", &["x|0.33333333", "y|0.66666667"]);
        assert!(is_equal(
            &gold,
            &table("a b", &["y|0.6666667", "x|0.3333333"]),
            &comparison
        ));
        assert!(!is_equal(
            &gold,
            &table("a b", &["y|0.667", "x|0.333"]),
            &comparison
        ));
        // Sorting by text separates 9.999996e4 from 1.000000e5; pairing matches them.
        let gold = table("n", &["99999.96", "5.5"]);
        assert!(is_equal(
            &gold,
            &table("n", &["99999.961", "5.5"]),
            &comparison
        ));
    }

    #[test]
    fn a_limit_may_cut_a_tie() {
        let sql = "SELECT name, n FROM t ORDER BY n DESC LIMIT 2";
        let mut tied = table("name n", &["x|3", "y|2", "z|2"]);
        assert!(cuts_a_tie(&mut tied, 2, sql));
        assert_eq!(tied.rows.len(), 2);
        assert!(!cuts_a_tie(
            &mut table("name n", &["x|3", "y|2", "z|1"]),
            2,
            sql
        ));
        assert!(!cuts_a_tie(&mut table("name n", &["x|3", "y|2"]), 2, sql));
        let hidden = "SELECT name FROM t ORDER BY n DESC LIMIT 1";
        assert!(cuts_a_tie(&mut table("name", &["x", "y"]), 1, hidden));
    }

    #[test]
    fn two_empty_results_are_equal_and_null_is_a_value() {
        let comparison = Comparison::default();
        assert!(is_equal(&table("a", &[]), &table("b", &[]), &comparison));
        assert!(!is_equal(&table("a", &[]), &table("b c", &[]), &comparison));
        assert!(!is_equal(
            &table("a", &["∅"]),
            &table("a", &["0"]),
            &comparison
        ));
        assert!(is_equal(
            &table("a", &["∅"]),
            &table("a", &["∅"]),
            &comparison
        ));
    }
}
