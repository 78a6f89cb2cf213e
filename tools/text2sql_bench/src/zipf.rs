//! Random numbers that are the same on every run, and words drawn as often as real schemas use
//! them: the k-th most common word has a weight of 1/k.

/// SplitMix64: small, and the same on every machine.
/// <https://prng.di.unimi.it/splitmix64.c>
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Draws ranks 0, 1, 2 … with weights 1, 1/2, 1/3 …
pub(crate) struct Zipf {
    cumulative: Vec<f64>,
}

impl Zipf {
    pub(crate) fn new(ranks: usize) -> Self {
        let mut sum = 0.0;
        let cumulative = (1..=ranks)
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        Self { cumulative }
    }

    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let point = random.unit() * total;
        self.cumulative
            .partition_point(|weight| *weight <= point)
            .min(self.cumulative.len().saturating_sub(1))
    }

    /// Draws one of `items`, of which there are as many as ranks.
    pub(crate) fn pick<'a, T>(&self, random: &mut Random, items: &'a [T]) -> Option<&'a T> {
        items.get(self.draw(random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut random = Random::new(0);
        assert_eq!(random.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.next(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn the_first_rank_comes_twice_as_often_as_the_second() {
        let zipf = Zipf::new(50);
        let mut random = Random::new(7);
        let mut counts = [0u32; 50];
        for _ in 0..100_000 {
            counts[zipf.draw(&mut random)] += 1;
        }
        let share = |rank: usize| f64::from(counts[0]) / f64::from(counts[rank]);
        assert!((1.9..2.1).contains(&share(1)), "{counts:?}");
        assert!((9.0..11.0).contains(&share(9)), "{counts:?}");
        assert!(counts.iter().all(|count| *count > 0));
    }

    #[test]
    fn a_single_rank_is_always_drawn() {
        let mut random = Random::new(1);
        let zipf = Zipf::new(1);
        assert!((0..100).all(|_| zipf.draw(&mut random) == 0));
    }
}
