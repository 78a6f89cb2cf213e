//! Comparisons over the same cases.

use super::objectives::{Scale, mean};
use super::outcome::Outcome;

/// What one trial's values are above another's, over the cases of both: a list for each objective.
pub(super) fn differences(scale: &Scale<'_>, one: &[Outcome], other: &[Outcome]) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for outcome in one {
        let Some(rival) = other.iter().find(|rival| rival.case == outcome.case) else {
            continue;
        };
        for (place, (own, theirs)) in scale
            .values(outcome)
            .into_iter()
            .zip(scale.values(rival))
            .enumerate()
        {
            match columns.get_mut(place) {
                Some(column) => column.push(own - theirs),
                None => columns.push(vec![own - theirs]),
            }
        }
    }
    columns
}

/// How far a trial is above the settings as they are, in each objective, over the cases of both.
pub(super) fn gains(scale: &Scale<'_>, outcomes: &[Outcome], as_it_is: &[Outcome]) -> Vec<f64> {
    let columns = differences(scale, outcomes, as_it_is);
    let means = columns.iter().map(|column| mean(column.iter().copied()));
    scale.rounded(means.map(Option::unwrap_or_default))
}

/// The outcomes of the cases that another trial has, too.
pub(super) fn common(one: &[Outcome], other: &[Outcome]) -> Vec<Outcome> {
    let is_common = |outcome: &&Outcome| other.iter().any(|rival| rival.case == outcome.case);
    one.iter().filter(is_common).copied().collect()
}
