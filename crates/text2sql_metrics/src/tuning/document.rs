//! A search as `text2sql_eval` stores it, and what is decided about it: JSON on both sides.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::decide::{Step, decide};
use super::figures::{Figures, figures};
use super::judgement::{Judgement, judge};
use super::objectives::Objectives;
use super::outcome::Outcome;
use super::search::{Plan, State, Trial, order};
use super::space::{Problem, Space};

/// A search and everything that was asked.
#[derive(Debug, Deserialize)]
pub struct Search {
    space: Value,
    current: Map<String, Value>,
    objectives: Value,
    seed: i64,
    repeats: u64,
    left: Option<i64>,
    #[serde(default)]
    index_settings: Vec<String>,
    cases: Vec<i64>,
    /// The trial that was asked last: its figures have changed.
    touched: Option<usize>,
    trials: Vec<StoredTrial>,
}

#[derive(Debug, Deserialize)]
struct StoredTrial {
    trial: usize,
    settings: Map<String, Value>,
    generation: usize,
    rung: usize,
    state: State,
    /// All cases that it was asked.
    asked: Vec<i64>,
    outcomes: Vec<Outcome>,
}

/// What is decided about a search.
#[derive(Debug, PartialEq, Serialize)]
pub struct Decided {
    /// Where trials are that have moved.
    pub trials: Vec<Moved>,
    /// Figures that have changed.
    pub figures: Vec<Figures>,
    /// The trial to ask, with the cases.
    pub ask: Option<Asked>,
    /// The settings of new trials.
    pub add: Option<Added>,
    /// The search is over.
    pub end: Option<Ended>,
}

/// A trial that has moved.
#[derive(Debug, PartialEq, Serialize)]
pub struct Moved {
    trial: usize,
    rung: usize,
    state: State,
    why: Option<String>,
}

/// Whom to ask what.
#[derive(Debug, PartialEq, Serialize)]
pub struct Asked {
    trial: usize,
    cases: Vec<i64>,
}

/// New trials.
#[derive(Debug, PartialEq, Serialize)]
pub struct Added {
    generation: usize,
    settings: Vec<Map<String, Value>>,
}

/// The end.
#[derive(Debug, PartialEq, Serialize)]
pub struct Ended {
    winners: Vec<usize>,
    why: String,
}

/// The number of combinations of a declared space, if it is one.
pub fn combinations(space: &Value, current: &Map<String, Value>) -> Result<i64, Problem> {
    let space = Space::read(space, current)?;
    Ok(i64::try_from(space.size()).unwrap_or(i64::MAX))
}

/// Every value of a space, by setting, without those that are set now.
pub fn values(space: &Value, current: &Map<String, Value>) -> Result<Value, Problem> {
    let space = Space::read(space, current)?;
    let values = space.dimensions.into_iter().map(|dimension| {
        let values = dimension.values.into_iter().skip(1).collect();
        (dimension.name, Value::Array(values))
    });
    Ok(Value::Object(values.collect()))
}

/// Decides what to do next.
pub fn next(search: Search) -> Result<Decided, Problem> {
    let objectives = read_objectives(&search.objectives)?;
    let space = Space::read(&search.space, &search.current)?;
    let seed = search.seed as u64;
    let index_dimensions = search.index_settings.iter();
    let index_dimensions = index_dimensions
        .filter_map(|name| {
            space
                .dimensions
                .iter()
                .position(|known| known.name == *name)
        })
        .collect();
    let cases = order(search.cases, seed);
    let trials: Vec<Trial> = search
        .trials
        .iter()
        .map(|trial| trial.read(&space, &cases))
        .collect();
    let plan = Plan {
        space,
        objectives,
        seed,
        cases,
        repeats: search.repeats,
        left: search.left.map(|left| u64::try_from(left).unwrap_or(0)),
        index_dimensions,
    };
    let decision = decide(&plan, &trials);
    let mut changed: Vec<usize> = search.touched.into_iter().collect();
    let mut moved = Vec::new();
    for (before, now) in trials.iter().zip(&decision.trials) {
        if (before.rung, before.state) != (now.rung, now.state) {
            let why = decision
                .stopped
                .iter()
                .find(|(number, _)| *number == now.number);
            changed.push(now.number);
            moved.push(Moved {
                trial: now.number,
                rung: now.rung,
                state: now.state,
                why: why.map(|(_, why)| why.clone()),
            });
        }
    }
    let (mut ask, mut add, mut end) = (None, None, None);
    match decision.step {
        Step::Ask { trial, cases } => ask = Some(Asked { trial, cases }),
        Step::Add {
            choices,
            generation,
        } => {
            let settings = choices.iter().map(|choice| plan.space.settings(choice));
            add = Some(Added {
                generation,
                settings: settings.collect(),
            });
        }
        Step::End { winners, why } => {
            let kept = decision
                .trials
                .iter()
                .filter(|trial| trial.state != State::Stopped);
            changed.extend(kept.map(|trial| trial.number));
            end = Some(Ended { winners, why });
        }
    }
    Ok(Decided {
        trials: moved,
        figures: figures(&plan.objectives, &decision.trials, &changed),
        ask,
        add,
        end,
    })
}

impl StoredTrial {
    fn read(&self, space: &Space, cases: &[i64]) -> Trial {
        let place = |case: &i64| cases.iter().position(|known| known == case);
        let mut outcomes: Vec<(usize, Outcome)> = self
            .outcomes
            .iter()
            .filter_map(|outcome| Some((place(&outcome.case)?, *outcome)))
            .collect();
        outcomes.sort_by_key(|(place, _)| *place);
        Trial {
            number: self.trial,
            // Settings of another space cannot occur: the space is stored with the run.
            choice: space.choice(&self.settings).unwrap_or_default(),
            generation: self.generation,
            rung: self.rung,
            state: self.state,
            asked: self
                .asked
                .iter()
                .filter_map(place)
                .max()
                .map_or(0, |last| last + 1),
            outcomes: outcomes.into_iter().map(|(_, outcome)| outcome).collect(),
        }
    }
}

/// Compares a proposal with the settings as they are.
pub fn judgement(
    objectives: &Value,
    as_it_is: &[Outcome],
    proposal: &[Outcome],
) -> Result<Judgement, Problem> {
    Ok(judge(&read_objectives(objectives)?, as_it_is, proposal))
}

/// What a search is after.
pub fn read_objectives(given: &Value) -> Result<Objectives, Problem> {
    Objectives::read(given).map_err(|what| Problem {
        dimension: None,
        what: format!("objectives {what}"),
        hint: "Give weights, or the names for a Pareto front: objectives => '{\"accuracy\": 1, \"cost\": 0.1}', objectives => '{\"pareto\": [\"accuracy\", \"cost\"]}'".to_owned(),
    })
}
