//! Holm's correction for several tests (Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure): of m
//! p values in ascending order the k-th is multiplied by m − k + 1, and none becomes smaller than one before it.

/// The adjusted p values, in the order of the given ones.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    let value = |place: &usize| p.get(*place).copied().unwrap_or(1.0);
    order.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 0.0;
    for (rank, place) in order.iter().enumerate() {
        least = least.max((value(place) * (p.len() - rank) as f64).min(1.0));
        if let Some(entry) = adjusted.get_mut(*place) {
            *entry = least;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As R's `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")`.
    #[test]
    fn as_r_computes_it() {
        let rounded: Vec<f64> = holm(&[0.01, 0.04, 0.03, 0.005])
            .into_iter()
            .map(|p| (p * 1e6).round() / 1e6)
            .collect();
        assert_eq!(rounded, [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[0.2]), [0.2]);
        assert!(holm(&[]).is_empty());
    }
}
