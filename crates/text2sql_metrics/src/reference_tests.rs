//! Compares figures with those computed by statsmodels 0.15.0 (`proportion_confint(…, method='wilson')`,
//! `mcnemar(…, exact=True)`), SciPy (`binom`, for mid-p), scikit-learn 1.9.1 (`brier_score_loss`,
//! `average_precision_score`, `cosine_similarity`).

use std::collections::BTreeSet;

use super::calibration::calibration;
use super::case_context::retrieved;
use super::similarity::cosine;
use crate::significance::mcnemar;
use text2sql_domain::interval::wilson;

#[test]
fn wilson_as_statsmodels() {
    for (successes, total, low, high) in [
        (81.0, 263.0, "0.255289", "0.366210"),
        (7.0, 18.0, "0.203052", "0.613810"),
        (0.0, 5.0, "0.000000", "0.434482"),
        (1469.0, 1469.0, "0.997392", "1.000000"),
        (412.0, 1469.0, "0.258086", "0.303985"),
    ] {
        let (a, b) = wilson(successes, total).unwrap();
        assert_eq!(
            (format!("{a:.6}").as_str(), format!("{b:.6}").as_str()),
            (low, high)
        );
    }
}

#[test]
fn mcnemar_as_statsmodels_and_scipy() {
    for (b, c, exact) in [
        (1, 7, 0.0703125),
        (86, 150, 3.7159361e-05),
        (12, 5, 0.14346313),
        (40, 61, 0.046044067),
    ] {
        let found = mcnemar(b, c).exact;
        assert!(
            (found - exact).abs() < 1e-7 * exact.max(1e-3),
            "{b} {c} {found}"
        );
    }
    for (b, c, mid_p) in [(12, 5, 0.096252441), (40, 61, 0.037066767)] {
        assert!((mcnemar(b, c).mid_p - mid_p).abs() < 1e-8, "{b} {c}");
    }
}

#[test]
fn brier_average_precision_and_cosine_as_scikit_learn() {
    let answers = [
        (0.9, true),
        (1.0, false),
        (0.2, false),
        (0.2, false),
        (0.35, true),
        (0.61, true),
    ];
    assert!((calibration(&answers).unwrap().brier - 0.27743333333333337).abs() < 1e-12);
    let shown: Vec<String> = ["a", "x", "b", "y", "c"].map(str::to_owned).to_vec();
    let gold: BTreeSet<String> = ["a", "b", "c"].map(str::to_owned).into();
    assert!(
        (retrieved(&shown, &gold).ranked_precision.unwrap() - 0.7555555555555555).abs() < 1e-12
    );
    assert!((cosine(&[0.5, -2.0, 3.25, 0.0], &[1.0, 1.0, 0.5, 7.0]) - 0.00453679).abs() < 1e-8);
}
