//! Medians, percentiles and ratios of measured times.

use serde::Serialize;

/// The figures of a series: its median and its 95th percentile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    pub(crate) p95: f64,
    /// Number of values.
    pub(crate) count: usize,
}

/// Summarises a series; an empty one gives NaN, which the report prints as missing.
pub(crate) fn summarise(values: &[f64]) -> Summary {
    Summary {
        median: median(values),
        p95: percentile(values, 95.0),
        count: values.len(),
    }
}

/// The middle value, or the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    percentile(values, 50.0)
}

/// The value below which `percent` of the values lie, between two neighbours by proportion.
pub(crate) fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = percent.clamp(0.0, 100.0) / 100.0 * sorted.len().saturating_sub(1) as f64;
    let below = sorted.get(position.floor() as usize);
    let above = sorted.get(position.ceil() as usize);
    match (below, above) {
        (Some(below), Some(above)) => below + (above - below) * position.fract(),
        _ => f64::NAN,
    }
}

/// Each value over its partner. The partners ran next to each other, so that whatever slowed the
/// machine for a while slowed both.
pub(crate) fn ratios(values: &[f64], partners: &[f64]) -> Vec<f64> {
    pairwise(values, partners, |value, partner| value / partner)
}

/// Each value less its partner.
pub(crate) fn differences(values: &[f64], partners: &[f64]) -> Vec<f64> {
    pairwise(values, partners, |value, partner| value - partner)
}

fn pairwise(values: &[f64], partners: &[f64], compare: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    values
        .iter()
        .zip(partners)
        .map(|(value, partner)| compare(*value, *partner))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
    }

    #[test]
    fn nothing_measured_is_not_a_number() {
        assert!(median(&[]).is_nan());
        assert!(summarise(&[]).p95.is_nan());
    }

    #[test]
    fn a_percentile_lies_between_its_neighbours() {
        let hundred: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(percentile(&hundred, 95.0), 95.0);
        assert_eq!(percentile(&hundred, 0.0), 0.0);
        assert_eq!(percentile(&hundred, 100.0), 100.0);
        assert_eq!(percentile(&[10.0, 20.0], 95.0), 19.5);
    }

    #[test]
    fn one_outlier_moves_neither_median_nor_p95() {
        let mut values = vec![1.0; 99];
        values.push(1000.0);
        let summary = summarise(&values);
        assert_eq!((summary.median, summary.p95), (1.0, 1.0));
        assert_eq!(summary.count, 100);
    }

    #[test]
    fn ratios_are_taken_pair_by_pair() {
        // A slow moment hits both of the last pair: the median of ratios does not see it, the
        // ratio of medians would.
        let asks = [2.0, 2.0, 30.0];
        let baselines = [1.0, 1.0, 10.0];
        assert_eq!(ratios(&asks, &baselines), [2.0, 2.0, 3.0]);
        assert_eq!(median(&ratios(&asks, &baselines)), 2.0);
        assert_eq!(differences(&asks, &baselines), [1.0, 1.0, 20.0]);
    }
}
