//! What a proposal is worth, on cases that no trial was asked.

use serde::Serialize;

use super::objectives::{Objectives, Scale, mean};
use super::outcome::Outcome;
use super::paired::differences;
use crate::significance::{bootstrap, wilcoxon};

/// How far a proposal is above the settings as they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Number of cases of both.
    pub cases: usize,
    /// The mean difference of what the search was after; of several objectives, of the first.
    pub difference: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The p of Wilcoxon's test of it.
    pub p: Option<f64>,
}

/// Compares the outcomes of both over the same cases.
pub fn judge(objectives: &Objectives, as_it_is: &[Outcome], proposal: &[Outcome]) -> Judgement {
    let scale = Scale::new(objectives, as_it_is, proposal);
    let columns = differences(&scale, proposal, as_it_is);
    let column = columns.into_iter().next().unwrap_or_default();
    let interval = bootstrap::mean_interval(&column);
    Judgement {
        cases: column.len(),
        difference: mean(column.iter().copied()),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        p: (!column.is_empty()).then(|| wilcoxon(&column).p),
    }
}
