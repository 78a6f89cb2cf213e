//! The decisions of `text2sql_eval.tune`: which settings to try, with which questions, when to stop, and what to
//! propose.
//!
//! Every decision is computed anew from what has been asked so far ([`decide()`]), so that a search which was interrupted
//! goes on where it was, and repeats no question. The same seed gives the same decisions about the same answers.
//!
//! 1. A generation of trials is drawn ([`space`], `sample`): all combinations where there are few, else some in which
//!    each value occurs; later ones near the best so far.
//! 2. Successive halving (Jamieson and Talwalkar 2016): all trials are asked the same few questions, the better half
//!    twice as many, and so on (`rungs`).
//! 3. Racing (Maron and Moore 1994; Birattari et al. 2002): after each block of questions, a trial that is worse than
//!    another over the same cases stops, as does one that could not catch up (`race`).
//! 4. It ends when two generations brought nothing better, nothing is left to try, or the budget is used up. What is
//!    proposed is then judged on cases that no trial was asked ([`judgement`]).

mod decide;
pub mod document;
mod figures;
mod front;
pub mod judgement;
pub mod objectives;
mod race;
mod rungs;
mod sample;
pub mod space;

#[cfg(test)]
mod tests;

pub use decide::{Decision, Step, decide};
pub use figures::{Figures, figures};
pub use objectives::{Objectives, Scale};
pub use space::{Choice, Dimension, Problem, Space};

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// The mean of the attempts at a case.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Outcome {
    /// The case.
    pub case: i64,
    /// Share of the attempts that were right.
    pub right: f64,
    /// What an answer cost: money where all answers have a price, else tokens.
    pub cost: f64,
    /// How long it took.
    pub milliseconds: f64,
}

/// Where a trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is asked further questions.
    Racing,
    /// It was stopped early.
    Stopped,
    /// It was asked all questions of the search.
    Finished,
    /// It is proposed.
    Winner,
}

/// Settings that are tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its number; 0 are the settings as they are.
    pub number: usize,
    /// Its place in the space.
    pub choice: Choice,
    /// The generation in which it was drawn; 0 for the settings as they are.
    pub generation: usize,
    /// How many rungs it has passed.
    pub rung: usize,
    /// Where it is.
    pub state: State,
    /// Number of cases that it was asked, with those that do not count because their gold no longer runs.
    pub asked: usize,
    /// The outcomes of those that count.
    pub outcomes: Vec<Outcome>,
}

/// What a search is to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What is varied.
    pub space: Space,
    /// What it is after.
    pub objectives: Objectives,
    /// The seed.
    pub seed: u64,
    /// The cases of the search, in the order in which they are asked. See [`order`].
    pub cases: Vec<i64>,
    /// How often each case is asked.
    pub repeats: u64,
    /// How many questions may still be asked; `None` without a budget.
    pub left: Option<u64>,
    /// Settings for which the search index is made anew, as places in the space: trials are then asked in an order in
    /// which that happens seldom.
    pub index_dimensions: Vec<usize>,
}

/// The order in which cases are asked: by the seed, whatever order they come in.
pub fn order(mut cases: Vec<i64>, seed: u64) -> Vec<i64> {
    cases.sort_unstable();
    Random(seed).shuffle(&mut cases);
    cases
}

/// What one trial's values are above another's, over the cases of both: a list for each objective.
fn differences(scale: &Scale<'_>, one: &[Outcome], other: &[Outcome]) -> Vec<Vec<f64>> {
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
fn gains(scale: &Scale<'_>, outcomes: &[Outcome], as_it_is: &[Outcome]) -> Vec<f64> {
    let columns = differences(scale, outcomes, as_it_is);
    let means = columns
        .iter()
        .map(|column| objectives::mean(column.iter().copied()));
    scale.rounded(means.map(Option::unwrap_or_default))
}

/// The outcomes of the cases that another trial has, too.
fn common(one: &[Outcome], other: &[Outcome]) -> Vec<Outcome> {
    let is_common = |outcome: &&Outcome| other.iter().any(|rival| rival.case == outcome.case);
    one.iter().filter(is_common).copied().collect()
}
