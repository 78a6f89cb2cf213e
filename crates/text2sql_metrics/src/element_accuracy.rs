//! **EA share**, element accuracy: the share of the expected result that is present, cell by cell.
//!
//! `EA = matching elements / expected elements`, where the elements are the cells of the gold's result.
//! Columns are matched by name, then by shared values; rows are matched by equal cells, each row of the
//! candidate at most once. If the gold's result is empty, EA is 1 for an empty candidate.
//! Unlike EX, it distinguishes "one wrong column" from "everything wrong". Extra cells do not lower it: they
//! affect EX and the reasons.

use std::collections::HashMap;

use super::result_table::{Comparison, ResultTable, Value};

/// Maximum number of rows that are matched one by one; of further rows only equal ones count.
const MAX_ROWS_ALIGNED: usize = 300;

/// Number of matching and of expected elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements {
    /// Cells of the gold's result that match in the candidate's.
    pub matching: usize,
    /// Cells of the gold's result.
    pub expected: usize,
}

impl Elements {
    /// The share of matching elements.
    pub fn share(self, candidate_is_empty: bool) -> f64 {
        match self.expected {
            0 => f64::from(u8::from(candidate_is_empty)),
            expected => self.matching as f64 / expected as f64,
        }
    }
}

/// Counts the elements of `gold` that `candidate` has. With `ordered`, rows are compared by position.
pub fn element_accuracy(
    gold: &ResultTable,
    candidate: &ResultTable,
    ordered: bool,
    comparison: &Comparison,
) -> Elements {
    let places = lay_columns(gold, candidate, comparison);
    let expected = gold.rows.len() * gold.width();
    let agreeing = |one: &[Value], other: &[Value]| {
        places
            .iter()
            .enumerate()
            .filter(|(index, place)| {
                let ours = one.get(*index);
                let theirs = place.and_then(|place| other.get(place));
                matches!((ours, theirs), (Some(a), Some(b)) if a.equals(b, comparison))
            })
            .count()
    };
    let matching = if ordered {
        let pairs = gold.rows.iter().zip(&candidate.rows);
        pairs.map(|(one, other)| agreeing(one, other)).sum()
    } else {
        lay_rows(gold, candidate, &places, &agreeing)
    };
    Elements { matching, expected }
}

