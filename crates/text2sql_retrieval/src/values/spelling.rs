//! Whether one word is the other, misspelt: trigrams alone miss "Frence" for "France", which share
//! only four of ten.

/// Longest text compared: the cost grows with the product of the lengths.
const MAX_CHARS: usize = 40;

/// Whether `one` becomes `other` by as few changes as a typist makes: one letter changed, missing, too
/// many or swapped with its neighbour in a word of five letters or more, two from nine letters on.
pub fn is_typo(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let shortest = one.len().min(other.len());
    let allowed = match shortest {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    };
    one.len().max(other.len()) <= MAX_CHARS
        && one.len().abs_diff(other.len()) <= allowed
        && distance(&one, &other) <= allowed
}

/// Changes between two texts, a swap of neighbours counted as one.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let mut previous = None;
    for (row, a) in one.iter().enumerate() {
        let mut now = vec![row + 1];
        let mut left = None;
        for (column, b) in other.iter().enumerate() {
            let at =
                |line: &[usize], place: usize| line.get(place).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(&last, column) + usize::from(a != b))
                .min(at(&last, column + 1) + 1)
                .min(at(&now, column) + 1);
            if left == Some(a) && previous == Some(b) && column > 0 {
                least = least.min(at(&before, column - 1) + 1);
            }
            now.push(least);
            left = Some(b);
        }
        before = std::mem::replace(&mut last, now);
        previous = Some(a);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_a_typo() {
        for (one, other) in [
            ("frence", "france"),
            ("germny", "germany"),
            ("gremany", "germany"),
            ("switzerlnad", "switzerland"),
            ("philipines", "philippines"),
            ("cote divoire", "cote d ivoire"),
        ] {
            assert!(is_typo(one, other), "{one} {other}");
            assert!(is_typo(other, one), "{other} {one}");
        }
    }

    #[test]
    fn another_word_is_none() {
        for (one, other) in [
            ("iran", "iraq"),
            ("austria", "australia"),
            ("niger", "nigeria"),
            ("", "france"),
            ("paid", "said"),
        ] {
            assert!(!is_typo(one, other), "{one} {other}");
        }
    }
}
