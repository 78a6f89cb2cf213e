//! Percentile intervals by resampling (Efron 1979): of cases, so that what belongs to a case stays together. The
//! numbers come from a fixed seed: the same data give the same interval.

use text2sql_domain::interrupts;

use crate::random::Random;

/// How many samples are drawn.
const SAMPLES: usize = 2_000;

/// The largest number of values that are resampled; of more, the normal distribution gives the same interval.
const MAX_RESAMPLED: usize = 5_000;

const Z95: f64 = 1.959_963_984_540_054;

/// The 95 % interval of the mean of values; `None` for fewer than two.
pub fn mean_interval(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len();
    let first = *values.first()?;
    if count < 2 {
        return None;
    }
    if values.iter().all(|value| *value == first) {
        return Some((first, first));
    }
    if count > MAX_RESAMPLED {
        return Some(normal(values));
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut means: Vec<f64> = (0..SAMPLES)
        .take_while(|_| !interrupts::is_pending())
        .map(|_| {
            let drawn = (0..count).filter_map(|_| values.get(random.below(count)));
            drawn.sum::<f64>() / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * (means.len().saturating_sub(1)) as f64).round();
        means.get(place as usize).copied()
    };
    Some((at(0.025)?, at(0.975)?))
}

fn normal(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    (mean - Z95 * error, mean + Z95 * error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the values are 0 and half are 1: the mean of 400 is binomial, whose 2.5 % and 97.5 % quantiles are
    /// 180 and 220 of 400.
    #[test]
    fn interval_of_a_mean_whose_distribution_is_known() {
        let values: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let (low, high) = mean_interval(&values).unwrap();
        assert!((low - 0.45).abs() <= 0.006, "{low}");
        assert!((high - 0.55).abs() <= 0.006, "{high}");
        assert_eq!(mean_interval(&values), Some((low, high)), "repeatable");
        let many: Vec<f64> = (0..6_000).map(|n| f64::from(n % 2)).collect();
        let (low, high) = mean_interval(&many).unwrap();
        assert!((high - low - 2.0 * Z95 * 0.5 / 6_000_f64.sqrt()).abs() < 1e-5);
    }

    #[test]
    fn without_variation_there_is_no_width() {
        assert_eq!(mean_interval(&[0.3, 0.3, 0.3]), Some((0.3, 0.3)));
        assert_eq!(mean_interval(&[0.3]), None);
        assert_eq!(mean_interval(&[]), None);
    }
}
