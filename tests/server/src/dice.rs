//! Reproducible random numbers, so that a failure can be repeated.

/// A pseudorandom sequence with a fixed seed.
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// One of the list.
    pub fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let bound = u64::try_from(list.len()).unwrap_or(u64::MAX);
        let place = usize::try_from(self.below(bound)).unwrap_or(0);
        list.get(place).expect("a list that is not empty")
    }
}
