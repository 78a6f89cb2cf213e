//! How good a query is for a question, from 0 to 1: seven weighted dimensions, what alone fails it, and
//! what a model thinks of it.

mod dimension;
mod weights;

use serde_json::{Value, json};

pub use self::dimension::Dimension;
pub use self::weights::Weights;

/// What a fault leaves of the total: less than the usual threshold, and an order among queries that fail.
const SHARE_WITH_FAULT: f64 = 0.65;

/// Below half, a share fails the query alone.
const HALF: f64 = 0.5;

/// How scores are made and what they decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreConfig {
    /// What each dimension weighs.
    pub weights: Weights,
    /// Below this, `text2sql.repair_on = 'gate'` sends a query back.
    pub threshold: f64,
    /// The share of the model's opinion in the total, where it is asked.
    pub relevance_share: f64,
    /// Whether the model is asked how well the result answers the question: a call for each attempt.
    pub enable_relevance_check: bool,
}

impl Default for ScoreConfig {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            threshold: 0.70,
            relevance_share: 0.15,
            enable_relevance_check: false,
        }
    }
}

/// One dimension's part in a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Which.
    pub dimension: Dimension,
    /// From 0 to 1; `None` where nothing is known about it, and nothing counts.
    pub score: Option<f64>,
    /// Why, in one sentence without a value of a row.
    pub reason: String,
}

/// A model's opinion of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// From 0 to 1.
    pub score: f64,
    /// Why.
    pub reason: String,
}

/// How good a query is.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The dimensions, in their order.
    pub parts: Vec<Part>,
    /// What the model thinks of it, where it was asked.
    pub relevance: Option<Relevance>,
    /// How many of how many candidates give the same rows.
    pub agreement: Option<(usize, usize)>,
    /// What alone fails the query, whatever the sum is.
    faults: Vec<Fault>,
    config: ScoreConfig,
}

/// What alone fails a query, whatever else is right about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It did not run.
    NotRun,
    /// A check is certain that it does not do what it seems to.
    Certain,
    /// Question and query have little in common.
    OffTopic,
    /// The model says that it hardly answers the question.
    Irrelevant,
}

impl Fault {
    /// Why it fails, in one sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotRun => "It did not run.",
            Self::Certain => "A check is certain that it does not do what it seems to.",
            Self::OffTopic => "Question and query have little in common.",
            Self::Irrelevant => "The model says that it hardly answers the question.",
        }
    }
}

impl Score {
    /// A score of these parts, which nobody else has judged yet.
    pub fn new(parts: Vec<Part>, faults: Vec<Fault>, config: ScoreConfig) -> Self {
        Self {
            parts,
            relevance: None,
            agreement: None,
            faults,
            config,
        }
    }

    /// The weighted mean of the dimensions that something is known about, with the model's opinion in it
    /// where there is one; lowered where a fault fails the query.
    pub fn total(&self) -> f64 {
        let weights = &self.config.weights;
        let (mut sum, mut weight) = (0.0, 0.0);
        for part in &self.parts {
            if let Some(score) = part.score {
                sum += weights.of(part.dimension) * score;
                weight += weights.of(part.dimension);
            }
        }
        // Weights may leave only dimensions of which nothing is known.
        let mean = if weight > 0.0 { sum / weight } else { 1.0 };
        let share = self.config.relevance_share;
        let total = match &self.relevance {
            Some(relevance) => (1.0 - share) * mean + share * relevance.score,
            None => mean,
        };
        match self.faults().next() {
            Some(_) => total * SHARE_WITH_FAULT,
            None => total,
        }
    }

    /// What alone fails the query.
    pub fn faults(&self) -> impl Iterator<Item = Fault> {
        let opinion = self.relevance.as_ref().map(|relevance| relevance.score);
        let irrelevant = opinion
            .filter(|score| *score < HALF)
            .map(|_| Fault::Irrelevant);
        self.faults.iter().copied().chain(irrelevant)
    }

    /// What the gate asks for.
    pub fn threshold(&self) -> f64 {
        self.config.threshold
    }

    /// Whether the gate lets it through.
    pub fn passes(&self) -> bool {
        self.faults().next().is_none() && self.total() >= self.config.threshold
    }

    /// The share of candidates that give the same rows; 1 where there is one only.
    pub fn agreement_share(&self) -> f64 {
        match self.agreement {
            Some((agreeing, ran)) if ran > 0 => agreeing as f64 / ran as f64,
            _ => 1.0,
        }
    }

    /// What a dimension weighs.
    pub fn weight_of(&self, dimension: Dimension) -> f64 {
        self.config.weights.of(dimension)
    }

    /// Takes in how many of `ran` candidates give the same rows: what others do not find is less
    /// likely what was asked.
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

    /// Why it is not better: the sentences of the dimensions that cost most, worst first, without
    /// any value of a row.
    pub fn complaints(&self) -> Vec<&str> {
        let mut lost: Vec<(f64, &str)> = self
            .parts
            .iter()
            .filter_map(|part| {
                let lost = self.config.weights.of(part.dimension) * (1.0 - part.score?);
                Some((lost, part.reason.as_str()))
            })
            .filter(|(lost, _)| *lost > 0.01)
            .collect();
        lost.sort_by(|a, b| b.0.total_cmp(&a.0));
        let parts = lost.into_iter().map(|(_, reason)| reason);
        let opinion = self.relevance.as_ref().filter(|one| one.score < 0.5);
        opinion
            .map(|one| one.reason.as_str())
            .into_iter()
            .chain(parts)
            .collect()
    }

    /// What the trace keeps of it.
    pub fn summary(&self) -> Value {
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(|part| {
                json!({
                    "dimension": part.dimension.as_str(),
                    "weight": self.config.weights.of(part.dimension),
                    "score": part.score.map(rounded),
                    "reason": part.reason,
                })
            })
            .collect();
        json!({
            "total": rounded(self.total()),
            "threshold": self.config.threshold,
            "dimensions": parts,
            "fails_by": self.faults().map(Fault::reason).collect::<Vec<_>>(),
            // The model's words may repeat a row.
            "relevance": self.relevance.as_ref().map(|relevance| rounded(relevance.score)),
            "agreement": self.agreement.map(|(agreeing, ran)| json!({"agreeing": agreeing, "ran": ran})),
        })
    }
}

/// As many digits as say something.
fn rounded(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}
