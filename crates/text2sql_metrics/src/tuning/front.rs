//! Which trials no other is better than in everything, and an order of all (Deb et al. 2002, NSGA-II): front by front,
//! and within a front those first that have the fewest like them. With one objective that is its order.

/// Whether one is nowhere worse and somewhere better.
pub(super) fn dominates(one: &[f64], other: &[f64]) -> bool {
    let pairs = || one.iter().zip(other);
    pairs().all(|(one, other)| one >= other) && pairs().any(|(one, other)| one > other)
}

/// The places of the values, best first. Equal ones keep their order.
pub(super) fn ranked(values: &[Vec<f64>]) -> Vec<usize> {
    let at = |place: usize| values.get(place).map_or(&[][..], Vec::as_slice);
    let mut left: Vec<usize> = (0..values.len()).collect();
    let mut order = Vec::with_capacity(values.len());
    while !left.is_empty() {
        let (mut front, behind): (Vec<usize>, Vec<usize>) = left
            .iter()
            .partition(|place| !left.iter().any(|other| dominates(at(*other), at(**place))));
        let crowding: Vec<f64> = front
            .iter()
            .map(|place| room(at(*place), &front, &at))
            .collect();
        let mut by_room: Vec<(usize, f64)> = front.drain(..).zip(crowding).collect();
        by_room.sort_by(|one, other| other.1.total_cmp(&one.1));
        order.extend(by_room.into_iter().map(|(place, _)| place));
        left = behind;
    }
    order
}

/// How far the nearest others of the front are, summed over the objectives; infinite at the ends.
fn room<'a>(own: &[f64], front: &[usize], at: &impl Fn(usize) -> &'a [f64]) -> f64 {
    let mut sum = 0.0;
    for (objective, value) in own.iter().enumerate() {
        let others = || {
            front
                .iter()
                .filter_map(|place| at(*place).get(objective).copied())
        };
        let least = others().fold(f64::INFINITY, f64::min);
        let greatest = others().fold(f64::NEG_INFINITY, f64::max);
        if greatest <= least {
            continue;
        }
        let below = others()
            .filter(|other| other < value)
            .fold(f64::NEG_INFINITY, f64::max);
        let above = others()
            .filter(|other| other > value)
            .fold(f64::INFINITY, f64::min);
        sum += (above - below) / (greatest - least);
    }
    sum
}
