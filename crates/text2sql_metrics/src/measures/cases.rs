//! The attempts of an evaluation by case.

use std::collections::{BTreeMap, BTreeSet};

use super::filter::Filter;
use crate::evaluation_data::{AttemptRow, EvaluationData};

/// The graded attempts at a case.
pub(super) type Cases<'a> = BTreeMap<(String, String), Vec<&'a AttemptRow>>;

/// The cases of an evaluation that count. One whose gold does not run does not count, whatever its other attempts.
pub(super) fn cases<'a>(data: &'a EvaluationData, filter: &Filter) -> Cases<'a> {
    let broken: BTreeSet<(String, String)> = data
        .results
        .iter()
        .filter(|row| row.state == "broken")
        .map(AttemptRow::full_key)
        .collect();
    let mut cases = Cases::new();
    for row in data.results.iter().filter(|row| row.state == "done") {
        let key = row.full_key();
        if filter.admits(row) && !broken.contains(&key) {
            cases.entry(key).or_default().push(row);
        }
    }
    cases
}
