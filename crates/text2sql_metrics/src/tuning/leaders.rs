//! Which trials lead.

use super::front::ranked;
use super::objectives::{Objectives, Scale, mean};
use super::outcome::Outcome;
use super::paired::{common, gains};
use super::search::{State, Trial};

/// The scale, by the settings as they are.
pub(super) fn scale<'a>(objectives: &'a Objectives, trials: &[Trial]) -> Scale<'a> {
    let as_it_is: &[Outcome] = trials.first().map_or(&[], |trial| &trial.outcomes);
    let others: Vec<Outcome> = trials
        .iter()
        .skip(1)
        .flat_map(|trial| trial.outcomes.iter().copied())
        .collect();
    Scale::new(objectives, as_it_is, &others)
}

/// Places of the trials that may be proposed, and of the settings as they are, best first: those that passed most
/// rungs. Of equal ones the cheaper comes first, then the one that changes less.
pub(super) fn leaders(scale: &Scale<'_>, trials: &[Trial]) -> Vec<usize> {
    let is_able = |trial: &Trial| trial.state != State::Stopped && trial.asked > 0;
    let able = || {
        trials
            .iter()
            .enumerate()
            .filter(|(_, trial)| is_able(trial))
    };
    let rungs = able().filter(|(_, trial)| trial.number > 0);
    let highest = rungs.map(|(_, trial)| trial.rung).max().unwrap_or(0);
    let mut leading: Vec<(usize, &Trial)> = able()
        .filter(|(_, trial)| trial.number == 0 || trial.rung == highest)
        .collect();
    let as_it_is: &[Outcome] = trials.first().map_or(&[], |trial| &trial.outcomes);
    leading.sort_by_cached_key(|(_, trial)| {
        let changes = trial.choice.iter().filter(|place| **place > 0).count();
        (expense(&trial.outcomes, as_it_is), changes, trial.number)
    });
    let gains: Vec<Vec<f64>> = leading
        .iter()
        .map(|(_, trial)| gains(scale, &trial.outcomes, as_it_is))
        .collect();
    let order = ranked(&gains).into_iter();
    order
        .filter_map(|rank| Some(leading.get(rank)?.0))
        .collect()
}

/// What answers cost more than others over the same cases, in twentieths of the cost; then in fifths of the time, and at
/// least 50 ms each.
pub(super) fn expense(one: &[Outcome], other: &[Outcome]) -> (i64, i64) {
    let (one, other) = (common(one, other), common(other, one));
    let steps = |value: fn(&Outcome) -> f64, share: f64, least: f64| {
        let of = |outcomes: &[Outcome]| mean(outcomes.iter().map(value)).unwrap_or_default();
        let step = (share * of(&other)).max(least);
        ((of(&one) - of(&other)) / step).round() as i64
    };
    (
        steps(|outcome| outcome.cost, 0.05, f64::MIN_POSITIVE),
        steps(|outcome| outcome.milliseconds, 0.2, 50.0),
    )
}
