//! Numbers that look random and come from a seed: the same seed gives the same numbers.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`, which is far below 2^32.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let high = self.next() >> 32;
        ((high * count as u64) >> 32) as usize
    }

    /// Puts entries into a random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, entries: &mut [T]) {
        for last in (1..entries.len()).rev() {
            let other = self.below(last + 1);
            entries.swap(last, other);
        }
    }
}
