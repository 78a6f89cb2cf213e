//! When a trial stops before it has been asked everything: it is worse than another one over the same cases, or could
//! not catch up if it were right in all that remain.

use super::front::dominates;
use super::objectives::{Scale, mean};
use super::paired::{common, differences};
use super::rungs::block;
use super::search::{Plan, Trial};
use crate::significance::wilcoxon;

/// The probability that a trial which is no worse is stopped by one rival at some look, at most: it is shared out over
/// the looks (Bonferroni). Of a test for two sides, so half of it in this direction.
const ERROR: f64 = 0.1;

/// Why a trial cannot win, if it cannot.
pub(super) fn loses(
    plan: &Plan,
    scale: &Scale<'_>,
    trial: &Trial,
    rivals: &[&Trial],
) -> Option<String> {
    let looks = plan.cases.len().div_ceil(block(plan.cases.len())).max(1);
    let level = ERROR / looks as f64;
    rivals.iter().find_map(|rival| {
        is_worse(scale, trial, rival, level).or_else(|| cannot_catch_up(plan, scale, trial, rival))
    })
}

fn is_worse(scale: &Scale<'_>, trial: &Trial, rival: &Trial, level: f64) -> Option<String> {
    let own = scale.means(&common(&trial.outcomes, &rival.outcomes));
    let theirs = scale.means(&common(&rival.outcomes, &trial.outcomes));
    if !dominates(&theirs, &own) {
        return None;
    }
    // Wilcoxon's test of differences of −1, 0 and 1 is McNemar's exact test.
    let columns = differences(scale, &trial.outcomes, &rival.outcomes);
    columns.iter().find_map(|column| {
        let difference = mean(column.iter().copied())?;
        let p = wilcoxon(column).p;
        (difference < 0.0 && p < level).then(|| {
            format!(
                "worse than trial {} over the same {} cases: {difference:+.3}, p {p:.4}",
                rival.number,
                column.len()
            )
        })
    })
}

fn cannot_catch_up(plan: &Plan, scale: &Scale<'_>, trial: &Trial, rival: &Trial) -> Option<String> {
    let greatest = plan.objectives.greatest()?;
    let left = plan.cases.len().checked_sub(trial.asked)?;
    if rival.asked < plan.cases.len() || left == 0 {
        return None;
    }
    let sum = |trial: &Trial| -> f64 {
        let values = trial.outcomes.iter().map(|outcome| scale.values(outcome));
        values.filter_map(|values| values.first().copied()).sum()
    };
    (sum(trial) + greatest * left as f64 + 1e-9 < sum(rival)).then(|| {
        format!(
            "cannot catch up with trial {}, even if it were right in all {left} cases that remain",
            rival.number
        )
    })
}
