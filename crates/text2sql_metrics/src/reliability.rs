//! **Reliability**: whether the same question gets the same answer again.
//!
//! Over n attempts at one case: `agreement = pairs of equal attempts / all pairs`, once for the SQL
//! (normalised) and once for the results (by fingerprint; two attempts without a result are equal if their status
//! is); and `mean cosine = mean of cos(output i, output i + 1)` of the SQL of consecutive attempts.
//! For a single attempt all three are `None`.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

use super::similarity::{normal_sql, similarity};
use text2sql_domain::interrupts;

/// The output of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its SQL, if it has one.
    pub sql: Option<String>,
    /// Fingerprint of its rows, or its status if there are none.
    pub outcome: String,
}

/// Agreement of the attempts at one case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Reliability {
    /// Share of pairs with equal SQL.
    pub sql_agreement: Option<f64>,
    /// Share of pairs with equal results.
    pub result_agreement: Option<f64>,
    /// Mean cosine of consecutive outputs.
    pub mean_cosine: Option<f64>,
}

/// Computes the figures for attempts in chronological order.
pub fn reliability(attempts: &[Attempt]) -> Reliability {
    let spelled: Vec<Option<String>> = attempts
        .iter()
        .take_while(|_| !interrupts::is_pending())
        .map(|attempt| attempt.sql.as_deref().map(normal_sql))
        .collect();
    let cosines: Vec<f64> = attempts
        .windows(2)
        .take_while(|_| !interrupts::is_pending())
        .map(|pair| match pair {
            [Attempt { sql: Some(a), .. }, Attempt { sql: Some(b), .. }] => similarity(a, b),
            [Attempt { sql: None, .. }, Attempt { sql: None, .. }] => 1.0,
            _ => 0.0,
        })
        .collect();
    let outcomes: Vec<&String> = attempts.iter().map(|attempt| &attempt.outcome).collect();
    Reliability {
        sql_agreement: agreement(&spelled),
        result_agreement: agreement(&outcomes),
        mean_cosine: mean(&cosines),
    }
}

fn agreement<T: Eq + Hash>(values: &[T]) -> Option<f64> {
    let pairs_among = |count: usize| count * count.saturating_sub(1) / 2;
    let mut alike: HashMap<&T, usize> = HashMap::new();
    for value in values {
        *alike.entry(value).or_default() += 1;
    }
    let pairs = pairs_among(values.len());
    let equal: usize = alike.into_values().map(pairs_among).sum();
    (pairs > 0).then(|| equal as f64 / pairs as f64)
}

/// The mean; `None` if there are no values.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(sql: Option<&str>, outcome: &str) -> Attempt {
        Attempt {
            sql: sql.map(str::to_owned),
            outcome: outcome.to_owned(),
        }
    }

    #[test]
    fn four_of_five_equal_attempts_agree_in_six_of_ten_pairs() {
        let same = attempt(Some("SELECT 1"), "a");
        let other_words = attempt(Some("select  1;"), "a");
        let odd = attempt(Some("SELECT max(price) FROM products"), "b");
        let found = reliability(&[same.clone(), other_words, same.clone(), same, odd]);
        assert_eq!(found.sql_agreement, Some(0.6));
        assert_eq!(found.result_agreement, Some(0.6));
        // Three consecutive pairs are equal; the last has hardly a word in common.
        let cosine = found.mean_cosine.unwrap();
        assert!(cosine > 0.75 && cosine < 0.85, "{cosine}");
    }

    #[test]
    fn one_attempt_has_no_figures_and_declining_twice_agrees() {
        assert_eq!(
            reliability(&[attempt(Some("SELECT 1"), "a")]),
            Reliability::default()
        );
        let declined = attempt(None, "unanswerable");
        let found = reliability(&[declined.clone(), declined]);
        assert_eq!(
            (found.sql_agreement, found.mean_cosine),
            (Some(1.0), Some(1.0))
        );
    }
}