/// The candidate's column for each gold column: first by name, then by the number of shared values.
pub(super) fn lay_columns(
    gold: &ResultTable,
    candidate: &ResultTable,
    comparison: &Comparison,
) -> Vec<Option<usize>> {
    let mut places: Vec<Option<usize>> = vec![None; gold.width()];
    let mut taken = vec![false; candidate.width()];
    let mut pairs: Vec<(usize, bool, usize, usize, usize)> = Vec::new();
    for index in 0..gold.width() {
        for place in 0..candidate.width() {
            let is_named = match (gold.names.get(index), candidate.names.get(place)) {
                (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                _ => false,
            };
            let shared = shared_values(gold, index, candidate, place, comparison);
            if shared > 0 || is_named {
                pairs.push((shared, is_named, index.abs_diff(place), index, place));
            }
        }
    }
    // A column with the same name but no shared values may still be the intended one, with wrong values.
    pairs.sort_by(|a, b| {
        (b.1 && b.0 > 0, b.0, b.1)
            .cmp(&(a.1 && a.0 > 0, a.0, a.1))
            .then(a.2.cmp(&b.2))
    });
    for (_, _, _, index, place) in pairs {
        let (Some(slot), Some(is_taken)) = (places.get_mut(index), taken.get_mut(place)) else {
            continue;
        };
        if slot.is_none() && !*is_taken {
            *slot = Some(place);
            *is_taken = true;
        }
    }
    places
}

/// Number of values that two columns share, counted as multisets.
fn shared_values(
    gold: &ResultTable,
    index: usize,
    candidate: &ResultTable,
    place: usize,
    comparison: &Comparison,
) -> usize {
    let rounded = |value: &Value| match (value, comparison.places()) {
        (Value::Number(number, _), Some(decimals)) => {
            format!("\u{1}{number:.places$}", places = decimals)
        }
        _ => value.key(),
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for value in gold.column(index) {
        *counts.entry(rounded(value)).or_default() += 1;
    }
    let mut shared = 0;
    for value in candidate.column(place) {
        if let Some(count) = counts.get_mut(&rounded(value)).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared
}

/// Number of matching cells if each gold row is paired with the most similar free row of the candidate.
fn lay_rows(
    gold: &ResultTable,
    candidate: &ResultTable,
    places: &[Option<usize>],
    agreeing: &dyn Fn(&[Value], &[Value]) -> usize,
) -> usize {
    let ours_key = |row: &[Value]| {
        let cells = row.iter().zip(places).filter(|(_, place)| place.is_some());
        cells.map(|(value, _)| value.key()).collect::<Vec<String>>()
    };
    let theirs_key = |row: &[Value]| {
        let cells = places.iter().flatten().filter_map(|place| row.get(*place));
        cells.map(Value::key).collect::<Vec<String>>()
    };
    let mut free: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
    for (number, row) in candidate.rows.iter().enumerate() {
        free.entry(theirs_key(row)).or_default().push(number);
    }
    // Rows that are equal in all matched columns are paired first.
    let mut used = vec![false; candidate.rows.len()];
    let mut matching = 0;
    let mut left: Vec<&Vec<Value>> = Vec::new();
    for row in &gold.rows {
        match free.get_mut(&ours_key(row)).and_then(Vec::pop) {
            Some(number) => {
                matching += places.iter().flatten().count();
                if let Some(used) = used.get_mut(number) {
                    *used = true;
                }
            }
            None => left.push(row),
        }
    }
    let mut rest: Vec<&Vec<Value>> = candidate
        .rows
        .iter()
        .zip(&used)
        .filter(|(_, used)| !**used)
        .map(|(row, _)| row)
        .take(MAX_ROWS_ALIGNED)
        .collect();
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for (i, one) in left.iter().take(MAX_ROWS_ALIGNED).enumerate() {
        for (j, other) in rest.iter().enumerate() {
            let cells = agreeing(one, other);
            if cells > 0 {
                pairs.push((cells, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut ours_used = vec![false; left.len()];
    let mut theirs_used = vec![false; rest.len()];
    for (cells, i, j) in pairs {
        if let (Some(ours), Some(theirs)) = (ours_used.get_mut(i), theirs_used.get_mut(j))
            && !*ours
            && !*theirs
        {
            (*ours, *theirs) = (true, true);
            matching += cells;
        }
    }
    rest.clear();
    matching
}

#[cfg(test)]
mod tests {
    use super::super::result_table::tests::table;
    use super::*;

    /// Six regions with two figures each; the candidate has the right names, but mostly wrong figures.
    #[test]
    fn seven_of_eighteen_elements_are_a_share_of_0_39() {
        let gold = table(
            "region orders_2024 ratio",
            &[
                "DACH|120|2.44",
                "Benelux|80|1.95",
                "Nordics|45|3.12",
                "Asia|12|0.58",
                "South|66|1.07",
                "Central|31|4.26",
            ],
        );
        // All six names are right, no count is, and one ratio is equal at one decimal.
        let candidate = table(
            "region orders ratio",
            &[
                "DACH|99|2.41",
                "Benelux|70|1.66",
                "Nordics|44|3.33",
                "Asia|11|0.75",
                "South|60|1.33",
                "Central|30|4.77",
            ],
        );
        let comparison = Comparison {
            decimals: Some(1),
            ..Comparison::default()
        };
        let elements = element_accuracy(&gold, &candidate, false, &comparison);
        assert_eq!((elements.matching, elements.expected), (7, 18));
        assert_eq!(format!("{:.2}", elements.share(false)), "0.39");
    }

    #[test]
    fn missing_rows_and_columns_are_missing_elements() {
        let comparison = Comparison::default();
        let gold = table("name n", &["x|1", "y|2"]);
        let share = |candidate: &ResultTable| {
            element_accuracy(&gold, candidate, false, &comparison).share(candidate.rows.is_empty())
        };
        assert_eq!(share(&gold), 1.0);
        assert_eq!(share(&table("name", &["x", "y"])), 0.5);
        assert_eq!(share(&table("n name", &["1|x"])), 0.5);
        assert_eq!(share(&table("name n", &["x|1", "y|3"])), 0.75);
        assert_eq!(share(&table("name n", &[])), 0.0);
        // Extra cells are not elements of the gold.
        assert_eq!(share(&table("name n k", &["x|1|7", "y|2|8", "z|3|9"])), 1.0);
    }

    #[test]
    fn place_counts_where_order_does() {
        let comparison = Comparison::default();
        let gold = table("name", &["x", "y", "z"]);
        let candidate = table("name", &["x", "z", "y"]);
        assert_eq!(
            element_accuracy(&gold, &candidate, true, &comparison).matching,
            1
        );
        assert_eq!(
            element_accuracy(&gold, &candidate, false, &comparison).matching,
            3
        );
    }

    #[test]
    fn nothing_expected_and_nothing_there_is_all_of_it() {
        let none = table("name", &[]);
        let elements = element_accuracy(&none, &none, false, &Comparison::default());
        assert_eq!(elements.share(true), 1.0);
        assert_eq!(elements.share(false), 0.0);
    }

    #[test]
    fn a_row_of_the_candidate_counts_once() {
        let gold = table("name n", &["x|1", "x|1"]);
        let candidate = table("name n", &["x|1"]);
        let elements = element_accuracy(&gold, &candidate, false, &Comparison::default());
        assert_eq!((elements.matching, elements.expected), (2, 4));
    }
}
