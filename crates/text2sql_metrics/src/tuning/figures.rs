//! The figures of each trial, for readers.

use serde::Serialize;

use super::leaders::{leaders, scale};
use super::objectives::{Objectives, mean};
use super::outcome::Outcome;
use super::paired::differences;
use super::search::Trial;
use crate::significance::{bootstrap, wilcoxon};

/// The figures of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// Its number.
    pub trial: usize,
    /// Number of cases that count.
    pub cases: usize,
    /// Share of them that were right.
    pub accuracy: Option<f64>,
    /// Mean cost of an answer.
    pub cost: Option<f64>,
    /// Mean time of an answer, in milliseconds.
    pub latency: Option<f64>,
    /// How far it is above the settings as they are, over the same cases.
    pub gain: Option<f64>,
    /// The best trial at that time.
    pub incumbent: Option<usize>,
    /// How far it is above that one, over the same cases.
    pub difference: Option<f64>,
    /// Lower end of the 95 % interval of that difference.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The p of Wilcoxon's test of that difference.
    pub p: Option<f64>,
}

/// The figures of these trials. Differences are of the sum that the search is after, else of its first objective.
pub fn figures(objectives: &Objectives, trials: &[Trial], wanted: &[usize]) -> Vec<Figures> {
    let scale = scale(objectives, trials);
    let best = leaders(&scale, trials)
        .first()
        .and_then(|place| trials.get(*place));
    let of = |trial: &Trial| {
        let means = |value: fn(&Outcome) -> f64| mean(trial.outcomes.iter().map(value));
        let above = |other: &Trial| {
            let columns = differences(&scale, &trial.outcomes, &other.outcomes);
            columns.into_iter().next().unwrap_or_default()
        };
        let rival = best.filter(|best| best.number != trial.number);
        let column = rival.map(above).filter(|column| !column.is_empty());
        let interval = column.as_deref().and_then(bootstrap::mean_interval);
        let as_it_is = trials.first().filter(|_| trial.number > 0);
        Figures {
            trial: trial.number,
            cases: trial.outcomes.len(),
            accuracy: means(|outcome| outcome.right),
            cost: means(|outcome| outcome.cost),
            latency: means(|outcome| outcome.milliseconds),
            gain: as_it_is.and_then(|as_it_is| mean(above(as_it_is).into_iter())),
            incumbent: rival.map(|rival| rival.number),
            difference: column
                .as_ref()
                .and_then(|column| mean(column.iter().copied())),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            p: column.as_ref().map(|column| wilcoxon(column).p),
        }
    };
    let wanted = trials.iter().filter(|trial| wanted.contains(&trial.number));
    wanted.map(of).collect()
}
