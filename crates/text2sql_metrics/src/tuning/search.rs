//! A search: what it is to do, and its trials.

use serde::{Deserialize, Serialize};

use super::objectives::Objectives;
use super::outcome::Outcome;
use super::space::{Choice, Space};
use crate::random::Random;

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
