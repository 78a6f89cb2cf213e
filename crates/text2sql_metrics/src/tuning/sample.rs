//! Which combinations of values are tried next.

use std::collections::BTreeSet;

use super::leaders::leaders;
use super::objectives::{Scale, mean};
use super::paired::differences;
use super::rungs::rungs;
use super::search::{Plan, Trial};
use super::space::Choice;
use crate::random::Random;

/// Number of trials of the first generation; where the space has no more, all are tried.
const FIRST: usize = 24;
/// Number of trials of a later generation.
const LATER: usize = 12;
/// How many of the best are varied.
const ELITE: usize = 3;
/// Random combinations that are considered in a later generation.
const RANDOM: usize = 60;
/// Each value is smoothed as if this many further trials had had it, without any effect.
const SHRINKAGE: f64 = 1.0;

/// The next generation; empty if everything was tried.
pub(super) fn next_generation(plan: &Plan, scale: &Scale<'_>, trials: &[Trial]) -> Vec<Choice> {
    let generation = trials
        .iter()
        .map(|trial| trial.generation)
        .max()
        .unwrap_or(0)
        + 1;
    let mut random = Random(plan.seed ^ (generation as u64).wrapping_mul(0xa076_1d64_78bd_642f));
    let seen: BTreeSet<&Choice> = trials.iter().map(|trial| &trial.choice).collect();
    let wanted = wanted(plan, if generation == 1 { FIRST } else { LATER });
    if plan.space.size() <= seen.len() + wanted {
        let all = (0..plan.space.size()).map(|n| plan.space.nth(n));
        return all.filter(|choice| !seen.contains(choice)).collect();
    }
    let chosen = match generation {
        1 => spread(plan, &mut random, wanted),
        _ => near_the_best(plan, scale, trials, &mut random, wanted),
    };
    let mut new: Vec<Choice> = Vec::new();
    for choice in chosen {
        if new.len() < wanted && !seen.contains(&choice) && !new.contains(&choice) {
            new.push(choice);
        }
    }
    new
}

/// At most as many as can be asked the questions of the first rung with two fifths of the remaining budget.
fn wanted(plan: &Plan, usual: usize) -> usize {
    let first = rungs(plan.cases.len()).first().copied().unwrap_or(1).max(1) as u64;
    match plan.left {
        None => usual,
        Some(left) => {
            let fits = left * 2 / 5 / (first * plan.repeats.max(1));
            usual.min(usize::try_from(fits).unwrap_or(usual)).max(2)
        }
    }
}

/// Combinations in which the values of each setting occur about as often (McKay et al. 1979, Latin hypercube).
fn spread(plan: &Plan, random: &mut Random, wanted: usize) -> Vec<Choice> {
    // More than needed, because some may be the same.
    let count = 2 * wanted;
    let columns: Vec<Vec<usize>> = plan
        .space
        .dimensions
        .iter()
        .map(|dimension| {
            let mut column: Vec<usize> = (0..count)
                .map(|place| place % dimension.values.len())
                .collect();
            random.shuffle(&mut column);
            column
        })
        .collect();
    (0..count)
        .map(|row| {
            columns
                .iter()
                .filter_map(|column| column.get(row).copied())
                .collect()
        })
        .collect()
}

/// Neighbours of the best, mixtures of the best and random combinations: those first of which most is expected, if each
/// value adds what it has added so far. Half of them are neighbours of the very best.
fn near_the_best(
    plan: &Plan,
    scale: &Scale<'_>,
    trials: &[Trial],
    random: &mut Random,
    wanted: usize,
) -> Vec<Choice> {
    let leaders = leaders(scale, trials);
    let elite: Vec<&Choice> = leaders
        .iter()
        .take(ELITE)
        .filter_map(|place| Some(&trials.get(*place)?.choice))
        .collect();
    let worth = Worth::of(plan, scale, trials);
    let mut own: Vec<Choice> = elite
        .first()
        .map(|best| neighbours(plan, best))
        .unwrap_or_default();
    let mut others: Vec<Choice> = elite
        .iter()
        .skip(1)
        .flat_map(|choice| neighbours(plan, choice))
        .collect();
    for _ in 0..RANDOM {
        let mut mixed = plan.space.as_it_is();
        let mut drawn = plan.space.as_it_is();
        for (place, dimension) in plan.space.dimensions.iter().enumerate() {
            let parent = elite.get(random.below(elite.len().max(1)));
            if let (Some(entry), Some(value)) = (
                mixed.get_mut(place),
                parent.and_then(|parent| parent.get(place)),
            ) {
                *entry = *value;
            }
            if let Some(entry) = drawn.get_mut(place) {
                *entry = random.below(dimension.values.len());
            }
        }
        others.push(mixed);
        others.push(drawn);
    }
    let seen: BTreeSet<&Choice> = trials.iter().map(|trial| &trial.choice).collect();
    own.retain(|choice| !seen.contains(choice));
    for choices in [&mut own, &mut others] {
        random.shuffle(choices);
        choices.sort_by(|one, other| worth.sum(other).total_cmp(&worth.sum(one)));
    }
    let later = own.split_off(own.len().min(wanted.div_ceil(2)));
    others.extend(later);
    others.sort_by(|one, other| worth.sum(other).total_cmp(&worth.sum(one)));
    own.into_iter().chain(others).collect()
}

fn neighbours(plan: &Plan, choice: &Choice) -> Vec<Choice> {
    let mut found = Vec::new();
    for (dimension, (values, place)) in plan.space.dimensions.iter().zip(choice).enumerate() {
        for near in values.near(*place) {
            let mut changed = choice.clone();
            if let Some(entry) = changed.get_mut(dimension) {
                *entry = near;
            }
            found.push(changed);
        }
    }
    found
}

/// What each value adds: the mean, over the trials that have it, of what they are above the settings as they are.
struct Worth(Vec<Vec<f64>>);

impl Worth {
    fn of(plan: &Plan, scale: &Scale<'_>, trials: &[Trial]) -> Self {
        let Some(as_it_is) = trials.first() else {
            return Self(Vec::new());
        };
        let gains: Vec<(&Choice, f64, f64)> = trials
            .iter()
            .filter_map(|trial| {
                let columns = differences(scale, &trial.outcomes, &as_it_is.outcomes);
                let gain = mean(columns.first()?.iter().copied())?;
                let weight = trial.outcomes.len() as f64 / plan.cases.len().max(1) as f64;
                Some((&trial.choice, gain, weight))
            })
            .collect();
        let usual = mean(gains.iter().map(|(_, gain, _)| *gain)).unwrap_or_default();
        let of_value = |dimension: usize, place: usize| {
            let with = gains
                .iter()
                .filter(|(choice, ..)| choice.get(dimension) == Some(&place));
            let (sum, weights) = with.fold((0.0, 0.0), |(sum, weights), (_, gain, weight)| {
                (sum + weight * (gain - usual), weights + weight)
            });
            sum / (weights + SHRINKAGE)
        };
        let dimensions = plan.space.dimensions.iter().enumerate();
        Self(
            dimensions
                .map(|(number, dimension)| {
                    (0..dimension.values.len())
                        .map(|place| of_value(number, place))
                        .collect()
                })
                .collect(),
        )
    }

    fn sum(&self, choice: &Choice) -> f64 {
        let values = self.0.iter().zip(choice);
        values
            .filter_map(|(values, place)| values.get(*place))
            .sum()
    }
}
