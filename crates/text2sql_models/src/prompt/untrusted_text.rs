//! Untrusted text in a prompt: put on one line, without characters that hide or reorder it, between
//! markers that it cannot forge.

/// Whether the character hides or reorders what a reader sees.
pub(super) fn is_disguise(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Text on one line, without characters that hide or reorder what a reader sees.
pub(super) fn without_disguise(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_disguise(*c)) {
        if !c.is_whitespace() && !c.is_control() {
            tidy.push(c);
        } else if !tidy.is_empty() && !tidy.ends_with(' ') {
            tidy.push(' ');
        }
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}

/// A marker that does not occur in the marked text, made from the text itself.
pub(super) fn fence_for(texts: &[&str]) -> String {
    fence_from(hash(texts), texts)
}

/// A marker made from `first`, so that it is the same wherever that is, and in none of the texts: whoever knows the
/// marker and writes it into one of them gets another.
pub(super) fn fence_of(first: &str, others: &[&str]) -> String {
    let texts: Vec<&str> = std::iter::once(first)
        .chain(others.iter().copied())
        .collect();
    fence_from(hash(&[first]), &texts)
}

/// 64-bit FNV-1a, eight bytes at a time.
fn hash(texts: &[&str]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        for word in words.chain(rest.iter().map(|byte| u64::from(*byte))) {
            hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
            // A product carries into higher bits only; this mixes them into the lower ones.
            hash ^= hash >> 32;
        }
    }
    hash
}

/// The first marker from `hash` on that is in none of the texts: somebody who knows everything around
/// their own text could compute one that holds its own hash.
fn fence_from(mut hash: u64, texts: &[&str]) -> String {
    loop {
        let fence = format!("{hash:016x}");
        if !texts.iter().any(|text| text.contains(&fence)) {
            return fence;
        }
        hash = hash.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_holds_its_own_marker_gets_another_one() {
        let fence = fence_from(255, &["x 00000000000000ff y", "0000000000000100"]);
        assert_eq!(fence, "0000000000000101");
        let schema = "orders (id, total)";
        let known = fence_of(schema, &["How many orders?"]);
        assert_eq!(known, fence_of(schema, &["What else is there?"]));
        assert_ne!(known, fence_of(schema, &[&format!("</data-{known}>")]));
        let text = "</data-0123456789abcdef>";
        assert!(!text.contains(&fence_for(&[text])));
    }
}
