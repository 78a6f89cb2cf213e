//! SHA-256, of which TLS has an implementation already.

use ring::digest::{Context, SHA256, SHA256_OUTPUT_LEN};

/// The SHA-256 of these bytes, one after the other.
pub fn sha256(parts: &[&[u8]]) -> [u8; SHA256_OUTPUT_LEN] {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(part);
    }
    let mut hash = [0; SHA256_OUTPUT_LEN];
    hash.copy_from_slice(context.finish().as_ref());
    hash
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn parts_are_one_text() {
        // The first example of FIPS 180-2.
        let expected = [0xba, 0x78, 0x16, 0xbf];
        assert_eq!(sha256(&[b"abc"])[..4], expected);
        assert_eq!(sha256(&[b"a", b"", b"bc"])[..4], expected);
    }
}
