//! A score as the asker sees it: a line to read, and a document for programs.

use serde_json::{Value, json};

use super::{Fault, Part, Score, rounded};

impl Score {
    /// The dimension with the lowest score, of equal ones the one with the highest weight; `None` if nothing is
    /// below 1.
    pub fn weakest(&self) -> Option<&Part> {
        let counts = |part: &&Part| {
            part.score.is_some_and(|s| s < 1.0) && self.weight_of(part.dimension) > 0.0
        };
        self.parts.iter().filter(counts).min_by(|a, b| {
            let (a_weight, b_weight) = (self.weight_of(a.dimension), self.weight_of(b.dimension));
            let scores = a.score.unwrap_or(1.0).total_cmp(&b.score.unwrap_or(1.0));
            scores.then(b_weight.total_cmp(&a_weight))
        })
    }

    /// The line that shows the total with what lowers it, such as
    /// `score: 0.82 (weakest: completeness 0.55: the question names what is not in it: "Germany")`.
    pub fn line(&self) -> String {
        let mut details = Vec::new();
        if let Some(fault) = self.faults().first() {
            details.push(format!("fails: {}", phrase(&fault.reason())));
        }
        if let Some(weakest) = self.weakest() {
            details.push(format!(
                "weakest: {} {}: {}",
                weakest.dimension.as_str(),
                two_digits(weakest.score.unwrap_or(1.0)),
                phrase(&weakest.reason)
            ));
        }
        let total = two_digits(self.total());
        match details.is_empty() {
            true => format!("score: {total}"),
            false => format!("score: {total} ({})", details.join("; ")),
        }
    }

    /// The line about the model's opinion, if the model was asked.
    pub fn relevance_line(&self) -> Option<String> {
        let relevance = self.relevance.as_ref()?;
        let score = two_digits(relevance.score);
        Some(match phrase(&relevance.reason) {
            reason if reason.is_empty() => format!("relevance: {score}"),
            reason => format!("relevance: {score} ({reason})"),
        })
    }

    /// The score for programs. Unlike [`summary`](Self::summary) it holds the model's reason, because it is shown
    /// to the asker alone.
    pub fn document(&self) -> Value {
        json!({
            "total": rounded(self.total()),
            "threshold": self.config.threshold,
            "passes": self.passes(),
            "weakest": self.weakest().map(|part| part.dimension.as_str()),
            "dimensions": self.shown_parts(),
            "fails_by": self.faults().into_iter().map(Fault::reason).collect::<Vec<_>>(),
            "relevance": self.relevance.as_ref().map(|relevance| {
                json!({"score": rounded(relevance.score), "reason": relevance.reason})
            }),
            "agreement": self.agreement.map(|(agreeing, ran)| json!({"agreeing": agreeing, "ran": ran})),
        })
    }
}

/// Truncated, not rounded, so that it never exceeds the value.
fn two_digits(share: f64) -> String {
    // Tenths and hundredths have no exact binary form: 0.29 is 28.999… hundredths.
    format!("{:.2}", (share * 100.0 + 1e-9).floor() / 100.0)
}

/// A sentence as part of another one: without its full stop, and with a small first letter.
fn phrase(sentence: &str) -> String {
    let text = sentence.trim().trim_end_matches('.');
    let mut letters = text.chars();
    match letters.next() {
        // "SQL is …" keeps its letters.
        Some(first) if !letters.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dimension, Proof, Relevance, ScoreConfig};
    use super::*;

    fn score(parts: &[(Dimension, Option<f64>, &str)], topic: Option<f64>) -> Score {
        let parts = parts.iter().map(|(dimension, score, reason)| Part {
            dimension: *dimension,
            score: *score,
            reason: (*reason).to_owned(),
        });
        let proof = Proof {
            has_run: true,
            topic,
            ..Proof::default()
        };
        Score::new(parts.collect(), proof, ScoreConfig::default())
    }

    #[test]
    fn the_line_says_what_lowers_the_score() {
        let lowered = score(
            &[
                (Dimension::Correctness, Some(1.0), "It ran."),
                (
                    Dimension::Completeness,
                    Some(0.5),
                    "The question names what is not in it: \"Germany\".",
                ),
                (Dimension::PlanQuality, Some(0.7), "Rows."),
                (Dimension::SemanticAccuracy, None, "Nothing compared."),
            ],
            None,
        );
        assert_eq!(
            lowered.line(),
            "score: 0.93 (weakest: completeness 0.50: the question names what is not in it: \"Germany\")"
        );
        assert_eq!(lowered.document()["weakest"], "completeness");
    }

    #[test]
    fn of_equal_dimensions_the_heavier_is_the_weakest() {
        let equal = score(
            &[
                (Dimension::PlanQuality, Some(0.4), "a"),
                (Dimension::Correctness, Some(0.4), "b"),
            ],
            None,
        );
        assert_eq!(
            equal.weakest().map(|part| part.dimension),
            Some(Dimension::Correctness)
        );
    }

    #[test]
    fn a_full_score_has_no_weakest_dimension() {
        let full = score(
            &[
                (Dimension::Correctness, Some(1.0), "It ran."),
                (Dimension::Efficiency, None, "Unknown."),
            ],
            None,
        );
        assert_eq!(full.line(), "score: 1.00");
        assert_eq!(full.relevance_line(), None);
        assert_eq!(full.document()["weakest"], Value::Null);
    }

    #[test]
    fn faults_and_the_models_opinion_are_said() {
        let mut failed = score(&[(Dimension::Correctness, Some(1.0), "It ran.")], Some(0.0));
        failed.relevance = Some(Relevance {
            score: 0.9,
            reason: "The rows answer it.".to_owned(),
            is_for_asker_only: false,
        });
        assert_eq!(
            failed.line(),
            "score: 0.19 (fails: question and query have little in common)"
        );
        assert_eq!(
            failed.relevance_line().as_deref(),
            Some("relevance: 0.90 (the rows answer it)")
        );
        assert_eq!(
            failed.document()["relevance"]["reason"],
            "The rows answer it."
        );
    }
}
