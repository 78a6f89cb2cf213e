//! Whether several queries for one question return the same rows, and if not, how they differ.
//!
//! Queries are grouped by the multiset of their result rows, ignoring the order of rows and
//! columns and the names of columns (self-consistency by execution: Wang et al. 2023, "Self-
//! Consistency Improves Chain of Thought Reasoning"; Li et al. 2022, "Competition-Level Code
//! Generation with AlphaCode"). The largest group wins; among equal groups, the one whose first
//! query came first.

use std::collections::BTreeMap;

use text2sql_domain::hidden_characters::is_hidden;
use text2sql_domain::sql_result::Execution;

/// Maximum number of rows shown for a difference, on each side.
const SHOWN_ROWS: usize = 3;

/// Maximum length of a cell in a difference, in characters.
const SHOWN_CHARACTERS: usize = 40;

/// The comparison of several queries for one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The index of the chosen query.
    pub chosen: usize,
    /// Number of queries with the same rows, including itself.
    pub agreeing: usize,
    /// Number of queries that ran.
    pub ran: usize,
    /// How each other group differs, in words with sample rows.
    pub differences: Vec<String>,
}

/// The rows of a result, each with its cells sorted, with the number of occurrences.
type Rows = BTreeMap<Vec<String>, usize>;

/// Compares the results; `None` if there are none.
pub fn compare(results: &[&Execution]) -> Option<Agreement> {
    let rows: Vec<Rows> = results.iter().map(|result| rows_of(result)).collect();
    // Groups as the index of their first member and their size.
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (place, own) in rows.iter().enumerate() {
        let is_same = |&(first, _): &(usize, usize)| {
            let flags = |place: usize| results.get(place).map(|result| result.is_truncated);
            rows.get(first) == Some(own) && flags(first) == flags(place)
        };
        match groups.iter().position(is_same) {
            Some(group) => {
                if let Some((_, size)) = groups.get_mut(group) {
                    *size += 1;
                }
            }
            None => groups.push((place, 1)),
        }
    }
    let (chosen, agreeing) = groups
        .iter()
        .copied()
        .reduce(|best, group| if group.1 > best.1 { group } else { best })?;
    let differences = groups
        .iter()
        .filter(|(first, _)| *first != chosen)
        .filter_map(|(first, size)| Some(difference(rows.get(chosen)?, rows.get(*first)?, *size)))
        .collect();
    Some(Agreement {
        chosen,
        agreeing,
        ran: results.len(),
        differences,
    })
}

fn rows_of(result: &Execution) -> Rows {
    let mut rows = Rows::new();
    for row in &result.rows {
        let mut cells: Vec<String> = row
            .iter()
            .map(|cell| {
                cell.text
                    .as_deref()
                    .map_or_else(|| "NULL".to_owned(), normal)
            })
            .collect();
        cells.sort_unstable();
        *rows.entry(cells).or_default() += 1;
    }
    rows
}

/// A number without trailing zeros: `2.50` and `2.5` are the same value.
fn normal(text: &str) -> String {
    let is_decimal = text.contains('.')
        && text
            .trim_start_matches('-')
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.');
    if is_decimal {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

fn difference(chosen: &Rows, other: &Rows, size: usize) -> String {
    let count = |rows: &Rows| rows.values().sum::<usize>();
    let who = match size {
        1 => "another candidate gives".to_owned(),
        size => format!("{size} other candidates give"),
    };
    let (here, there) = (only_in(chosen, other), only_in(other, chosen));
    let mut text = match (count(chosen), count(other)) {
        (a, b) if a == b => format!("{who} as many rows, but others"),
        (a, b) => format!("{who} {b} rows instead of {a}"),
    };
    for (place, rows) in [("only here", here), ("only there", there)] {
        if !rows.is_empty() {
            text.push_str(&format!("; {place}: {}", rows.join(", ")));
        }
    }
    text
}

/// Sample rows that `rows` has more often than `others`.
fn only_in(rows: &Rows, others: &Rows) -> Vec<String> {
    let surplus = rows
        .iter()
        .filter(|(row, count)| others.get(*row).copied().unwrap_or(0) < **count);
    let mut shown: Vec<String> = surplus
        .clone()
        .take(SHOWN_ROWS)
        .map(|(row, _)| {
            let cells: Vec<String> = row.iter().map(|cell| shortened(cell)).collect();
            format!("({})", cells.join(", "))
        })
        .collect();
    if surplus.count() > SHOWN_ROWS {
        shown.push("…".to_owned());
    }
    shown
}

fn shortened(cell: &str) -> String {
    let mut characters = cell.chars().filter(|c| !is_hidden(*c));
    let mut text: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    if characters.next().is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use text2sql_domain::sql_result::Cell;

    fn result(rows: &[&[&str]]) -> Execution {
        let cell = |text: &&str| Cell {
            text: (*text != "NULL").then(|| (*text).to_owned()),
            json: RawValue::from_string("null".to_owned()).expect("JSON"),
        };
        Execution {
            rows: rows
                .iter()
                .map(|row| row.iter().map(cell).collect())
                .collect(),
            ..Execution::default()
        }
    }

    #[test]
    fn the_largest_group_wins_and_of_equals_the_first() {
        let a = result(&[&["Germany", "5"], &["France", "3"]]);
        let turned = result(&[&["3.0", "France"], &["5", "Germany"]]);
        let b = result(&[&["Germany", "6"]]);
        let agreement = compare(&[&b, &a, &turned]).expect("results");
        assert_eq!(
            (agreement.chosen, agreement.agreeing, agreement.ran),
            (1, 2, 3)
        );
        assert_eq!(
            agreement.differences,
            [
                "another candidate gives 1 rows instead of 2; only here: (3, France), (5, Germany); only there: (6, Germany)"
            ]
        );
        let tie = compare(&[&b, &a]).expect("results");
        assert_eq!((tie.chosen, tie.agreeing), (0, 1));
        assert_eq!(compare(&[]), None);
    }

    #[test]
    fn a_row_that_repeats_is_not_the_same_as_one_that_does_not() {
        let once = result(&[&["a"], &["b"]]);
        let twice = result(&[&["a"], &["a"], &["b"]]);
        let agreement = compare(&[&once, &twice]).expect("results");
        assert_eq!(
            agreement.differences,
            ["another candidate gives 3 rows instead of 2; only there: (a)"]
        );
    }

    #[test]
    fn a_cut_result_is_not_the_same_as_a_whole_one() {
        let whole = result(&[&["a"]]);
        let cut = Execution {
            is_truncated: true,
            ..result(&[&["a"]])
        };
        let agreement = compare(&[&whole, &cut]).expect("results");
        assert_eq!((agreement.agreeing, agreement.ran), (1, 2));
    }

    #[test]
    fn long_cells_and_many_rows_are_cut_in_a_difference() {
        let long = "x".repeat(60);
        let texts = [long.as_str(), "b", "c", "d"];
        let rows: Vec<&[&str]> = texts.iter().map(std::slice::from_ref).collect();
        let agreement = compare(&[&result(&[&["a"]]), &result(&rows)]).expect("results");
        let difference = agreement.differences.concat();
        assert!(difference.contains("(b), (c), (d), …"), "{difference}");
    }
}
