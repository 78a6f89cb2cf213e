//! The score of a query for a question, from 0 to 1: seven weighted dimensions, faults that fail it alone, and
//! a model's opinion.

mod dimension;
mod shown;
mod weights;

use serde_json::{Value, json};

pub use self::dimension::Dimension;
pub use self::weights::Weights;

/// Factor applied to the total if there is a fault: it brings the total below the usual threshold and keeps the order
/// among failing queries.
const SHARE_WITH_FAULT: f64 = 0.65;

/// A share below this is a fault by itself.
const HALF: f64 = 0.5;

/// How scores are computed and used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreConfig {
    /// The weight of each dimension.
    pub weights: Weights,
    /// Below this, `text2sql.repair_on = 'gate'` sends a query back.
    pub threshold: f64,
    /// The weight of the model's opinion in the total, if the model is asked.
    pub relevance_share: f64,
    /// Whether the model is asked how well the result answers the question: one call per attempt.
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

/// The score of one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The dimension.
    pub dimension: Dimension,
    /// From 0 to 1; `None` if nothing is known, and then it does not count.
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
    /// Faults that fail the query, whatever the total.
    faults: Vec<Fault>,
    config: ScoreConfig,
}

/// A fault that fails a query by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It did not run.
    NotRun,
    /// A check proves that it does not do what it appears to do.
    Certain,
    /// Question and query have little in common.
    OffTopic,
    /// The model finds that it hardly answers the question.
    Irrelevant,
}

impl Fault {
    /// The reason, in one sentence.
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
    /// A score of these parts, without a model's opinion and agreement.
    pub fn new(parts: Vec<Part>, faults: Vec<Fault>, config: ScoreConfig) -> Self {
        Self {
            parts,
            relevance: None,
            agreement: None,
            faults,
            config,
        }
    }

    /// The weighted mean of the known dimensions, combined with the model's opinion if there is one;
    /// lowered if there is a fault.
    pub fn total(&self) -> f64 {
        let weights = &self.config.weights;
        let (mut sum, mut weight) = (0.0, 0.0);
        for part in &self.parts {
            if let Some(score) = part.score {
                sum += weights.of(part.dimension) * score;
                weight += weights.of(part.dimension);
            }
        }
        // The weights may leave only dimensions that are not known.
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

    /// The faults that fail the query.
    pub fn faults(&self) -> impl Iterator<Item = Fault> {
        let opinion = self.relevance.as_ref().map(|relevance| relevance.score);
        let irrelevant = opinion
            .filter(|score| *score < HALF)
            .map(|_| Fault::Irrelevant);
        self.faults.iter().copied().chain(irrelevant)
    }

    /// The threshold of the gate.
    pub fn threshold(&self) -> f64 {
        self.config.threshold
    }

    /// Whether the query passes the gate.
    pub fn passes(&self) -> bool {
        self.faults().next().is_none() && self.total() >= self.config.threshold
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
            .filter_map(|part| {
                let lost = self.config.weights.of(part.dimension) * (1.0 - part.score?);
                Some((lost, part.reason.as_str()))
            })
            .filter(|(lost, _)| *lost > 0.01)
            .collect();
        lost.sort_by(|a, b| b.0.total_cmp(&a.0));
        let parts = lost.into_iter().map(|(_, reason)| reason);
        let opinion = self.relevance.as_ref();
        let opinion = opinion.filter(|one| one.score < 0.5 && !one.is_for_asker_only);
        opinion
            .map(|one| one.reason.as_str())
            .into_iter()
            .chain(parts)
            .collect()
    }

    /// The summary for the trace.
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
