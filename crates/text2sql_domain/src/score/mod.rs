//! The score of a query for a question, from 0 to 1: seven weighted dimensions, faults that fail it alone, and
//! a model's opinion.

mod config;
mod dimension;
mod fault;
mod shown;
mod weights;

use serde_json::{Value, json};

pub use self::config::ScoreConfig;
pub use self::dimension::Dimension;
pub use self::fault::Fault;
pub use self::weights::Weights;

/// What a fault leaves of the total, which keeps the order among failing queries. Fitted on right queries and mutants of
/// half of the practice databases, checked on the other half: `builtin_practice … --judge`.
const SHARE_WITH_FAULT: f64 = 0.2;

/// The score of one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The dimension.
    pub dimension: Dimension,
    /// From 0 to 1; `None` if nothing is known, and then it costs nothing.
    pub score: Option<f64>,
    /// The reason, in one sentence without row values.
    pub reason: String,
}

/// A model's opinion of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// From 0 to 1.
    pub score: f64,
    /// The reason.
    pub reason: String,
    /// Whether the judge saw rows that the model that writes the SQL may not see: the reason may repeat them.
    pub is_for_asker_only: bool,
}

/// The score of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The dimensions, in order.
    pub parts: Vec<Part>,
    /// The model's opinion, if the model was asked.
    pub relevance: Option<Relevance>,
    /// Number of candidates with the same rows, and number of candidates that ran.
    pub agreement: Option<(usize, usize)>,
    /// 0 if the query has nothing in common with what the question names; `None` if it has, or the question is a
    /// follow-up.
    topic: Option<f64>,
    /// Whether the question names all that it asks for, as a follow-up does not.
    is_whole: bool,
    /// Whether it ran.
    has_run: bool,
    /// Checks that are certain of a fault, by name.
    certain: Vec<&'static str>,
    config: ScoreConfig,
}

/// What is known about a query besides its dimensions.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    /// Whether it ran.
    pub has_run: bool,
    /// Checks that are certain of a fault, by name.
    pub certain: Vec<&'static str>,
    /// 0 if the query has nothing in common with what the question names; `None` if it has, or the question is a
    /// follow-up.
    pub topic: Option<f64>,
    /// Whether the question names all that it asks for, as a follow-up does not.
    pub is_whole: bool,
}

impl Score {
    /// A score of these parts, without a model's opinion and agreement.
    pub fn new(parts: Vec<Part>, proof: Proof, config: ScoreConfig) -> Self {
        Self {
            parts,
            relevance: None,
            agreement: None,
            topic: proof.topic,
            is_whole: proof.is_whole,
            has_run: proof.has_run,
            certain: proof.certain,
            config,
        }
    }

    /// 1 without what each dimension costs, its weight times what it lacks. What is not known costs nothing, so that no
    /// check can raise the total by failing.
    pub fn mean(&self) -> f64 {
        let lost: f64 = self
            .parts
            .iter()
            .filter_map(|part| self.cost_of(part))
            .sum();
        (1.0 - lost).max(0.0)
    }

    /// What a dimension costs.
    fn cost_of(&self, part: &Part) -> Option<f64> {
        Some(self.weight_of(part.dimension) * (1.0 - part.score?))
    }

    /// The mean, combined with the model's opinion if there is one; lowered if there is a fault.
    pub fn total(&self) -> f64 {
        let mean = self.mean();
        let share = self.config.relevance_share;
        let total = match &self.relevance {
            Some(relevance) => (1.0 - share) * mean + share * relevance.score,
            None => mean,
        };
        match self.faults().is_empty() {
            false => total * SHARE_WITH_FAULT,
            true => total,
        }
    }

    /// The faults that fail the query whatever the total, worst first.
    pub fn faults(&self) -> Vec<Fault> {
        let config = &self.config;
        let is_below = |share: Option<f64>, least: f64| share.is_some_and(|share| share < least);
        let opinion = self.relevance.as_ref().map(|relevance| relevance.score);
        let mut faults = Vec::new();
        if !self.has_run {
            faults.push(Fault::NotRun);
        }
        faults.extend(self.certain.iter().copied().map(Fault::Certain));
        if is_below(self.topic, config.topic_threshold) {
            faults.push(Fault::OffTopic);
        } else if self.certain.is_empty()
            && is_below(self.complete(), config.completeness_threshold)
        {
            faults.push(Fault::Incomplete);
        }
        if is_below(opinion, config.relevance_threshold) {
            faults.push(Fault::Irrelevant);
        }
        faults
    }

    /// Everything that fails the query: its faults, or else a total below the threshold.
    pub fn failures(&self) -> Vec<Fault> {
        let mut failures = self.faults();
        if failures.is_empty() && self.total() < self.config.threshold {
            failures.push(Fault::LowTotal);
        }
        failures
    }

    /// The threshold of the gate.
    pub fn threshold(&self) -> f64 {
        self.config.threshold
    }

