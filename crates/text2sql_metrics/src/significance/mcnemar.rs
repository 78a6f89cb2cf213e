//! McNemar's test (McNemar 1947) for the same cases under two configurations. Only the discordant cases count, `b` and
//! `c` of them: `exact` is twice the lower tail of the binomial(b + c, ½); `mid-p` subtracts half the weight of the
//! observed count, which Fagerland et al. 2013 recommend because the exact test is too conservative.

/// The result of McNemar's test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// Two-sided exact p.
    pub exact: f64,
    /// Two-sided mid-p.
    pub mid_p: f64,
}

/// Tests `only_baseline` against `only_candidate`: the numbers of cases that only one of two evaluations got right.
pub fn mcnemar(only_baseline: u32, only_candidate: u32) -> McNemar {
    let low = only_baseline.min(only_candidate);
    let total = u64::from(only_baseline) + u64::from(only_candidate);
    if total == 0 {
        return McNemar {
            exact: 1.0,
            mid_p: 1.0,
        };
    }
    let (tail, point) = match low {
        0..=SUMMED_FROM_BELOW => tail_from_below(low, total),
        _ => tail_from_above(low, total),
    };
    let exact = (2.0 * tail).min(1.0);
    // With b = c both tails include the observed count, so mid-p is 1 minus its weight, capped
    // at 1.
    let mid_p = if only_baseline == only_candidate {
        1.0 - 0.5 * point
    } else {
        2.0 * tail - point
    };
    McNemar {
        exact,
        mid_p: mid_p.clamp(0.0, 1.0),
    }
}

/// Up to this count every term of the tail is summed; above it only the terms that are not negligible, which span
/// about nine standard deviations: 300,000 terms for the largest counts.
const SUMMED_FROM_BELOW: u32 = 1_000;

/// The lower tail of the binomial(total, ½) up to `low`, and the weight of `low` itself.
fn tail_from_below(low: u32, total: u64) -> (f64, f64) {
    let total = total as f64;
    // ln C(n, k), accumulated from k to k + 1.
    let mut ln_choose = 0.0;
    let weight = |ln_choose: f64| (ln_choose - total * std::f64::consts::LN_2).exp();
    let mut tail = weight(ln_choose);
    let mut point = tail;
    for k in 1..=low {
        ln_choose += (total - f64::from(k) + 1.0).ln() - f64::from(k).ln();
        point = weight(ln_choose);
        tail += point;
    }
    (tail, point)
}

/// The same for large counts, summed downwards from `low`: each term is `k / (n − k + 1)` times the previous one.
fn tail_from_above(low: u32, total: u64) -> (f64, f64) {
    let total = total as f64;
    let mut k = f64::from(low);
    let point = binomial_half(k, total);
    let (mut term, mut tail) = (point, point);
    while k > 0.0 && term > tail * f64::EPSILON / 2.0 {
        term *= k / (total - k + 1.0);
        tail += term;
        k -= 1.0;
    }
    (tail, point)
}

/// The weight of `k` in the binomial(n, ½), by the saddle-point expansion (Loader 2000, Fast and Accurate
/// Computation of Binomial Probabilities), for k and n − k above 15.
fn binomial_half(k: f64, n: f64) -> f64 {
    let (rest, half) = (n - k, n / 2.0);
    let ln_weight = stirling_error(n)
        - stirling_error(k)
        - stirling_error(rest)
        - deviance(k, half)
        - deviance(rest, half);
    (n / (std::f64::consts::TAU * k * rest)).sqrt() * ln_weight.exp()
}

/// ln n! minus Stirling's formula, for n above 15.
fn stirling_error(n: f64) -> f64 {
    let square = n * n;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / n
}

/// `x ln(x / m) + m − x`, accurate also where x is close to m.
fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    if difference.abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() - difference;
    }
    let ratio = difference / (x + m);
    let mut sum = difference * ratio;
    let mut term = 2.0 * x * ratio;
    for odd in (3_u32..).step_by(2) {
        term *= ratio * ratio;
        let next = sum + term / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fagerland, Lydersen, Laake 2013, BMC Medical Research Methodology 13:91, table 1 (airway
    /// hyper-responsiveness, 1 against 7): exact 0.070, mid-p 0.039.
    #[test]
    fn mcnemar_as_published() {
        let found = mcnemar(1, 7);
        assert_eq!(
            format!("{:.4} {:.4}", found.exact, found.mid_p),
            "0.0703 0.0391"
        );
        assert_eq!(mcnemar(7, 1), found);
        // Agresti 2002, table 10.1 (approval of the prime minister, 86 against 150): z² = 17.36, so p is
        // near 3e-5.
        let approval = mcnemar(86, 150);
        assert!((2e-5..5e-5).contains(&approval.exact), "{approval:?}");
    }

    #[test]
    fn no_difference_is_no_evidence() {
        assert_eq!(
            mcnemar(0, 0),
            McNemar {
                exact: 1.0,
                mid_p: 1.0
            }
        );
        let even = mcnemar(3, 3);
        assert_eq!(even.exact, 1.0);
        // P(X = 3) of binomial(6, ½) is 20/64.
        assert!((even.mid_p - (1.0 - 10.0 / 64.0)).abs() < 1e-12);
        // Sums over thousands of cases do not underflow.
        assert!(mcnemar(2_000, 2_400).exact < 1e-8);
    }

    #[test]
    fn both_ways_to_add_up_the_tail_agree() {
        for (low, total) in [
            (1_000, 2_000),
            (900, 2_000),
            (500, 1_400),
            (100, 150),
            (40, 400),
        ] {
            let (one, other) = (tail_from_below(low, total), tail_from_above(low, total));
            for (a, b) in [(one.0, other.0), (one.1, other.1)] {
                assert!((a / b - 1.0).abs() < 1e-10, "{low} of {total}: {a} and {b}");
            }
        }
    }

    /// Compared with the normal approximation, which is accurate for counts of this size.
    #[test]
    fn counts_of_billions_take_no_time() {
        let start = std::time::Instant::now();
        let even = mcnemar(2_000_000_000, 2_000_000_000);
        assert_eq!(even.exact, 1.0);
        // 1.96 standard deviations: half of the square root of 4e9 is 31,623.
        let unlike = mcnemar(2_000_000_000 - 61_980, 2_000_000_000 + 61_980);
        assert!((unlike.mid_p - 0.05).abs() < 1e-4, "{unlike:?}");
        let largest = mcnemar(u32::MAX, u32::MAX - 1);
        assert!(largest.exact > 0.99 && largest.mid_p <= 1.0);
        assert_eq!(mcnemar(0, u32::MAX).exact, 0.0);
        assert_eq!(mcnemar(1_001, u32::MAX).exact, 0.0);
        assert!(start.elapsed().as_secs() < 5);
    }
}
