//! A double-array trie as Darts-clone and SentencePiece write it, searched in the bytes of the file.
//!
//! The bytes are not trusted: every step is checked, and a damaged trie only finds less.

/// A trie over bytes.
#[derive(Clone, Copy)]
pub(crate) struct Trie<'a> {
    units: &'a [[u8; 4]],
}

impl<'a> Trie<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            units: bytes.as_chunks().0,
        }
    }

    /// Calls `found` with the length and the value of each key that the text begins with, shortest first.
    pub(crate) fn prefixes(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let Some(mut unit) = self.unit(0) else { return };
        let mut at = offset(unit);
        for (length, byte) in (1..).zip(text) {
            at ^= usize::from(*byte);
            match self.unit(at) {
                Some(next) if label(next) == u32::from(*byte) => unit = next,
                _ => return,
            }
            at ^= offset(unit);
            if has_leaf(unit)
                && let Some(leaf) = self.unit(at)
            {
                found(length, (leaf & 0x7fff_ffff) as usize);
            }
        }
    }

    fn unit(&self, at: usize) -> Option<u32> {
        self.units.get(at).map(|unit| u32::from_le_bytes(*unit))
    }
}

/// The byte of a unit; of a leaf, something that is no byte.
fn label(unit: u32) -> u32 {
    unit & 0x8000_00ff
}

fn has_leaf(unit: u32) -> bool {
    unit & 0x100 != 0
}

/// What a unit's place is combined with to reach its children.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}
