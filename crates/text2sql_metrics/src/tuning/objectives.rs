//! What a search is after: one sum of accuracy, cost and latency, or each of them for itself (Pareto).

use serde_json::Value;

use super::outcome::Outcome;

/// What the sum consists of, by name.
pub const NAMES: [&str; 3] = ["accuracy", "cost", "latency"];

/// The share by which costs and times must differ to count where each objective stands for itself.
const GRAIN: f64 = 0.05;

/// What a search is after.
#[derive(Debug, Clone, PartialEq)]
pub enum Objectives {
    /// The weights of accuracy, cost and latency in one sum. Costs and times are shares of those of the settings as
    /// they are.
    Sum([f64; 3]),
    /// Those for which nothing is better in all: places in [`NAMES`].
    Pareto(Vec<usize>),
}

impl Default for Objectives {
    fn default() -> Self {
        Self::Sum([1.0, 0.0, 0.0])
    }
}

impl Objectives {
    /// Reads `{"accuracy": 1, "cost": 0.2}` or `{"pareto": ["accuracy", "cost"]}`. The error follows the name of the
    /// parameter.
    pub fn read(given: &Value) -> Result<Self, String> {
        let Value::Object(given) = given else {
            return Err("must be a JSON object".to_owned());
        };
        let place = |name: &str| {
            NAMES
                .iter()
                .position(|known| *known == name)
                .ok_or_else(|| format!("has no \"{name}\": they are {}", NAMES.join(", ")))
        };
        if let Some(names) = given.get("pareto") {
            let names = names.as_array().filter(|_| given.len() == 1);
            let names = names.ok_or("must have \"pareto\" alone, with a list of names")?;
            let mut places = Vec::new();
            for name in names {
                let place = place(name.as_str().unwrap_or_default())?;
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            if places.len() < 2 {
                return Err("must name at least two objectives in \"pareto\"".to_owned());
            }
            places.sort_unstable();
            return Ok(Self::Pareto(places));
        }
        let mut weights = [0.0; 3];
        for (name, weight) in given {
            let place = place(name)?;
            let weight = weight
                .as_f64()
                .filter(|weight| (0.0..=1000.0).contains(weight));
            let weight =
                weight.ok_or_else(|| format!("must give \"{name}\" a number from 0 to 1000"))?;
            if let Some(entry) = weights.get_mut(place) {
                *entry = weight;
            }
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            return Err("must have a weight above 0".to_owned());
        }
        Ok(Self::Sum(weights))
    }

    /// Whether accuracy alone counts.
    pub fn is_accuracy(&self) -> bool {
        matches!(self, Self::Sum([_, cost, latency]) if *cost == 0.0 && *latency == 0.0)
    }

    /// The largest value of a case, where one is known.
    pub(super) fn greatest(&self) -> Option<f64> {
        match self {
            Self::Sum([accuracy, ..]) => Some(*accuracy),
            Self::Pareto(_) => None,
        }
    }
}

/// Gives the outcome of a case its values: the larger, the better.
#[derive(Debug, Clone)]
pub struct Scale<'a> {
    objectives: &'a Objectives,
    cost: f64,
    milliseconds: f64,
}

impl<'a> Scale<'a> {
    /// With the costs and times of the settings as they are; where those are nothing, with the others.
    pub fn new(objectives: &'a Objectives, as_it_is: &[Outcome], others: &[Outcome]) -> Self {
        let usual = |value: fn(&Outcome) -> f64| match mean(as_it_is.iter().map(value)) {
            Some(usual) if usual > 0.0 => usual,
            _ => mean(others.iter().map(value)).unwrap_or_default(),
        };
        Self {
            objectives,
            cost: usual(|outcome| outcome.cost),
            milliseconds: usual(|outcome| outcome.milliseconds),
        }
    }

    /// One value for a sum, else one for each objective.
    pub fn values(&self, outcome: &Outcome) -> Vec<f64> {
        let share = |value: f64, usual: f64| if usual > 0.0 { value / usual } else { 0.0 };
        let all = [
            outcome.right,
            -share(outcome.cost, self.cost),
            -share(outcome.milliseconds, self.milliseconds),
        ];
        match self.objectives {
            Objectives::Sum(weights) => {
                vec![
                    all.iter()
                        .zip(weights)
                        .map(|(value, weight)| value * weight)
                        .sum(),
                ]
            }
            Objectives::Pareto(places) => places
                .iter()
                .filter_map(|place| all.get(*place).copied())
                .collect(),
        }
    }

    /// The means over outcomes.
    pub fn means(&self, outcomes: &[Outcome]) -> Vec<f64> {
        let values: Vec<Vec<f64>> = outcomes
            .iter()
            .map(|outcome| self.values(outcome))
            .collect();
        let count = values.first().map_or(0, Vec::len);
        let mean_of = |place: usize| {
            let column = values.iter().filter_map(|row| row.get(place).copied());
            mean(column).unwrap_or_default()
        };
        self.rounded((0..count).map(mean_of))
    }

    /// Means as trials are compared by. Where each objective stands for itself, costs and times are rounded, so that a
    /// millisecond is no reason to keep a trial.
    pub(super) fn rounded(&self, means: impl Iterator<Item = f64>) -> Vec<f64> {
        match self.objectives {
            Objectives::Sum(_) => means.collect(),
            Objectives::Pareto(places) => means
                .zip(places)
                .map(|(mean, place)| match place {
                    0 => mean,
                    _ => (mean / GRAIN).round() * GRAIN,
                })
                .collect(),
        }
    }
}

/// The mean; `None` of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    (count > 0).then(|| sum / count as f64)
}
