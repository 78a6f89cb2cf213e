//! Whether a fitted confidence still fits answers that came after it: the number of right ones against the sum of their
//! confidences, which is what calibration means over all of them together. Each answer is right with the probability
//! of its confidence, so `z = Σ (right − confidence) / √Σ confidence (1 − confidence)` is standard normal (Cox 1958,
//! calibration in the large).

use serde::Serialize;

use crate::calibration::calibration;
use crate::significance::two_sided;

/// Fewer answers decide nothing.
pub const LEAST_ANSWERS: usize = 20;

/// A confidence whose p is below this no longer fits: so one of a hundred that fit is called so at each look.
const SIGNIFICANT: f64 = 0.01;

/// Later answers beside their confidences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// Number of answers.
    pub answers: usize,
    /// Number of right ones.
    pub right_answers: usize,
    /// The mean of their confidences.
    pub mean_confidence: f64,
    /// Expected calibration error over ten bins.
    pub expected_error: f64,
    /// The two-sided p of the difference of both.
    pub p: f64,
    /// Whether it still fits; `None` where there are too few answers to say so.
    pub fits: Option<bool>,
}

/// Compares answers, each with its confidence and whether it is right; `None` without any.
pub fn drift(answers: &[(f64, bool)]) -> Option<Drift> {
    let measured = calibration(answers)?;
    let sum: f64 = answers.iter().map(|answer| answer.0).sum();
    let right = answers.iter().filter(|answer| answer.1).count();
    let variance: f64 = answers.iter().map(|(p, _)| p * (1.0 - p)).sum();
    let distance = (right as f64 - sum).abs();
    let p = match (variance > 0.0, distance > 1e-9) {
        (true, _) => two_sided(distance / variance.sqrt()),
        (false, true) => 0.0,
        (false, false) => 1.0,
    };
    Some(Drift {
        answers: answers.len(),
        right_answers: right,
        mean_confidence: sum / answers.len() as f64,
        expected_error: measured.expected_error,
        p,
        fits: (answers.len() >= LEAST_ANSWERS).then_some(p >= SIGNIFICANT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(count: usize, right: usize, confidence: f64) -> Vec<(f64, bool)> {
        (0..count)
            .map(|place| (confidence, place < right))
            .collect()
    }

    /// 100 answers of 0.8: 80 are expected, with a standard deviation of 4.
    #[test]
    fn a_difference_of_two_standard_deviations() {
        let found = drift(&answers(100, 72, 0.8)).unwrap();
        assert!(
            (found.p - 0.045_500_263_896_358_4).abs() < 1e-9,
            "{}",
            found.p
        );
        assert_eq!((found.right_answers, found.fits), (72, Some(true)));
        assert!((found.expected_error - 0.08).abs() < 1e-9);
        let found = drift(&answers(100, 60, 0.8)).unwrap();
        assert_eq!(found.fits, Some(false));
        assert!(
            (found.p - 5.733_031_437_583_878e-7).abs() < 1e-12,
            "{}",
            found.p
        );
    }

    #[test]
    fn few_answers_decide_nothing() {
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&answers(10, 0, 0.9)).unwrap().fits, None);
        assert_eq!(drift(&answers(30, 30, 1.0)).unwrap().fits, Some(true));
        assert_eq!(drift(&answers(30, 29, 1.0)).unwrap().fits, Some(false));
    }
}
