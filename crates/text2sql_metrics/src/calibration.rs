//! **Refusal precision and recall**, and **calibration** of the confidence.
//!
//! A refusal is any status except `ok`. Over all attempts: `precision = correct refusals / refusals`,
//! `recall = correct refusals / expected refusals`; `None` if the denominator is 0. Whether a refusal has the
//! expected status (`ambiguous`, not `unanswerable`) is counted separately.
//!
//! Calibration: attempts with a confidence are divided into ten equal bins. The expected calibration error
//! (Guo et al. 2017) is `Σ n_bin / n · |share right − mean confidence|`; the Brier score (Brier 1950) is
//! `mean (confidence − right)²`. 0 is best for both.

use serde::Serialize;

use super::reliability::mean;

const BINS: usize = 10;

/// How one attempt ended and how it should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending<'a> {
    /// The expected status.
    pub expected: &'a str,
    /// The actual status.
    pub found: &'a str,
}

/// Precision and recall of refusals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Refusals {
    /// Share of the refusals that were correct.
    pub precision: Option<f64>,
    /// Share of the expected refusals that were refused.
    pub recall: Option<f64>,
    /// Share of the expected refusals that were given with the expected status.
    pub right_status: Option<f64>,
}

/// Computes the figures of the refusals.
pub fn refusals(endings: &[Ending<'_>]) -> Refusals {
    let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
    let due: Vec<&Ending<'_>> = endings
        .iter()
        .filter(|ending| ending.expected != "ok")
        .collect();
    let refused = endings.iter().filter(|ending| ending.found != "ok").count();
    let rightly = due.iter().filter(|ending| ending.found != "ok").count();
    let exactly = due
        .iter()
        .filter(|ending| ending.found == ending.expected)
        .count();
    Refusals {
        precision: share(rightly, refused),
        recall: share(rightly, due.len()),
        right_status: share(exactly, due.len()),
    }
}

/// One bin of confidences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// Lower bound.
    pub from: f64,
    /// Number of attempts in it.
    pub count: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// The share of correct answers.
    pub right: f64,
}

/// How well the confidence predicts correct answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The non-empty bins.
    pub bins: Vec<Bin>,
    /// Expected calibration error.
    pub expected_error: f64,
    /// Brier score.
    pub brier: f64,
}

/// Computes the calibration from pairs of confidence (0 to 1) and correctness; `None` without pairs.
pub fn calibration(answers: &[(f64, bool)]) -> Option<Calibration> {
    let right = |answer: &(f64, bool)| f64::from(u8::from(answer.1));
    let squares: Vec<f64> = answers
        .iter()
        .map(|answer| (answer.0 - right(answer)).powi(2))
        .collect();
    let brier = mean(&squares)?;
    let mut bins = Vec::new();
    let mut expected_error = 0.0;
    for number in 0..BINS {
        let inside: Vec<&(f64, bool)> = answers
            .iter()
            .filter(|(confidence, _)| {
                let bin = (confidence.clamp(0.0, 1.0) * BINS as f64) as usize;
                bin.min(BINS - 1) == number
            })
            .collect();
        let confidences: Vec<f64> = inside.iter().map(|answer| answer.0).collect();
        let rights: Vec<f64> = inside.iter().map(|answer| right(answer)).collect();
        if let (Some(confidence), Some(right)) = (mean(&confidences), mean(&rights)) {
            expected_error +=
                inside.len() as f64 / answers.len() as f64 * (right - confidence).abs();
            bins.push(Bin {
                from: number as f64 / BINS as f64,
                count: inside.len(),
                confidence,
                right,
            });
        }
    }
    Some(Calibration {
        bins,
        expected_error,
        brier,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_by_hand() {
        let ending = |expected, found| Ending { expected, found };
        let found = refusals(&[
            ending("ok", "ok"),
            ending("ok", "unanswerable"),
            ending("unanswerable", "unanswerable"),
            ending("ambiguous", "unanswerable"),
            ending("not_permitted", "ok"),
        ]);
        assert_eq!(found.precision, Some(2.0 / 3.0));
        assert_eq!(found.recall, Some(2.0 / 3.0));
        assert_eq!(found.right_status, Some(1.0 / 3.0));
        let none = refusals(&[ending("ok", "ok")]);
        assert_eq!((none.precision, none.recall), (None, None));
    }

    #[test]
    fn calibration_by_hand() {
        // Bin 0.9: mean confidence 0.95, half right. Bin 0.2: mean 0.2, none right.
        let found = calibration(&[(0.9, true), (1.0, false), (0.2, false), (0.2, false)]).unwrap();
        assert_eq!(found.bins.len(), 2);
        assert!((found.expected_error - (0.5 * 0.2 + 0.5 * 0.45)).abs() < 1e-12);
        assert!((found.brier - (0.01 + 1.0 + 0.04 + 0.04) / 4.0).abs() < 1e-12);
        assert_eq!(calibration(&[]), None);
    }
}
