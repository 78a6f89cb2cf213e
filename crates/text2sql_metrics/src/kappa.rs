//! **Cohen's kappa** (Cohen 1960): how much two judges agree beyond what chance would give. With `p_o` the share of
//! items on which they agree and `p_e` the share expected from how often each says which label,
//! `kappa = (p_o − p_e) / (1 − p_e)`. The interval is the large-sample one of Fleiss, Cohen and Everitt 1969.

use std::collections::BTreeMap;

use serde::Serialize;

const Z95: f64 = 1.959_963_984_540_054;

/// The agreement of two judges.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// Number of items that both judged.
    pub items: usize,
    /// Share of items on which they agree.
    pub agreement: f64,
    /// Kappa; `None` where both always say the same single label, so that there is nothing to agree about.
    pub kappa: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Compares pairs of labels; `None` without any. The work grows with the pairs, however many labels there are.
pub fn kappa(pairs: &[(&str, &str)]) -> Option<Agreement> {
    if pairs.is_empty() {
        return None;
    }
    let count = pairs.len() as f64;
    let mut cells: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut margins: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (one, other) in pairs {
        *cells.entry((one, other)).or_default() += 1;
        margins.entry(one).or_default().0 += 1;
        margins.entry(other).or_default().1 += 1;
    }
    let share = |part: usize| part as f64 / count;
    let shares_of = |label: &str| {
        let (row, column) = margins.get(label).copied().unwrap_or_default();
        (share(row), share(column))
    };
    let observed = share(pairs.iter().filter(|(one, other)| one == other).count());
    let expected: f64 = margins
        .values()
        .map(|(row, column)| share(*row) * share(*column))
        .sum();
    let mut found = Agreement {
        items: pairs.len(),
        agreement: observed,
        kappa: None,
        low: None,
        high: None,
    };
    if margins.len() == 1 {
        return Some(found);
    }
    let kappa = (observed - expected) / (1.0 - expected);
    let mut on_diagonal = 0.0;
    let mut off_diagonal = 0.0;
    // A cell without pairs adds nothing.
    for ((one, other), pairs) in &cells {
        let cell = share(*pairs);
        if one == other {
            let (row, column) = shares_of(one);
            on_diagonal += cell * (1.0 - (row + column) * (1.0 - kappa)).powi(2);
        } else {
            off_diagonal += cell * (shares_of(one).1 + shares_of(other).0).powi(2);
        }
    }
    let chance = (kappa - expected * (1.0 - kappa)).powi(2);
    let variance = (on_diagonal + (1.0 - kappa).powi(2) * off_diagonal - chance)
        / (count * (1.0 - expected).powi(2));
    let spread = Z95 * variance.max(0.0).sqrt();
    found.kappa = Some(kappa);
    found.low = Some((kappa - spread).max(-1.0));
    found.high = Some((kappa + spread).min(1.0));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(cells: &[(usize, &'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
        let repeated = cells
            .iter()
            .flat_map(|(count, one, other)| std::iter::repeat_n((*one, *other), *count));
        repeated.collect()
    }

    /// 20 and 15 of 50 alike, 5 and 10 not: p_o 0.7, p_e 0.5, kappa 0.4.
    #[test]
    fn kappa_of_a_table() {
        let cells = [
            (20, "yes", "yes"),
            (5, "yes", "no"),
            (10, "no", "yes"),
            (15, "no", "no"),
        ];
        let found = kappa(&pairs(&cells)).unwrap();
        assert_eq!((found.items, found.agreement), (50, 0.7));
        assert!((found.kappa.unwrap() - 0.4).abs() < 1e-12);
        let width = found.high.unwrap() - found.low.unwrap();
        assert!(
            (width / 2.0 / Z95 - KNOWN_ERROR).abs() < 1e-9,
            "{}",
            width / 2.0 / Z95
        );
    }

    /// As `statsmodels.stats.inter_rater.cohens_kappa` computes it for that table.
    const KNOWN_ERROR: f64 = 0.126_996_062_931_100_33;

    #[test]
    fn perfect_opposite_and_nothing_to_agree_about() {
        let perfect = kappa(&pairs(&[(3, "a", "a"), (3, "b", "b")])).unwrap();
        assert_eq!((perfect.kappa, perfect.low), (Some(1.0), Some(1.0)));
        let opposite = kappa(&pairs(&[(3, "a", "b"), (3, "b", "a")])).unwrap();
        assert_eq!(opposite.kappa, Some(-1.0));
        let single = kappa(&pairs(&[(4, "a", "a")])).unwrap();
        assert_eq!((single.agreement, single.kappa), (1.0, None));
        assert_eq!(kappa(&[]), None);
    }

    /// Labels that all differ: squared, they would take hours.
    #[test]
    fn many_labels_take_as_long_as_few() {
        let labels: Vec<String> = (0..100_000).map(|label| label.to_string()).collect();
        let moved = labels.iter().cycle().skip(1);
        let pairs: Vec<(&str, &str)> = labels
            .iter()
            .zip(moved)
            .map(|(one, other)| (one.as_str(), other.as_str()))
            .collect();
        let found = kappa(&pairs).unwrap();
        assert_eq!((found.items, found.agreement), (100_000, 0.0));
        assert!((found.kappa.unwrap() + 1e-5).abs() < 1e-9);
    }
}
