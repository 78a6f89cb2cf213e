//! Random choices that can be repeated: the same seed gives the same statements, on every machine and
//! with every version of the generator.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// Random choices of the generated statements.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    generator: SplitMix64,
}

impl Random {
    /// Starts at a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            generator: SplitMix64::seed_from_u64(seed),
        }
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.generator.next_u64() % bound).unwrap_or(0)
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several things; none of an empty list.
    pub(crate) fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }

    /// One of several words.
    pub(crate) fn word(&mut self, words: &[&'static str]) -> &'static str {
        self.pick(words).copied().unwrap_or_default()
    }

    /// Puts things into a random order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for index in (1..things.len()).rev() {
            let other = self.below(index + 1);
            things.swap(index, other);
        }
    }
}
