//! The confidence interval of a share.
//!
//! Wilson 1927, for `k` of `n`: with `z` the normal quantile and `p = k / n`,
//! `(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)`. It stays between 0 and 1 and is accurate for small samples.

/// The two-sided normal quantile for 95 %.
const Z95: f64 = 1.959_963_984_540_054;

/// The 95 % Wilson interval of `successes` among `total`; `None` if `total` is 0. `successes` may be a
/// fraction: a case that is right in half of its repeats counts half.
pub fn wilson(successes: f64, total: f64) -> Option<(f64, f64)> {
    if total <= 0.0 || !(0.0..=total).contains(&successes) {
        return None;
    }
    let share = successes / total;
    let z2 = Z95 * Z95;
    let middle = share + z2 / (2.0 * total);
    let spread = Z95 * (share * (1.0 - share) / total + z2 / (4.0 * total * total)).sqrt();
    let scale = 1.0 + z2 / total;
    // The bound is exactly 0 or 1 at the ends; computing it would leave a rounding error.
    let low = if successes == 0.0 {
        0.0
    } else {
        (middle - spread) / scale
    };
    let high = if successes == total {
        1.0
    } else {
        (middle + spread) / scale
    };
    Some((low.max(0.0), high.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe 1998, Statistics in Medicine 17: 857-872, table I, method 3.
    #[test]
    fn wilson_as_published() {
        for (successes, total, low, high) in [
            (81.0, 263.0, "0.2553", "0.3662"),
            (15.0, 148.0, "0.0624", "0.1605"),
            (0.0, 20.0, "0.0000", "0.1611"),
            (1.0, 29.0, "0.0061", "0.1718"),
        ] {
            let (a, b) = wilson(successes, total).unwrap();
            assert_eq!(
                (format!("{a:.4}").as_str(), format!("{b:.4}").as_str()),
                (low, high)
            );
        }
        assert_eq!(wilson(0.0, 0.0), None);
        assert_eq!(wilson(5.0, 4.0), None);
        assert_eq!(wilson(4.0, 4.0).unwrap().1, 1.0);
    }
}
