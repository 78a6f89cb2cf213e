//! Wilcoxon's signed-rank test (Wilcoxon 1945) for paired values: differences of 0 are left out, equal ones share
//! the mean of their ranks. Up to [`MAX_EXACT`] differences the p value is exact, also with equal ones: all
//! assignments of signs to these very ranks are counted. Above, the normal distribution is used, with the correction
//! for equal differences and without one for continuity.

/// The largest number of differences for which all assignments of signs are counted: 20,000 sums.
const MAX_EXACT: usize = 200;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRanks {
    /// Number of differences that are not 0.
    pub differences: usize,
    /// The sum of the ranks of positive differences.
    pub positive: f64,
    /// The two-sided p.
    pub p: f64,
}

/// Tests whether differences lie symmetrically around 0. Without any difference p is 1.
pub fn wilcoxon(differences: &[f64]) -> SignedRanks {
    let mut sizes: Vec<(f64, bool)> = differences
        .iter()
        .filter(|difference| difference.is_finite() && **difference != 0.0)
        .map(|difference| (difference.abs(), *difference > 0.0))
        .collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Twice the rank: a mean of ranks is then a whole number.
    let mut ranks: Vec<(usize, bool)> = Vec::with_capacity(sizes.len());
    let mut ties = 0.0;
    for group in sizes.chunk_by(|one, other| is_equal(one.0, other.0)) {
        let first = ranks.len() + 1;
        let doubled = 2 * first + group.len() - 1;
        ranks.extend(group.iter().map(|(_, is_positive)| (doubled, *is_positive)));
        let size = group.len() as f64;
        ties += size * (size * size - 1.0);
    }
    let positive: usize = ranks.iter().filter(|rank| rank.1).map(|rank| rank.0).sum();
    let p = match ranks.len() {
        0 => 1.0,
        1..=MAX_EXACT => exact(&ranks, positive),
        count => approximate(count as f64, positive as f64 / 2.0, ties),
    };
    SignedRanks {
        differences: ranks.len(),
        positive: positive as f64 / 2.0,
        p,
    }
}

/// Whether two sizes are one: shares such as 1/3 − 1/6 and 1/6 differ by rounding.
fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.abs().max(other.abs())
}

/// Twice the smaller tail of the distribution of the sum of positive ranks, each of which is there or not with equal
/// probability.
fn exact(ranks: &[(usize, bool)], positive: usize) -> f64 {
    let total: usize = ranks.iter().map(|rank| rank.0).sum();
    let mut weights = vec![0.0; total + 1];
    if let Some(first) = weights.first_mut() {
        *first = 1.0;
    }
    let mut reached = 0;
    for (rank, _) in ranks {
        for sum in (0..=reached + rank).rev() {
            let without = weights.get(sum).copied().unwrap_or(0.0);
            let with = sum
                .checked_sub(*rank)
                .and_then(|rest| weights.get(rest).copied())
                .unwrap_or(0.0);
            if let Some(weight) = weights.get_mut(sum) {
                *weight = 0.5 * (without + with);
            }
        }
        reached += rank;
    }
    let below: f64 = weights.iter().take(positive + 1).sum();
    let above: f64 = weights.iter().skip(positive).sum();
    (2.0 * below.min(above)).min(1.0)
}

fn approximate(count: f64, positive: f64, ties: f64) -> f64 {
    let mean = count * (count + 1.0) / 4.0;
    let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
    let z = (positive - mean).abs() / variance.sqrt();
    two_sided(z)
}

/// The probability that a standard normal variable is further than `z` from 0.
pub(crate) fn two_sided(z: f64) -> f64 {
    erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

/// The complementary error function for arguments from 0: a series near 0, a continued fraction beyond (Abramowitz
/// and Stegun 7.1.6 and 7.1.14).
fn erfc(x: f64) -> f64 {
    let root_pi = std::f64::consts::PI.sqrt();
    if x < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200_u32 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - 2.0 / root_pi * (-x * x).exp() * sum;
    }
    let mut fraction = 0.0;
    for n in (1..=80_u32).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / root_pi / (x + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(1e-6),
            "{found} is not {expected}"
        );
    }

    /// The depression scale of Hollander and Wolfe 1973, as in R's help of `wilcox.test`: V = 40 for one side,
    /// p of two sides 0.03906.
    #[test]
    fn as_published_without_equal_differences() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        #[expect(clippy::approx_constant, reason = "3.14 was measured")]
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = before.iter().zip(after).map(|(x, y)| x - y).collect();
        let found = wilcoxon(&differences);
        assert_eq!((found.differences, found.positive), (9, 40.0));
        near(found.p, 0.0390625);
    }

    /// Counted by hand: of 2^3 assignments of signs to the ranks 1.5, 1.5 and 3 only one has the sum 6.
    #[test]
    fn equal_differences_are_counted_exactly() {
        near(wilcoxon(&[0.5, 0.5, 1.0]).p, 0.25);
        near(wilcoxon(&[1.0; 6]).p, 2.0 / 64.0);
        // 2 of 6 are negative: sums up to 2 ranks of 3.5 have (1 + 6 + 15) of 64.
        near(wilcoxon(&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0]).p, 44.0 / 64.0);
        assert_eq!(wilcoxon(&[0.0, 0.0]).p, 1.0);
        assert_eq!(wilcoxon(&[]).differences, 0);
        // 1/3 − 1/6 and 1/6 are one size.
        near(
            wilcoxon(&[1.0 / 3.0 - 1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0]).p,
            1.0,
        );
    }

    /// As `scipy.stats.wilcoxon(d, zero_method='wilcox', correction=False, method='approx')`: W = 11935.5.
    #[test]
    fn many_differences_by_the_normal_distribution() {
        let differences: Vec<f64> = (0..300)
            .map(|place| f64::from((place * 37) % 11 - 4) / 10.0)
            .collect();
        let found = wilcoxon(&differences);
        let all = 272.0 * 273.0 / 2.0;
        assert_eq!((found.differences, all - found.positive), (272, 11_935.5));
        near(found.p, 2.954_157_897_846_426e-7);
    }

    #[test]
    fn tails_of_the_normal_distribution() {
        near(two_sided(1.959_963_984_540_054), 0.05);
        near(two_sided(0.0), 1.0);
        near(two_sided(1.0), 0.317_310_507_862_914_1);
        near(two_sided(3.3), 9.668_482_845_880_3e-4);
        near(two_sided(6.0), 1.973_175_290_075_396e-9);
    }
}
