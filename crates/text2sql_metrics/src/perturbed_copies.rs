//! Chooses the rows of a table that a perturbed copy keeps: a fraction of them, by a hash of the row, so that
//! the same data always gives the same copy.

/// Tables up to this number of rows are copied completely, because queries return no rows if a lookup table lacks
/// a value.
const SMALL: u64 = 5;

/// The fraction of a table's rows that a copy keeps: `keep`, limited so that at most `max_rows` remain.
pub fn share(rows: u64, keep: f64, max_rows: u64) -> f64 {
    if rows <= SMALL {
        return 1.0;
    }
    keep.min(max_rows as f64 / rows as f64)
}

/// A hash of a row.
#[derive(Debug, Clone, Copy)]
pub struct RowHash(u64);

impl RowHash {
    /// Starts the hash of a row; each version of the copies chooses different rows.
    pub fn new(version: u32) -> Self {
        let mut hash = Self(0xcbf2_9ce4_8422_2325);
        hash.bytes(&version.to_le_bytes());
        hash
    }

    /// Adds a value; `None` is NULL.
    pub fn add(&mut self, value: Option<&[u8]>) {
        match value {
            None => self.bytes(&[0]),
            Some(value) => {
                self.bytes(&[1]);
                self.bytes(value);
                // The length distinguishes "ab", "c" from "a", "bc".
                self.bytes(&value.len().to_le_bytes());
            }
        }
    }

    /// Whether a copy that keeps this fraction of the rows keeps this row.
    pub fn is_kept(self, share: f64) -> bool {
        // FNV does not mix its last byte; after one more step every bit depends on every byte.
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((mixed & 0xFFFF) as f64) < share * 65536.0
    }

    /// FNV-1a.
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(version: u32, share: f64) -> Vec<u32> {
        (0..10_000_u32)
            .filter(|number| {
                let mut hash = RowHash::new(version);
                hash.add(Some(&number.to_le_bytes()));
                hash.add(None);
                hash.is_kept(share)
            })
            .collect()
    }

    #[test]
    fn a_small_table_stays_whole_and_a_large_one_is_bounded() {
        assert_eq!(share(5, 0.1, 1), 1.0);
        assert_eq!(share(6, 0.5, 20_000), 0.5);
        assert_eq!(share(40_000, 0.6, 20_000), 0.5);
        assert_eq!(share(0, 0.6, 20_000), 1.0);
    }

    #[test]
    fn the_share_is_kept_and_the_choice_repeats() {
        let first = kept(1, 0.6);
        assert_eq!(first, kept(1, 0.6));
        assert_ne!(first, kept(2, 0.6));
        assert!((5_700..6_300).contains(&first.len()), "{}", first.len());
        assert_eq!(kept(1, 1.0).len(), 10_000);
    }

    #[test]
    fn where_a_value_ends_counts() {
        let hash = |values: [&str; 2]| {
            let mut hash = RowHash::new(1);
            for value in values {
                hash.add(Some(value.as_bytes()));
            }
            hash.0
        };
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
    }
}
