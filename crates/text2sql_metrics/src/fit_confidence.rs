//! The probability that an answer is correct, fitted on an evaluation of the user's own database.
//!
//! Logistic regression on two features of an answer: its score and the share of candidates that agree
//! (for one feature: Platt 1999, "Probabilistic Outputs for Support Vector Machines"), by Newton's method
//! with the smoothed targets of the same paper (computed as in Lin, Lin and Weng 2007). A ridge penalty
//! keeps the coefficient of a constant feature at 0, and a feature with a negative coefficient is omitted: a
//! higher score never makes an answer less likely to be correct.
//!
//! The quality is measured by five-fold cross-validation.

use serde::Serialize;

use crate::calibration::calibration;
use text2sql_domain::confidence::{Fit, Signal, sigmoid};

/// Minimum number of graded answers for a fit: with fewer, the Wilson interval of a share is wider than
/// a quarter.
pub const MIN_ANSWERS: usize = 50;

/// Number of folds of the cross-validation.
const FOLDS: usize = 5;

/// Ridge penalty: keeps the coefficient of a constant feature at 0 and hardly affects others.
const RIDGE: f64 = 1.0e-3;

const MAX_STEPS: usize = 100;

/// A fit and its quality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fitted {
    /// Number of answers used for the fit.
    pub answers: usize,
    /// Number of correct ones.
    pub right_answers: usize,
    /// Expected calibration error on held-out answers.
    pub expected_error: f64,
    /// Brier score on held-out answers.
    pub brier: f64,
    /// Brier score of predicting the overall share for every answer, for comparison.
    pub baseline_brier: f64,
}

/// Fits answers, each with its correctness; `None` for fewer than [`MIN_ANSWERS`].
pub fn fit(answers: &[(Signal, bool)]) -> Option<(Fit, Fitted)> {
    if answers.len() < MIN_ANSWERS {
        return None;
    }
    let right = answers.iter().filter(|(_, right)| *right).count();
    let mut unseen = Vec::new();
    for fold in 0..FOLDS {
        let part = |inside: bool| {
            let chosen = answers.iter().enumerate();
            chosen
                .filter(move |(place, _)| (place % FOLDS == fold) == inside)
                .map(|(_, answer)| *answer)
        };
        let fitted = regress(&part(false).collect::<Vec<_>>());
        unseen.extend(part(true).map(|(signal, right)| (fitted.probability(signal), right)));
    }
    let measured = calibration(&unseen)?;
    let share = right as f64 / answers.len() as f64;
    Some((
        regress(answers),
        Fitted {
            answers: answers.len(),
            right_answers: right,
            expected_error: measured.expected_error,
            brier: measured.brier,
            baseline_brier: share * (1.0 - share),
        },
    ))
}

/// The best fit, without features that have a negative coefficient.
fn regress(answers: &[(Signal, bool)]) -> Fit {
    let mut used = [true, true];
    loop {
        let fit = newton(answers, used);
        let weights = [fit.by_score, fit.by_agreement];
        let worst = weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight < 0.0)
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map(|(place, _)| place);
        match worst.and_then(|place| used.get_mut(place)) {
            Some(flag) => *flag = false,
            None => return fit,
        }
    }
}