    /// Whether the query passes the gate.
    pub fn passes(&self) -> bool {
        self.failures().is_empty()
    }

    /// 0 if the query has nothing in common with what the question names.
    pub fn topic(&self) -> Option<f64> {
        self.topic
    }

    /// The completeness, unless it is a follow-up.
    pub fn complete(&self) -> Option<f64> {
        let mut parts = self.parts.iter().filter(|_| self.is_whole);
        parts
            .find(|part| part.dimension == Dimension::Completeness)?
            .score
    }

    /// The sentence about a dimension.
    pub fn reason_of(&self, dimension: Dimension) -> Option<&str> {
        let part = self.parts.iter().find(|part| part.dimension == dimension)?;
        Some(part.reason.as_str())
    }

    /// The share of candidates with the same rows; 1 for a single candidate.
    pub fn agreement_share(&self) -> f64 {
        match self.agreement {
            Some((agreeing, ran)) if ran > 0 => agreeing as f64 / ran as f64,
            _ => 1.0,
        }
    }

    /// The weight of a dimension.
    pub fn weight_of(&self, dimension: Dimension) -> f64 {
        self.config.weights.of(dimension)
    }

    /// Records how many of `ran` candidates returned the same rows: a result that other candidates do not
    /// share is less likely to be right.
    pub fn agree(&mut self, agreeing: usize, ran: usize) {
        self.agreement = Some((agreeing, ran));
        let share = self.agreement_share();
        let meant = Dimension::SemanticAccuracy;
        if let Some(part) = self.parts.iter_mut().find(|part| part.dimension == meant) {
            part.score = Some(part.score.unwrap_or(1.0) * share);
            part.reason
                .push_str(&format!(" {agreeing} of {ran} candidates give these rows."));
        }
    }

    /// Reasons for the loss of score: the sentences of the dimensions that cost most, worst first,
    /// without row values.
    pub fn complaints(&self) -> Vec<&str> {
        let mut lost: Vec<(f64, &str)> = self
            .parts
            .iter()
            .filter_map(|part| Some((self.cost_of(part)?, part.reason.as_str())))
            .filter(|(lost, _)| *lost > 0.01)
            .collect();
        lost.sort_by(|a, b| b.0.total_cmp(&a.0));
        let parts = lost.into_iter().map(|(_, reason)| reason);
        let least = self.config.relevance_threshold;
        let opinion = self.relevance.as_ref();
        let opinion = opinion.filter(|one| one.score < least && !one.is_for_asker_only);
        opinion
            .map(|one| one.reason.as_str())
            .into_iter()
            .chain(parts)
            .collect()
    }

    /// The score of each dimension.
    fn shown_parts(&self) -> Vec<Value> {
        let part = |part: &Part| {
            json!({
                "dimension": part.dimension.as_str(),
                "weight": self.weight_of(part.dimension),
                "score": part.score.map(rounded),
                "reason": part.reason,
            })
        };
        self.parts.iter().map(part).collect()
    }

    /// The summary for the trace.
    pub fn summary(&self) -> Value {
        json!({
            "total": rounded(self.total()),
            "threshold": self.config.threshold,
            "dimensions": self.shown_parts(),
            "fails_by": self.failures().iter().map(|fault| fault.reason()).collect::<Vec<_>>(),
            "topic": self.topic.map(rounded),
            // The model's text is omitted, because it may repeat row values.
            "relevance": self.relevance.as_ref().map(|relevance| rounded(relevance.score)),
            "agreement": self.agreement.map(|(agreeing, ran)| json!({"agreeing": agreeing, "ran": ran})),
        })
    }
}

/// Rounded to the meaningful digits.
fn rounded(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The total of a query whose dimensions are all known to be `score`, but for one.
    fn total(score: f64, other: Dimension, its: Option<f64>, certain: &[&'static str]) -> f64 {
        let parts = Dimension::ALL.into_iter().map(|dimension| Part {
            dimension,
            score: match dimension == other {
                true => its,
                false => Some(score),
            },
            reason: String::new(),
        });
        let proof = Proof {
            has_run: true,
            certain: certain.to_vec(),
            topic: None,
            is_whole: true,
        };
        Score::new(parts.collect(), proof, ScoreConfig::default()).total()
    }

    #[test]
    fn nothing_that_fails_raises_the_total() {
        for others in [0.0, 0.2, 0.6, 1.0] {
            for dimension in Dimension::ALL {
                let mut before = total(others, dimension, None, &[]);
                for its in [1.0, 0.8, 0.5, 0.2, 0.0] {
                    let one = total(others, dimension, Some(its), &[]);
                    let failed = total(others, dimension, Some(its), &["period"]);
                    let twice = total(others, dimension, Some(its), &["period", "value"]);
                    assert!(one <= before + 1e-9, "{dimension:?} {others} {its}");
                    assert!(failed <= one && twice <= failed);
                    before = one;
                }
            }
        }
    }
}
