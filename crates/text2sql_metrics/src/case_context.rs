//! **Context precision and recall** of tables and columns, and **columns identified**.
//!
//! Compares what the model was shown (the context) with what the gold reads:
//! `recall = gold items in the context / gold items`, `precision = gold items in the context / items in the
//! context`, and, since models favour the beginning of a prompt, the rank-aware precision of RAGAS (Es et al. 2023):
//! `mean over the gold items found of (gold items among the first k / k)`, k being the item's rank.
//! `columns identified = gold result columns that the candidate's result has / gold result columns`,
//! after matching the columns by name and values.

use std::collections::BTreeSet;

use serde::Serialize;

use super::element_accuracy::lay_columns;
use super::result_table::{Comparison, ResultTable};

/// Precision, recall and rank-aware precision of one kind of item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Retrieved {
    /// Share of the context that the gold reads.
    pub precision: Option<f64>,
    /// Share of what the gold reads that is in the context.
    pub recall: Option<f64>,
    /// Mean precision at the ranks of the gold's items.
    pub ranked_precision: Option<f64>,
}

/// Compares the context, in ranked order, with what the gold reads.
pub fn retrieved(context: &[String], gold: &BTreeSet<String>) -> Retrieved {
    let mut seen = BTreeSet::new();
    let mut precisions = Vec::new();
    for item in context {
        if seen.insert(item) && gold.contains(item) {
            precisions.push((precisions.len() + 1) as f64 / seen.len() as f64);
        }
    }
    let found = precisions.len() as f64;
    let of = |whole: usize| (whole > 0).then(|| found / whole as f64);
    Retrieved {
        precision: of(seen.len()),
        recall: of(gold.len()),
        ranked_precision: match precisions.len() {
            0 => of(gold.len()),
            count => Some(precisions.iter().sum::<f64>() / count as f64),
        },
    }
}

/// The share of the gold's result columns that the candidate's result has: the same values in any
/// order, or at least one of them under the same name.
pub fn columns_identified(
    gold: &ResultTable,
    candidate: &ResultTable,
    comparison: &Comparison,
) -> Option<f64> {
    let laid = lay_columns(gold, candidate, comparison);
    let found = laid.iter().flatten().count();
    (gold.width() > 0).then(|| found as f64 / gold.width() as f64)
}

#[cfg(test)]
mod tests {
    use super::super::result_table::tests::table;
    use super::*;

    fn set(items: &[&str]) -> BTreeSet<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn precision_and_recall_by_hand() {
        // Gold items at ranks 1 and 3 of four; a third is missing: (1/1 + 2/3) / 2.
        let found = retrieved(&list(&["a", "x", "b", "y"]), &set(&["a", "b", "c"]));
        assert_eq!(found.precision, Some(0.5));
        assert_eq!(found.recall, Some(2.0 / 3.0));
        assert!((found.ranked_precision.unwrap() - 5.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_shown_finds_nothing() {
        let found = retrieved(&[], &set(&["a"]));
        assert_eq!(
            (found.precision, found.recall, found.ranked_precision),
            (None, Some(0.0), Some(0.0))
        );
        assert_eq!(retrieved(&list(&["a"]), &set(&[])).recall, None);
        // Duplicates in the context count once.
        assert_eq!(
            retrieved(&list(&["a", "a"]), &set(&["a"])).precision,
            Some(1.0)
        );
    }

    #[test]
    fn columns_are_identified_by_name_or_by_values() {
        let gold = table("name n", &["x|1", "y|2"]);
        let share =
            |candidate: &ResultTable| columns_identified(&gold, candidate, &Comparison::default());
        assert_eq!(share(&table("who k", &["x|7", "y|8"])), Some(0.5));
        assert_eq!(share(&table("name n", &["x|7", "y|8"])), Some(1.0));
        assert_eq!(share(&table("k", &["7"])), Some(0.0));
        assert_eq!(
            columns_identified(&table("", &[]), &gold, &Comparison::default()),
            None
        );
    }
}