fn newton(answers: &[(Signal, bool)], used: [bool; 2]) -> Fit {
    let right = answers.iter().filter(|(_, right)| *right).count() as f64;
    let wrong = answers.len() as f64 - right;
    // Platt's targets: never exactly 1 or 0, so that the fit converges on perfectly separated data.
    let (high, low) = ((right + 1.0) / (right + 2.0), 1.0 / (wrong + 2.0));
    let facts = |signal: &Signal| {
        let [score, agreement] = used;
        [
            1.0,
            if score { signal.score } else { 0.0 },
            if agreement { signal.agreement } else { 0.0 },
        ]
    };
    let mut weights = [((right + 1.0) / (wrong + 1.0)).ln(), 0.0, 0.0];
    for _ in 0..MAX_STEPS {
        let mut gradient = [0.0; 3];
        let mut curvature = [[0.0; 3]; 3];
        for (signal, is_right) in answers {
            let facts = facts(signal);
            let given = sigmoid(dot(&weights, &facts));
            let target = if *is_right { high } else { low };
            for (row, fact) in facts.iter().enumerate() {
                if let Some(slot) = gradient.get_mut(row) {
                    *slot += (target - given) * fact;
                }
                for (column, other) in facts.iter().enumerate() {
                    if let Some(slot) = curvature.get_mut(row).and_then(|r| r.get_mut(column)) {
                        *slot += given * (1.0 - given) * fact * other;
                    }
                }
            }
        }
        for (place, weight) in weights.iter().enumerate() {
            // The intercept is not penalised.
            let ridge = if place == 0 { 1.0e-9 } else { RIDGE };
            if let Some(slot) = gradient.get_mut(place) {
                *slot -= ridge * weight;
            }
            if let Some(slot) = curvature.get_mut(place).and_then(|row| row.get_mut(place)) {
                *slot += ridge;
            }
        }
        let step = solve(curvature, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            // A step far from the optimum may overshoot.
            *weight += step.clamp(-5.0, 5.0);
        }
        if step.iter().all(|step| step.abs() < 1.0e-9) {
            break;
        }
    }
    let [intercept, by_score, by_agreement] = weights;
    Fit {
        intercept,
        by_score,
        by_agreement,
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves three linear equations by Cramer's rule; zero if they have no unique solution.
fn solve(m: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    let determinant = |m: &[[f64; 3]; 3]| {
        let [[a, b, c], [d, e, f], [g, h, i]] = *m;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    };
    let whole = determinant(&m);
    if whole.abs() < f64::MIN_POSITIVE {
        return [0.0; 3];
    }
    let with_column = |column: usize| {
        let mut replaced = m;
        for (row, value) in replaced.iter_mut().zip(v) {
            if let Some(slot) = row.get_mut(column) {
                *slot = value;
            }
        }
        determinant(&replaced) / whole
    };
    [with_column(0), with_column(1), with_column(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(groups: &[(f64, f64, usize, usize)]) -> Vec<(Signal, bool)> {
        let mut answers = Vec::new();
        for &(score, agreement, right, wrong) in groups {
            let signal = Signal { score, agreement };
            answers.extend(std::iter::repeat_n((signal, true), right));
            answers.extend(std::iter::repeat_n((signal, false), wrong));
        }
        answers
    }

    #[test]
    fn fits_the_shares_of_two_groups() {
        // Two levels and a line through both: the fit reproduces the shares, except for the smoothing.
        let (fit, fitted) =
            fit(&answers(&[(0.9, 1.0, 180, 20), (0.5, 1.0, 60, 40)])).expect("enough");
        let at = |score| {
            fit.probability(Signal {
                score,
                agreement: 1.0,
            })
        };
        assert!((at(0.9) - 0.9).abs() < 0.01, "{}", at(0.9));
        assert!((at(0.5) - 0.6).abs() < 0.01, "{}", at(0.5));
        assert_eq!((fitted.answers, fitted.right_answers), (300, 240));
        assert!(fitted.brier < fitted.baseline_brier);
        assert!(fitted.expected_error < 0.12, "{fitted:?}");
    }

    #[test]
    fn a_constant_score_yields_the_share() {
        let (fit, _) = fit(&answers(&[(1.0, 1.0, 75, 25)])).expect("enough");
        let signal = Signal {
            score: 1.0,
            agreement: 1.0,
        };
        assert!((fit.probability(signal) - 0.75).abs() < 0.01);
    }

    #[test]
    fn agreement_counts_if_it_is_informative() {
        let groups = [(0.8, 1.0, 90, 10), (0.8, 0.34, 30, 70)];
        let (fit, _) = fit(&answers(&groups)).expect("enough");
        let at = |agreement| {
            fit.probability(Signal {
                score: 0.8,
                agreement,
            })
        };
        assert!((at(1.0) - 0.9).abs() < 0.02 && (at(0.34) - 0.3).abs() < 0.02);
    }

    #[test]
    fn a_higher_score_never_makes_an_answer_less_likely() {
        let (fit, _) = fit(&answers(&[(0.9, 1.0, 20, 30), (0.5, 1.0, 40, 10)])).expect("enough");
        assert_eq!(fit.by_score, 0.0);
        let signal = Signal {
            score: 0.9,
            agreement: 1.0,
        };
        assert!((fit.probability(signal) - 0.6).abs() < 0.01);
    }

    #[test]
    fn a_clean_separation_and_too_few_answers() {
        let (fit, _) = fit(&answers(&[(0.95, 1.0, 60, 0), (0.3, 1.0, 0, 60)])).expect("enough");
        let at = |score| {
            fit.probability(Signal {
                score,
                agreement: 1.0,
            })
        };
        assert!(at(0.95) > 0.95 && at(0.95) < 1.0 && at(0.3) < 0.05);
        assert!(super::fit(&answers(&[(0.9, 1.0, 40, 9)])).is_none());
    }
}
